// SPDX-License-Identifier: Apache-2.0
// The time that a Vela program without an end takes beside a C++ task that computes for long before it yields: a clock that
// only these two move tells how long each ran.
#include <gtest/gtest.h>

#include <memory>

#include "gyre/task/core/scope.hpp"
#include "gyre/task/core/sleep.hpp"
#include "lang/vela/check/check.hpp"
#include "lang/vela/run/run.hpp"
#include "tests/support/timed_platform.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

constexpr const char* vela_text = R"(fn main() -> void {
  state n = 0
  while true {
    n += 1
    if n % 1000 == 0 { print("step") }
  }
}
)";
constexpr Duration line_time = 10us;  // of the Vela program, for each line that it prints

class TimedVela final : public vela::RunHost {
public:
    explicit TimedVela(sim::VirtualClock& clock) : clock_(clock) {}
    void print(std::string_view /*line*/) override {
        clock_.advance(line_time);
        spent += line_time;
    }
    void report(std::string_view /*line*/) override {}
    [[nodiscard]] Instant time() noexcept override { return clock_.peek(); }
    [[nodiscard]] Instant real_time() override { return is_over ? Instant::never() : Instant(); }

    Duration spent{0};
    bool is_over = false;

private:
    sim::VirtualClock& clock_;
};

Future<void> compute(sim::VirtualClock* clock, Duration each, Duration* spent,
                     const bool* is_over) {
    while (!*is_over) {
        clock->advance(each);
        *spent += each;
        co_await yield();
    }
}

// Vela's part of the time of fifty turns, in percent.
double share_beside(Duration each) {
    sim::VirtualClock clock;
    test::TimedPlatform platform(clock);
    Executor executor;
    Loop loop(platform, executor, {.spin_max = Duration(0)});
    vela::SourceTable no_files;
    const auto checked = vela::check("loop.vela", vela_text, no_files);
    const auto lowered = vela::lower(*checked);
    TimedVela outside(clock);
    Duration cpp_spent{0};
    vela::MachineOptions options;
    options.time_max = 1s;  // the clock of the limit is real_time
    executor.root().spawn(vela::run_program(*lowered, outside, options));
    executor.root().spawn(compute(&clock, each, &cpp_spent, &outside.is_over));
    for (int turn = 0; turn < 5; ++turn)
        loop.turn();  // Until the first clock readings tasks count as quick.
    outside.spent = cpp_spent = Duration(0);
    for (int turn = 0; turn < 50; ++turn) loop.turn();
    const auto own = static_cast<double>(outside.spent.count());
    const double share = 100.0 * own / (own + static_cast<double>(cpp_spent.count()));
    outside.is_over = true;
    while (executor.task_count() > 0) loop.turn();
    loop.close();
    return share;
}

TEST(VelaShare, is_no_smaller_beside_a_task_that_computes_for_long_before_it_yields) {
    for (const Duration each : {Duration(10us), Duration(100us), Duration(1ms)}) {
        const double share = share_beside(each);
        EXPECT_GE(share, 35.0) << each.count() << " ns";
        EXPECT_LE(share, 65.0) << each.count() << " ns";
    }
}

}  // namespace
}  // namespace gyre
