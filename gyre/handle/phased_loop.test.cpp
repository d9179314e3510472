// SPDX-License-Identifier: Apache-2.0
// PhasedLoop: liveness, stop, embedding, several loops, op kinds of the host and metrics.
#include "gyre/handle/phased_loop.hpp"

#include <poll.h>

#include <thread>

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

GYRE_HANDLES_EVERYWHERE(OnePhasedLoop);

constexpr auto nothing = [](auto&) {};

// ---- Liveness ----

// clause: L02
TEST_P(OnePhasedLoop, is_alive_with_an_active_referenced_handle_a_request_or_a_closing_handle) {
    EXPECT_FALSE(loop.is_alive());
    EXPECT_FALSE(loop.run());

    test::Live<Timer> timer(loop);
    EXPECT_FALSE(loop.is_alive());
    timer->start(nothing, 1h);
    EXPECT_TRUE(loop.is_alive());
    timer->unref();
    EXPECT_FALSE(loop.is_alive());
    timer->ref();
    timer->stop();
    EXPECT_FALSE(loop.is_alive());

    Deferred request;
    request.start(loop, nothing);
    EXPECT_TRUE(loop.is_alive());
    EXPECT_EQ(loop.active_request_count(), 1u);
    EXPECT_FALSE(loop.run());

    timer->close();
    EXPECT_TRUE(loop.is_alive());
    EXPECT_EQ(loop.closing_handle_count(), 1u);
    EXPECT_EQ(loop.active_handle_count(), 0u);
    EXPECT_FALSE(loop.run());
}

// clause: L02
TEST_P(OnePhasedLoop, that_is_not_alive_exits_at_once_and_runs_nothing) {
    int calls = 0;
    test::Live<Prepare> prepare(loop);
    prepare->start([&](Prepare&) { ++calls; });
    prepare->unref();
    test::Live<Timer> due(loop);
    due->start([&](Timer&) { ++calls; }, 0ms);
    due->unref();
    for (const RunMode mode : {RunMode::until_done, RunMode::once, RunMode::no_wait}) {
        EXPECT_FALSE(loop.run(mode));
        EXPECT_EQ(calls, 0);
    }
}

// clause: L02 L03
TEST_P(OnePhasedLoop, is_not_kept_by_a_handle_that_lost_its_reference_before_its_start) {
    test::Live<Timer> timer(loop);
    timer->unref();
    timer->start(nothing, 1h);
    EXPECT_TRUE(timer->is_active());
    EXPECT_FALSE(loop.is_alive());
    timer->stop();
    EXPECT_EQ(loop.active_handle_count(), 0u);
    timer->ref();
    EXPECT_FALSE(loop.is_alive());
    timer->start(nothing, 1h);
    EXPECT_TRUE(loop.is_alive());
}

// clause: L03
TEST_P(OnePhasedLoop, counts_a_reference_once_however_often_it_is_given_or_taken) {
    test::Live<Timer> timer(loop);
    timer->start(nothing, 1h);
    timer->unref();
    timer->unref();
    EXPECT_FALSE(timer->has_ref());
    EXPECT_FALSE(loop.is_alive());
    timer->ref();
    timer->ref();
    EXPECT_TRUE(timer->has_ref());
    EXPECT_EQ(loop.active_handle_count(), 1u);
    timer->unref();
    EXPECT_EQ(loop.active_handle_count(), 0u);
    EXPECT_FALSE(loop.run());
    timer->ref();
}

TEST_P(OnePhasedLoop, says_what_keeps_it_alive_and_where_that_was_made) {
    Timer timer(loop);
    const auto line = std::source_location::current().line() - 1;
    timer.start(nothing, 1h);
    Timer silent(loop);
    silent.start(nothing, 1h);
    silent.unref();
    Deferred request;
    request.start(loop, nothing);
    Timer closing(loop);
    closing.close();
    const auto reasons = loop.alive_reasons();
    ASSERT_EQ(reasons.size(), 3u);
    EXPECT_EQ(reasons[0].why, AliveReason::Why::active_handle);
    EXPECT_STREQ(reasons[0].kind, "timer");
    EXPECT_EQ(reasons[0].made_at.line(), line);
    EXPECT_NE(reasons[0].to_string().find("phased_loop.test.cpp:"), std::string::npos);
    EXPECT_EQ(reasons[1].why, AliveReason::Why::active_request);
    EXPECT_STREQ(reasons[1].kind, "deferred");
    EXPECT_EQ(reasons[2].why, AliveReason::Why::closing_handle);
    timer.close();
    silent.close();
    loop.run();
}

// ---- Stop ----

