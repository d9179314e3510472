// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/reference/machine_outcome.hpp"

#include "gyre/sim/platform.hpp"
#include "gyre/task/core/run.hpp"

namespace gyre::vela {
namespace {

class OutcomeHost final : public RunHost {
public:
    OutcomeHost(sim::VirtualClock& clock, Outcome& outcome) : clock_(clock), outcome_(outcome) {}
    void print(std::string_view line) override { outcome_.lines.emplace_back(line); }
    void report(std::string_view line) override { outcome_.errors.emplace_back(line); }
    [[nodiscard]] Instant time() noexcept override { return clock_.peek(); }
    [[nodiscard]] Instant read_clock() override {
        clock_.advance(std::chrono::microseconds(1));
        return clock_.peek();
    }
    // A millisecond passes with each look: a limit of time counts safepoints.
    [[nodiscard]] Instant real_time() override {
        return Instant() + std::chrono::milliseconds(++look_count_);
    }

private:
    int look_count_ = 0;
    sim::VirtualClock& clock_;
    Outcome& outcome_;
};

}  // namespace

Outcome run_machine(const Lowered& lowered, MachineOptions options, RunReport* report) {
    Outcome outcome;
    sim::VirtualClock clock;
    const Instant started = clock.peek();
    sim::SimPlatform platform(clock);
    OutcomeHost host(clock, outcome);
    const auto main = [&]() -> gyre::Future<int> {
        const int exit_code = co_await run_program(lowered, host, options, {}, report);
        co_return exit_code;
    };
    outcome.exit_code = gyre::run(platform, main).exit_code();
    const Duration passed = clock.peek() - started;
    outcome.ended_at_ms = std::chrono::duration_cast<std::chrono::milliseconds>(passed).count();
    return outcome;
}

}  // namespace gyre::vela
