// SPDX-License-Identifier: Apache-2.0
// The cached time of a PhasedLoop, and how long an iteration may wait.
#include "gyre/handle/phased_loop.hpp"

#include "gyre/handle/async.hpp"
#include "gyre/handle/fd_poll.hpp"
#include "gyre/handle/hook.hpp"
#include "gyre/handle/request.hpp"
#include "gyre/handle/timer.hpp"
#include "tests/support/handle_world.hpp"
#include "tests/support/test_machine.hpp"

namespace gyre::handle {
namespace {

using namespace std::chrono_literals;
using test::HandleWorld;

constexpr auto nothing = [](auto&) {};

// ---- Time ----

// clause: L01
TEST(LoopTime, stands_still_in_an_iteration_until_it_is_updated) {
    HandleWorld world;
    PhasedLoop& loop = world.loop();
    test::Live<Timer> timer(loop);
    Instant before;
    Instant after_work;
    Instant updated;
    timer->start(
        [&](Timer&) {
            before = loop.now();
            world.virtual_clock.advance(7ms);
            after_work = loop.now();
            loop.update_now();
            updated = loop.now();
        },
        1ms);
    loop.run();
    EXPECT_EQ(after_work, before);
    EXPECT_EQ(updated, before + 7ms);
}

// clause: L26
TEST(LoopTime, is_taken_after_the_wait_for_the_callbacks_of_ops) {
    HandleWorld world;
    PhasedLoop& loop = world.loop();
    Work work(loop);  // takes some virtual time
    test::Live<Timer> timer(loop);
    Instant called;
    Instant present;
    Instant fired;
    const Instant start = loop.now();
    work.queue([] {},
               [&](Work&, Status) {
                   called = loop.now();
                   present = world.platform().now();
                   timer->start([&](Timer&) { fired = loop.now(); }, 1s);
               });
    loop.run();
    EXPECT_GT(called, start);
    EXPECT_EQ(called, present);
    EXPECT_EQ(fired, called + 1s);
}

// clause: L01
TEST(LoopTime, is_taken_anew_by_each_iteration) {
    HandleWorld world;
    PhasedLoop& loop = world.loop();
    test::Live<Idle> idle(loop);
    std::vector<Instant> seen;
    idle->start([&](Idle&) {
        seen.push_back(loop.now());
        world.virtual_clock.advance(1ms);
        if (seen.size() == 3) loop.stop();
    });
    loop.run();
    ASSERT_EQ(seen.size(), 3u);
    EXPECT_EQ(seen[1], seen[0] + 1ms);
    EXPECT_EQ(seen[2], seen[1] + 1ms);
}

// clause: L01
TEST(LoopTime, is_the_same_for_all_callbacks_from_one_update_to_the_next) {
    HandleWorld world;
    PhasedLoop& loop = world.loop();
    std::vector<Instant> seen;
    // Each takes its time.
    const auto note = [&] {
        seen.push_back(loop.now());
        world.virtual_clock.advance(1ms);
    };
    const Instant start = loop.now();
    Deferred pending;
    Deferred also_pending;
    test::Live<Idle> idle(loop);
    test::Live<Prepare> prepare(loop);
    test::Live<Async> async(loop);
    test::Live<Check> check(loop);
    test::Live<Timer> closed(loop);
    test::Live<Timer> first(loop);
    test::Live<Timer> second(loop);
    pending.start(loop, [&](Deferred&) { note(); });
    also_pending.start(loop, [&](Deferred&) { note(); });
    idle->start([&](Idle&) { note(); });
    prepare->start([&](Prepare&) { note(); });
    async->start([&](Async&) { note(); });
    async->send();
    check->start([&](Check&) { note(); });
    closed->close([&](Handle&) { note(); });
    first->start([&](Timer&) { note(); }, 0ms);
    second->start([&](Timer&) { note(); }, 0ms);
    loop.run(RunMode::no_wait);
    std::vector<Instant> expected(4, start);
    expected.insert(expected.end(), 3, start + 4ms);  // The wait is followed by an update,
    expected.insert(expected.end(), 2, start + 7ms);  // and the timers come after another one.
    EXPECT_EQ(seen, expected);
}

// clause: L01 L15
TEST(LoopTime, is_taken_anew_before_the_timers_with_which_a_run_begins) {
    HandleWorld world;
    PhasedLoop& loop = world.loop();
    std::string trace;
    test::Live<Timer> timer(loop);
    test::Live<Idle> idle(loop);
    timer->start([&](Timer&) { trace += "timer "; }, 5ms);
    idle->start([&](Idle&) {
        trace += "idle ";
        loop.stop();
    });
    world.virtual_clock.advance(5ms);
    loop.run();
    EXPECT_EQ(trace, "timer idle ");
}

TEST(LoopTime, of_a_dead_loop_is_still_updated_by_a_run) {
    HandleWorld world;
    const Instant before = world.loop().now();
    world.virtual_clock.advance(5ms);
    EXPECT_FALSE(world.loop().run(RunMode::no_wait));
    EXPECT_EQ(world.loop().now(), before + 5ms);
}

// ---- How long the wait may last ----

// clause: L07
TEST(Timeout, is_zero_while_an_operation_marked_do_not_wait_is_outstanding) {
    HandleWorld world;
    test::TestMachine server("server");
    world.loop().add_server(server);
    test::CustomOp op;
    op.set_destination(server.ref());
    OpRequest request;
    request.set_do_not_wait(true);
    test::Live<Timer> far(world.loop());
    far->start(nothing, 1h);
    ASSERT_TRUE(request.start(world.loop(), op, [](OpRequest&, std::int32_t) {}));
    const Instant before = world.virtual_clock.peek();
    for (int i = 0; i < 3; ++i) world.loop().run(RunMode::once);
    EXPECT_EQ(world.virtual_clock.peek(), before);
    EXPECT_EQ(world.loop().next_timeout(), Duration(0));
    ASSERT_EQ(server.held.size(), 1u);
    server.finish(op, 0);
    world.loop().run(RunMode::once);
    EXPECT_EQ(world.loop().active_request_count(), 0u);
    EXPECT_EQ(world.loop().next_timeout(), 1h);
    world.loop().remove_server(server);
}

// clause: L08
TEST(Timeout, is_zero_while_the_loop_is_stopping) {
    HandleWorld world;
    test::Live<Timer> timer(world.loop());
    timer->start(nothing, 1h);
    EXPECT_EQ(world.loop().next_timeout(), 1h);
    world.loop().stop();
    EXPECT_EQ(world.loop().next_timeout(), Duration(0));
    world.loop().run();
    EXPECT_EQ(world.loop().next_timeout(), 1h);
}

// clause: L08
TEST(Timeout, is_zero_in_the_iteration_that_is_told_to_stop) {
    HandleWorld world;
    test::Live<Timer> timer(world.loop());
    timer->start([](Timer&) { FAIL(); }, 1h);
    test::Live<Prepare> prepare(world.loop());
    prepare->start([&](Prepare&) { world.loop().stop(); });
    const Instant before = world.virtual_clock.peek();
    for (const RunMode mode : {RunMode::until_done, RunMode::once}) {
        EXPECT_TRUE(world.loop().run(mode));
        EXPECT_EQ(world.virtual_clock.peek(), before);
    }
}

// clause: L09
TEST(Timeout, is_zero_without_active_handles_or_requests) {
    HandleWorld world;
    EXPECT_EQ(world.loop().next_timeout(), Duration(0));
    test::Live<Timer> timer(world.loop());
    timer->start(nothing, 1h);
    timer->unref();
    EXPECT_EQ(world.loop().next_timeout(), Duration(0));
    timer->ref();
    EXPECT_EQ(world.loop().next_timeout(), 1h);

    // Only an unreferenced timer is left when the wait begins.
    timer->unref();
    test::Live<Prepare> prepare(world.loop());
    prepare->start([](Prepare& self) { self.stop(); });
    const Instant before = world.virtual_clock.peek();
    EXPECT_FALSE(world.loop().run());
    EXPECT_EQ(world.virtual_clock.peek(), before);
}

// clause: L10
TEST(Timeout, is_zero_while_an_idle_hook_is_active) {
    HandleWorld world;
    test::Live<Timer> timer(world.loop());
    timer->start(nothing, 1h);
    test::Live<Idle> idle(world.loop());
    const Instant before = world.virtual_clock.peek();
    idle->start(nothing);
    EXPECT_EQ(world.loop().next_timeout(), Duration(0));
    idle->stop();
    EXPECT_EQ(world.loop().next_timeout(), 1h);

    int calls = 0;
    idle->start([&](Idle& self) {
        if (++calls == 3) self.stop();
    });
    test::Live<Check> check(world.loop());
    check->start([&](Check&) {
        EXPECT_EQ(world.virtual_clock.peek(), before);
        if (calls == 2) world.loop().stop();
    });
    world.loop().run();
    EXPECT_EQ(calls, 2);
}

// clause: L11
TEST(Timeout, is_zero_while_a_handle_is_pending_close) {
    HandleWorld world;
    test::Live<Timer> timer(world.loop());
    timer->start(nothing, 1h);
    test::Live<Timer> other(world.loop());
    other->close();
    EXPECT_EQ(world.loop().next_timeout(), Duration(0));
    world.loop().run(RunMode::once);
    EXPECT_EQ(world.loop().next_timeout(), 1h);
}

// clause: L12
TEST(Timeout, is_the_distance_of_the_nearest_timer_or_without_limit) {
    HandleWorld world;
    test::Live<Async> async(world.loop());
    async->start(nothing);
    EXPECT_EQ(world.loop().next_timeout(), std::nullopt);
    test::Live<Timer> far(world.loop());
    far->start(nothing, 2h);
    EXPECT_EQ(world.loop().next_timeout(), 2h);
    test::Live<Timer> near(world.loop());
    near->start(nothing, 3ms);
    EXPECT_EQ(world.loop().next_timeout(), 3ms);
    world.virtual_clock.advance(1ms);
    world.loop().update_now();
    EXPECT_EQ(world.loop().next_timeout(), 2ms);
    world.virtual_clock.advance(1h);
    world.loop().update_now();
    EXPECT_EQ(world.loop().next_timeout(), Duration(0));
}

// clause: L12
TEST(Timeout, counts_timers_without_a_reference_and_those_a_callback_has_just_started) {
    HandleWorld world;
    test::Live<Timer> far(world.loop());
    far->start(nothing, 100'000h);
    EXPECT_EQ(world.loop().next_timeout(), 100'000h);
    std::optional<Duration> told;
    test::Live<Timer> near(world.loop());
    near->start(
        [&](Timer& self) {
            self.start(nothing, 7ms);
            told = world.loop().next_timeout();
        },
        3'000'001ns);
    near->unref();
    EXPECT_EQ(world.loop().next_timeout(), 3'000'001ns);
    world.loop().run(RunMode::once);
    EXPECT_EQ(told, 7ms);
}

// clause: L12
TEST(Timeout, is_zero_in_the_callback_of_a_timer_while_another_is_due) {
    HandleWorld world;
    std::vector<std::optional<Duration>> told;
    const auto ask = [&](Timer&) { told.push_back(world.loop().next_timeout()); };
    test::Live<Timer> far(world.loop());
    far->start(nothing, 1h);
    test::Live<Timer> first(world.loop());
    test::Live<Timer> second(world.loop());
    first->start(ask, 1ms);
    second->start(ask, 1ms);
    world.loop().run(RunMode::once);
    EXPECT_EQ(told, (std::vector<std::optional<Duration>>{Duration(0), 1h - 1ms}));
}

// clause: L13
TEST(Timeout, is_how_long_the_one_wait_of_an_iteration_lasts_at_most) {
    HandleWorld world;
    test::Live<Timer> timer(world.loop());
    timer->start(nothing, 25ms);
    const Instant before = world.virtual_clock.peek();
    world.loop().run(RunMode::no_wait);
    EXPECT_EQ(world.virtual_clock.peek(), before);
    world.loop().run(RunMode::once);
    EXPECT_EQ(world.virtual_clock.peek(), before + 25ms);
}

TEST(Timeout, is_exact_although_many_timers_share_a_moment) {
    HandleWorld world;
    std::vector<std::unique_ptr<Timer>> timers;
    int fired = 0;
    for (int i = 0; i < 1000; ++i) {
        timers.push_back(std::make_unique<Timer>(world.loop()));
        timers.back()->start([&](Timer&) { ++fired; }, 10s + i * 1us);
    }
    int iterations = 0;
    test::Live<Prepare> count(world.loop());
    count->start([&](Prepare&) { ++iterations; });
    count->unref();
    world.loop().run(RunMode::once);
    EXPECT_EQ(fired, 1);
    EXPECT_EQ(iterations, 1);
    for (auto& timer : timers) timer->close();
    world.loop().run();
}

TEST(LoopMetrics, leave_out_what_callbacks_take_before_a_wait) {
    HandleWorld world;
    const Instant start = world.virtual_clock.peek();
    Duration taken{0};
    const auto take = [&](Duration time) {
        world.virtual_clock.advance(time);
        taken += time;
    };
    const auto idle_time = [&] {
        return world.loop().metrics().idle_time(world.virtual_clock.peek());
    };
    const auto passed = [&] { return world.virtual_clock.peek() - start; };
    test::Live<Timer> timer(world.loop());
    test::Live<Prepare> prepare(world.loop());
    int left = 5;
    const auto fire = [&](Timer&) {
        take(3ms);
        if (--left > 0) return;
        timer->stop();
        prepare->stop();
    };
    timer->start(fire, 10ms, 10ms);
    world.loop().run();
    EXPECT_EQ(taken, 15ms);
    EXPECT_EQ(idle_time(), passed() - taken);
    left = 5;
    timer->start(fire, 10ms, 10ms);
    prepare->start([&](Prepare&) { take(2ms); });
    world.loop().run();
    EXPECT_GT(taken, 30ms);
    EXPECT_EQ(idle_time(), passed() - taken);
}

}  // namespace
}  // namespace gyre::handle
