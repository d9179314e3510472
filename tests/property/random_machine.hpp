// SPDX-License-Identifier: Apache-2.0
// A machine that does at random all that a machine may do, as an initiator, as a server and as a
// parent, and tells the ledger. It belongs to its Program and its thread.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tests/property/program.hpp"

namespace gyre::property {

class RandomMachine final : public Machine {
public:
    // What it does with the ops of its children.
    enum class Role { passes_on, intercepts, transforms };

    RandomMachine(Program& program, Role role, std::size_t depth, unsigned step_count);
    ~RandomMachine() override;

    void begin();
    [[nodiscard]] std::size_t depth() const noexcept { return depth_; }
    [[nodiscard]] const std::vector<std::unique_ptr<Tracked>>& ops() const noexcept { return ops_; }

protected:
    void tick(Instant now) override;
    void on_child_output(Machine& child, Op& op, Lane lane) override;
    void on_close() override;

private:
    // An op of a child that it answers itself.
    struct Intercepted {
        Machine* child;
        Tracked* tracked;
    };

    // As an initiator.
    void act(Cause cause);
    void start_timer(Cause cause);
    void ask_platform(Cause cause);
    void ask(Cause cause);
    void ask_again(Cause cause);
    void stand(Cause cause);
    void start_wake(Cause cause);
    void ring_a_wake();
    void cancel_something();
    void cancel_tracked(Tracked& tracked);
    void take_back(Tracked& tracked);
    void start(Tracked& tracked, MachineRef to, Cause cause);
    template <class Kind, class... Args>
    TrackedOp<Kind>& make(Args&&... args);

    // As a server.
    void serve(Tracked& tracked);
    void delegate(Tracked& tracked, MachineRef to);
    void take_cancellation(Tracked& tracked);
    void write_and_ring(Tracked& tracked);
    void serve_something();
    void finish(Tracked& tracked, std::int32_t result);

    [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return program_.random_.below(bound); }
    [[nodiscard]] bool one_in(std::uint64_t of) { return program_.random_.one_in(of); }
    void note(Feature feature) noexcept { program_.ledger_.note(feature); }

    Program& program_;
    const Role role_;
    const std::size_t depth_;
    unsigned steps_left_;
    bool is_closing_ = false;
    TrackedOp<OwnedTimer>* beat_ = nullptr;
    std::vector<std::unique_ptr<Tracked>> ops_;
    std::vector<Tracked*> held_;
    std::vector<Intercepted> intercepted_;
    std::vector<Tracked*> confirmed_next_tick_;
};

}  // namespace gyre::property
