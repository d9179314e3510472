// SPDX-License-Identifier: Apache-2.0
// LevelWatch: the level-triggered readiness ops that are polled before the platform's next wait, in
// one call of poll(2): new ops, and ops that were ready in the last poll. An op that is not ready
// stays for one more poll if another op is ready (a ping-pong pair is idle every other turn), else
// it leaves the list; the platform then registers for an edge, and the edge adds the op again.
//
// So a descriptor is registered once, edge-triggered, for ops of every kind: starting, stopping or
// changing a level op costs no system call, and a number closed too early cannot report events
// forever.
//
// Only the loop's thread; part of its platform.
#pragma once

#include "gyre/io/io_ops.hpp"

namespace gyre::platform {

class LevelWatch {
public:
    // The platform's reaction to an op that was polled.
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

    // The op is polled before the next wait.
    void add(ReadinessOp& op) noexcept {
        if (has(op)) return;
        op.was_quiet = false;
        ops_.push_back(op);
    }
    static void remove(ReadinessOp& op) noexcept {
        if (has(op)) static_cast<Link<LookLinks>&>(op).unlink();
    }

    // Polls all ops. True if one is ready, so that the platform must not block, or if the caller
    // says that something else is ready.
    struct Look {
        bool is_another_ready;
    };
    [[nodiscard]] bool look(Handler& handler, Look look = {false}) noexcept {
        return !ops_.empty() && ask(handler, look);
    }

    // Removes all ops, as if they were found not ready.
    void release(Handler& handler) noexcept;

    // Records in the op those events of a poll mask that concern it. False if there are none.
    [[nodiscard]] static bool note(ReadinessOp& op, int mask) noexcept;
    // The poll mask for the op.
    [[nodiscard]] static short mask_of(const ReadinessOp& op) noexcept;

private:
    [[nodiscard]] bool ask(Handler& handler, Look look) noexcept;
    static const Link<LookLinks>& link_of(const ReadinessOp& op) noexcept { return op; }

    Queue<ReadinessOp, LookLinks> ops_;
};

}  // namespace gyre::platform