// clause: L06 L22
TEST_P(OnePhasedLoop, stops_at_the_end_of_the_iteration_whose_other_phases_still_run) {
    std::string trace;
    test::Live<Prepare> prepare(loop);
    test::Live<Check> check(loop);
    test::Live<Timer> timer(loop);
    test::Live<Timer> closed(loop);
    prepare->start([&](Prepare&) {
        trace += "prepare ";
        loop.stop();
        closed->close([&](Handle&) { trace += "close "; });  // The first time.
    });
    check->start([&](Check&) { trace += "check "; });
    timer->start([&](Timer&) { trace += "timer "; }, 0ms, 1h);
    EXPECT_TRUE(loop.run(RunMode::once));
    EXPECT_EQ(trace, "prepare check close timer ");
    EXPECT_TRUE(loop.run());
    EXPECT_EQ(trace, "prepare check close timer prepare check ");
}

// clause: L22
TEST_P(OnePhasedLoop, skips_one_run_when_it_was_stopped_before) {
    int calls = 0;
    test::Live<Idle> idle(loop);
    idle->start([&](Idle&) { ++calls; });
    loop.stop();
    EXPECT_TRUE(loop.run());
    EXPECT_EQ(calls, 0);
    loop.run(RunMode::once);
    EXPECT_EQ(calls, 1);
}

GYRE_HANDLES_FOR_REAL(RealPhasedLoop);

// clause: L22
TEST_P(RealPhasedLoop, is_woken_from_its_wait_by_a_stop_of_another_thread) {
    test::Live<Async> never(loop);
    never->start(nothing);
    std::thread other([this] { EXPECT_TRUE(loop.stop().get()); });
    EXPECT_TRUE(loop.run());
    other.join();
}

// ---- Inside another loop ----

bool is_ready(Fd fd, int timeout_ms) {
    pollfd query{fd, POLLIN, 0};
    return ::poll(&query, 1, timeout_ms) > 0;
}

