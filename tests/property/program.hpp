// SPDX-License-Identifier: Apache-2.0
// Program: a random tree of machines over one to three loops of a simulated world, all of it drawn
// from one seed. It runs until it is idle or stuck, closes, and the ledger checks the laws. One
// thread; a program runs once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gyre/base/random.hpp"
#include "gyre/sim/trace_recorder.hpp"
#include "gyre/sim/world.hpp"
#include "tests/property/ledger.hpp"

namespace gyre::property {

class RandomMachine;

class Program {
public:
    explicit Program(std::uint64_t seed);
    ~Program();

    void run();

    [[nodiscard]] const Ledger& ledger() const noexcept { return ledger_; }
    [[nodiscard]] const std::string& trace() const noexcept { return trace_; }

private:
    friend class RandomMachine;

    // Records, and lets the ledger check each hop.
    class Watching final : public sim::TraceRecorder {
    public:
        Watching(Program& program, std::string name)
            : TraceRecorder(program.trace_, std::move(name)), ledger_(program.ledger_) {}
        void on_route(const Op& op, Lane lane, const Machine* to) noexcept override {
            TraceRecorder::on_route(op, lane, to);
            ledger_.on_hop(op);
        }

    private:
        Ledger& ledger_;
    };

    void plant_tree(std::size_t loop_index, std::size_t machine_count);
    void post_something();
    void count_step() noexcept;
    void judge_quiet();
    void judge_closed();
    [[nodiscard]] RandomMachine& any_machine() noexcept;
    [[nodiscard]] RandomMachine* any_machine_of(ThreadId thread, bool is_wanted) noexcept;

    Random random_;
    // Some programs are closed in the middle of their work: after so many steps.
    std::uint64_t steps_until_close_ = 0;
    Ledger ledger_;
    std::string trace_;
    std::vector<std::unique_ptr<Watching>> observers_;
    sim::VirtualClock clock_;
    // Parents before their children, and all before the world, which ends first.
    std::vector<std::unique_ptr<RandomMachine>> machines_;
    std::vector<RandomMachine*> apps_;
    std::vector<std::unique_ptr<Tracked>> posted_;
    std::vector<TrackedOp<WakeOp>*> wakes_;
    std::optional<sim::World> world_;
};

}  // namespace gyre::property
