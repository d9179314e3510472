// SPDX-License-Identifier: Apache-2.0
// Traces of loops on several threads, in real time.
#include <gtest/gtest.h>

#include <array>

#include "gyre/app/runtime.hpp"
#include "gyre/platform/internal/epoll/epoll.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/trace/chrome_events.test.hpp"
#include "gyre/trace/internal/ring.hpp"
#include "tests/support/test_clock.hpp"

namespace gyre::trace {
namespace {

struct BallOp : Request {
    BallOp() : Request(OpCode::first_custom) {}
    CancelOp cancel_message;
};

// Submits ops to the other loop, and completes those that it gets.
class Player final : public Machine {
public:
    Player() noexcept : Machine("player") {}
    void play(Runtime& runtime, MachineRef other) {
        runtime_ = &runtime;
        for (BallOp& ball : balls_) {
            ball.set_destination(other);
            submit(ball);
        }
    }

private:
    static constexpr int throws_max = 1000;

    void tick(Instant /*now*/) override {
        while (Op* op = next_submission()) complete(*op, 0);
        while (Op* op = next_cancellation()) complete(*op, 0);
        while (Op* op = next_completion()) {
            if (is_closing_) continue;
            if (++throws_ == throws_max) runtime_->stop();
            submit(*op);
        }
    }
    void on_close() override {
        is_closing_ = true;
        for (BallOp& ball : balls_) cancel(ball, &ball.cancel_message);
    }

    Runtime* runtime_ = nullptr;
    std::array<BallOp, 3> balls_;
    int throws_ = 0;
    bool is_closing_ = false;
};

// Runs two loops that exchange ops, under the trace.
void play(Trace& trace, Clock& clock) {
    RuntimeOptions options;
    Runtime* running = nullptr;
    options.loop_count = 2;
    options.make_platform = [&clock](ThreadId) -> Result<std::unique_ptr<Platform>> {
        auto made = platform::EpollPlatform::make(clock);
        if (!made) return std::unexpected(made.error());
        return std::move(*made);
    };
    options.make_app = [](ThreadId) { return std::make_unique<Player>(); };
    options.observer_of = [&trace](ThreadId thread) -> Observer* {
        return &trace.add_loop({.loop = "loop " + std::to_string(thread)});
    };
    options.on_started = [&running](Runtime&, Loop& loop, Machine& app) {
        static_cast<Player&>(app).play(*running, running->app_ref(3 - loop.thread_id()));
    };
    Runtime runtime(std::move(options));
    running = &runtime;
    ASSERT_TRUE(runtime.start());
    runtime.join();
}

TEST(ThreadTrace, every_flow_between_two_threads_has_its_end) {
    platform::SystemClock clock;
    Trace trace({.clock = &clock});
    play(trace, clock);
    const ChromeEvents events(chrome_json(trace));
    EXPECT_GT(events.expect_whole_flows(), 1000u);
    EXPECT_EQ(events.rows_named("loop 1").size(), 1u);
    EXPECT_EQ(events.rows_named("loop 2").size(), 1u);
}

TEST(ThreadTrace, a_small_ring_of_each_thread_keeps_whole_flows_too) {
    platform::SystemClock clock;
    Trace trace({.clock = &clock, .limits = {.event_count_max = 256}});
    play(trace, clock);
    for (const Ring& ring : trace.rings()) EXPECT_GT(ring.lost_count(), 256u);
    EXPECT_GT(ChromeEvents(chrome_json(trace)).expect_whole_flows(), 0u);
}

TEST(ThreadTrace, the_counter_follows_the_clock_also_where_a_thread_loses_its_core) {
    for (const Duration lost : {Duration(0), Duration(std::chrono::milliseconds(20))}) {
        platform::SystemClock clock;
        const auto wait_until = [&clock](Instant end) {
            while (clock.now() < end) continue;
        };
        // Every third reading takes long, as if its thread were preempted.
        test::TestClock interrupted(clock);
        interrupted.on_read = [&, reading_count = 0](Instant read) mutable {
            if (reading_count++ % 3 == 0) wait_until(read + lost);
        };
        Timestamps stamps(&interrupted, {});
        const Instant before = clock.now();
        const std::uint64_t stamp = stamps.next({});
        const Instant after = clock.now();
        wait_until(after + std::chrono::milliseconds(5));
        const std::uint64_t ns = stamps.scale().ns_of(stamp);
        // Half of the delay above: only the undisturbed readings count.
        constexpr std::uint64_t accuracy_ns = 10'000'000;
        EXPECT_GT(ns + accuracy_ns, before.nanoseconds());
        EXPECT_LT(ns, after.nanoseconds() + accuracy_ns);
    }
}

}  // namespace
}  // namespace gyre::trace