TEST_P(RealPhasedLoop, can_be_waited_for_through_its_descriptor) {
    if (loop.backend_fd() < 0) GTEST_SKIP() << "skipped: this platform has no backend descriptor";
    int sent = 0;
    test::Live<Async> async(loop);
    async->start([&](Async&) { ++sent; });
    loop.run(RunMode::no_wait);
    EXPECT_EQ(loop.next_timeout(), std::nullopt);
    EXPECT_FALSE(is_ready(loop.backend_fd(), 0));
    for (int i = 1; i <= 100; ++i) {
        std::thread other([&async] { async->send(); });
        EXPECT_TRUE(is_ready(loop.backend_fd(), 10'000));
        while (sent < i) loop.run(RunMode::no_wait);
        other.join();
        EXPECT_EQ(sent, i);
        EXPECT_EQ(loop.next_timeout(), std::nullopt);
    }
}

TEST_P(RealPhasedLoop, makes_progress_when_its_descriptor_is_readable) {
    if (loop.backend_fd() < 0) GTEST_SKIP() << "skipped: this platform has no backend descriptor";
    const auto pair = loop.sockets().connection_pair().value();
    int told = 0;
    test::Live<FdPoll> poll(loop, pair[0]);
    poll->start(Events::readable, [&](FdPoll&, Result<Events>) {
        char byte = 0;
        EXPECT_EQ(::read(pair[0], &byte, 1), 1);
        ++told;
    });
    while (loop.next_timeout() == Duration(0)) loop.run(RunMode::no_wait);
    for (int i = 1; i <= 100; ++i) {
        EXPECT_EQ(::write(pair[1], "x", 1), 1);
        EXPECT_TRUE(is_ready(loop.backend_fd(), 10'000));
        loop.run(RunMode::no_wait);
        EXPECT_EQ(told, i);
        while (loop.next_timeout() == Duration(0)) loop.run(RunMode::no_wait);
    }
    poll->close();
    loop.run();
    loop.sockets().close_now(pair[0]);
    loop.sockets().close_now(pair[1]);
}

// ---- Several loops ----

// clause: L16
TEST_P(RealPhasedLoop, is_isolated_from_the_loops_of_other_threads) {
    constexpr int thread_count = 3;
    std::vector<std::thread> threads;
    for (int n = 0; n < thread_count; ++n) {
        threads.emplace_back([name = GetParam()] {
            HandleWorld own(name, 1);
            int ticks = 0;
            const auto here = std::this_thread::get_id();
            test::Live<Timer> timer(own.loop());
            timer->start(
                [&](Timer& self) {
                    EXPECT_EQ(std::this_thread::get_id(), here);
                    if (++ticks == 20) {
                        own.loop().stop();
                        self.stop();
                    }
                },
                0ms, 1us);
            own.loop().run();
            EXPECT_EQ(ticks, 20);
            EXPECT_FALSE(own.loop().is_alive());
        });
    }
    test::Live<Timer> mine(loop);
    mine->start(nothing, 1h);
    EXPECT_TRUE(loop.run(RunMode::no_wait));  // The others' stops are not this one's.
    for (std::thread& thread : threads) thread.join();
    EXPECT_TRUE(loop.run(RunMode::no_wait));
    EXPECT_TRUE(mine->is_active());
}

// clause: L16
TEST_P(RealPhasedLoop, that_is_stopped_and_has_a_timer_due_is_no_matter_to_another_thread) {
    int mine = 0;
    test::Live<Timer> timer(loop);
    timer->start([&](Timer&) { ++mine; }, 0ms);
    loop.stop();
    const Instant now = loop.now();
    std::thread other([name = GetParam()] {
        HandleWorld own(name, 1);
        EXPECT_FALSE(own.loop().is_alive());
        int theirs = 0;
        test::Live<Idle> idle(own.loop());
        idle->start([&](Idle& self) {
            if (++theirs == 3) self.stop();
        });
        EXPECT_EQ(own.loop().active_handle_count(), 1u);
        EXPECT_FALSE(own.loop().run());
        EXPECT_EQ(theirs, 3);
    });
    other.join();
    EXPECT_EQ(mine, 0);
    EXPECT_EQ(loop.now(), now);
    EXPECT_TRUE(loop.run());  // Its own stop is still there.
    EXPECT_EQ(mine, 0);
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(mine, 1);
}

TEST_P(RealPhasedLoop, can_be_made_on_one_thread_and_run_on_another) {
    int calls = 0;
    std::thread other([&] {
        loop.adopt();
        test::Live<Timer> timer(loop);
        timer->start([&](Timer&) { ++calls; }, 0ms);
        loop.run();
        timer->close();
        loop.run();
    });
    other.join();
    loop.adopt();
    EXPECT_EQ(calls, 1);
}

// ---- Operation kinds of the host's own ----

// clause: L23
TEST_P(OnePhasedLoop, carries_operation_kinds_of_the_hosts_own) {
    test::TestMachine server("server");
    loop.add_server(server);
    server.on_submission = [&](Op& op) {
        auto& custom = static_cast<test::CustomOp&>(op);
        if (custom.value == 0) {
            server.held.push_back(&op);
        } else {
            server.complete(op, custom.value * 2);
        }
    };
    test::CustomOp doubled;
    doubled.value = 21;
    doubled.set_destination(server.ref());
    test::CustomOp endless;
    endless.set_destination(server.ref());
    std::vector<std::int32_t> results;
    OpRequest first;
    OpRequest second;
    const auto note = [&](OpRequest&, std::int32_t result) { results.push_back(result); };
    ASSERT_TRUE(first.start(loop, doubled, note));
    ASSERT_TRUE(second.start(loop, endless, note));
    EXPECT_FALSE(second.start(loop, endless, note));
    EXPECT_EQ(loop.active_request_count(), 2u);
    while (results.empty()) loop.run(RunMode::once);
    EXPECT_TRUE(second.cancel());
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(results, (std::vector<std::int32_t>{42, failure(std::errc::operation_canceled)}));
    EXPECT_FALSE(second.cancel());
    loop.remove_server(server);
}

// ---- Closing the loop, metrics ----

TEST_P(OnePhasedLoop, cannot_be_closed_while_a_handle_is_open) {
    test::Live<Timer> timer(loop);
    timer->start(nothing, 0ms);
    EXPECT_EQ(loop.close().error().code(), std::errc::device_or_resource_busy);
    loop.run();
    EXPECT_FALSE(loop.close().has_value());
    timer->close();
    EXPECT_FALSE(loop.close().has_value());
    loop.run();
    EXPECT_TRUE(loop.close().has_value());
}

TEST_P(OnePhasedLoop, counts_iterations_and_events) {
    test::Live<Async> async(loop);
    async->start(nothing);
    EXPECT_EQ(loop.metrics().iterations(), 0u);
    async->send();
    loop.run(RunMode::once);
    EXPECT_EQ(loop.metrics().iterations(), 1u);
    EXPECT_EQ(loop.metrics().events(), 1u);
    loop.run(RunMode::no_wait);
    EXPECT_EQ(loop.metrics().iterations(), 2u);
    EXPECT_EQ(loop.metrics().events(), 1u);
}

TEST(LoopMetrics, tell_how_long_the_loop_has_waited) {
    HandleWorld world;
    test::Live<Timer> timer(world.loop());
    timer->start([&](Timer&) { world.virtual_clock.advance(3ms); }, 40ms);
    world.loop().run();
    EXPECT_EQ(world.loop().metrics().idle_time(world.virtual_clock.peek()), 40ms);
}

TEST_P(RealPhasedLoop, tells_its_idle_time_to_another_thread_while_it_waits) {
    test::Live<Async> async(loop);
    async->start([this](Async&) { loop.stop(); });
    std::thread other([&] {
        while (loop.metrics().idle_time(world.platform().now()) == Duration(0)) {
            std::this_thread::yield();
        }
        async->send();
    });
    loop.run();
    other.join();
    EXPECT_GT(loop.metrics().idle_time(loop.now()), Duration(0));
}

}  // namespace
}  // namespace gyre::handle
