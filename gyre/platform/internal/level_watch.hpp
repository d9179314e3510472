// SPDX-License-Identifier: Apache-2.0
// LevelWatch: the level-triggered readiness ops that shall be looked at before their platform waits
// the next time: those that are new, and those that were ready when last seen, or the time before
// where another one was: of two that throw a byte to and fro each is quiet every other time. All of
// them are asked about in one call of poll(2). One that is found quiet leaves, and is the
// platform's to be told about by an edge, which comes back through `add`.
//
// So a descriptor is registered once, edge-triggered, for ops of every kind: a level costs nothing
// when it starts, stops or changes, and a number closed too early cannot ring for ever.
//
// Only the loop's thread; part of its platform.
#pragma once

#include "gyre/io/io_ops.hpp"

namespace gyre::platform {

class LevelWatch {
public:
    // What a platform does about an op that was looked at.
    class Handler {
    public:
        virtual void on_level_ready(ReadinessOp& op) noexcept = 0;
        virtual void on_level_quiet(ReadinessOp& op) noexcept = 0;
        virtual void on_level_failed(ReadinessOp& op, std::int32_t error) noexcept = 0;

    protected:
        ~Handler() = default;
    };

    [[nodiscard]] bool empty() const noexcept { return ops_.empty(); }
    [[nodiscard]] static bool has(const ReadinessOp& op) noexcept {
        return link_of(op).is_linked();
    }

    // It is looked at before the next wait.
    void add(ReadinessOp& op) noexcept {
        if (has(op)) return;
        op.was_quiet = false;
        ops_.push_back(op);
    }
    static void remove(ReadinessOp& op) noexcept {
        if (has(op)) static_cast<Link<LookLinks>&>(op).unlink();
    }

    // Asks about all of them. True where the platform must not block now; also where it has said
    // that something else is ready.
    struct Look {
        bool is_another_ready;
    };
    [[nodiscard]] bool look(Handler& handler, Look look = {false}) noexcept {
        return !ops_.empty() && ask(handler, look);
    }

    // All leave, as if they were found quiet.
    void release(Handler& handler) noexcept;

    // Notes in the op what of a mask of the system concerns it. False where nothing does.
    [[nodiscard]] static bool note(ReadinessOp& op, int mask) noexcept;
    // What the system shall be asked about the op.
    [[nodiscard]] static short mask_of(const ReadinessOp& op) noexcept;

private:
    [[nodiscard]] bool ask(Handler& handler, Look look) noexcept;
    static const Link<LookLinks>& link_of(const ReadinessOp& op) noexcept { return op; }

    Queue<ReadinessOp, LookLinks> ops_;
};

}  // namespace gyre::platform
