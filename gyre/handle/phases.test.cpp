// SPDX-License-Identifier: Apache-2.0
// The order of the phases as a table: the callbacks of one iteration in each run mode.
#include <functional>

#include "gyre/handle/async.hpp"
#include "gyre/handle/hook.hpp"
#include "gyre/handle/request.hpp"
#include "gyre/handle/timer.hpp"
#include "tests/support/handle_world.hpp"

namespace gyre::handle {
namespace {

using namespace std::chrono_literals;

GYRE_HANDLES_EVERYWHERE(Phases);

// One of everything that is ready at once; each writes its name.
struct Band {
    explicit Band(PhasedLoop& at)
        : loop(at), timer(at), idle(at), prepare(at), check(at), async(at), closing(at) {
        timer.start([this](Timer&) { trace += "timer "; }, 0ms, 1h);
        idle.start([this](Idle&) { trace += "idle "; });
        prepare.start([this](Prepare&) { trace += "prepare "; });
        check.start([this](Check&) { trace += "check "; });
        async.start([this](Async&) { trace += "wait "; });
        async.send();
        pending.start(at, [this](Deferred&) { trace += "pending "; });
        closing.close([this](Handle&) { trace += "close "; });
    }
    ~Band() {
        for (Handle* handle :
             std::initializer_list<Handle*>{&timer, &idle, &prepare, &check, &async}) {
            handle->close();
        }
        loop.run();
    }

    PhasedLoop& loop;
    std::string trace;
    Timer timer;
    Idle idle;
    Prepare prepare;
    Check check;
    Async async;
    Timer closing;
    Deferred pending;
};

struct Row {
    RunMode mode;
    const char* trace;
};

// clause: L04 L05 L06 L14 L15
TEST_P(Phases, run_in_the_order_of_the_table) {
    const Row rows[] = {
        {RunMode::once, "pending idle prepare wait check close timer "},
        {RunMode::no_wait, "pending idle prepare wait check close timer "},
    };
    for (const Row& row : rows) {
        Band band(loop);
        loop.run(row.mode);
        EXPECT_EQ(band.trace, row.trace);
    }
}

// clause: L06 L15
TEST_P(Phases, default_mode_runs_due_timers_once_before_the_first_iteration) {
    Band band(loop);
    test::Live<Check> last(loop);
    last->start([this](Check&) { loop.stop(); });
    loop.run();
    EXPECT_EQ(band.trace, "timer pending idle prepare wait check close ");
    last->close();
    loop.run(RunMode::no_wait);
}

// clause: L15
TEST_P(Phases, default_mode_goes_on_until_it_is_stopped_or_nothing_is_alive) {
    int idles = 0;
    test::Live<Idle> idle(loop);
    idle->start([&](Idle& self) {
        if (++idles == 3) loop.stop();
        if (idles == 6) self.stop();
    });
    EXPECT_TRUE(loop.run());
    EXPECT_EQ(idles, 3);
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(idles, 6);
}

// clause: L15
TEST(RunModes, differ_in_how_long_they_wait_and_how_often) {
    test::HandleWorld world;
    PhasedLoop& loop = world.loop();
    int ticks = 0;
    test::Live<Timer> timer(loop);
    timer->start(
        [&](Timer& self) {
            if (++ticks == 4) self.stop();
        },
        10ms, 10ms);
    const Instant start = world.virtual_clock.peek();
    EXPECT_TRUE(loop.run(RunMode::no_wait));
    EXPECT_EQ(ticks, 0);
    EXPECT_EQ(world.virtual_clock.peek(), start);
    EXPECT_TRUE(loop.run(RunMode::once));
    EXPECT_EQ(ticks, 1);
    EXPECT_EQ(world.virtual_clock.peek(), start + 10ms);
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(ticks, 4);
    EXPECT_EQ(world.virtual_clock.peek(), start + 40ms);
}

// Each phase writes down its name and the milliseconds of the clock.
// clause: L06 L13
TEST(PhaseTimes, show_that_time_passes_between_prepare_and_check_only) {
    test::HandleWorld world;
    PhasedLoop& loop = world.loop();
    const Instant start = world.virtual_clock.peek();
    std::string trace;
    const auto note = [&](const char* phase) {
        trace += phase + std::to_string((world.virtual_clock.peek() - start) / 1ms) + " ";
    };
    Deferred pending;
    test::Live<Prepare> prepare(loop);
    test::Live<Check> check(loop);
    test::Live<Timer> closed(loop);
    test::Live<Timer> timer(loop);
    test::Live<Async> async(loop);
    prepare->start([&](Prepare&) { note("prepare "); });
    async->start([&](Async&) { note("event "); });
    check->start([&](Check&) {
        note("check ");
        if (!closed->is_closing()) closed->close([&](Handle&) { note("close "); });
    });
    timer->start(
        [&](Timer&) {
            note("timer ");
            pending.start(loop, [&](Deferred&) { note("pending "); });
            loop.stop();
        },
        25ms, 25ms);

    const Row rows[] = {
        {RunMode::no_wait, "prepare 0 check 0 close 0 "},
        {RunMode::once, "prepare 0 check 25 timer 25 "},
        {RunMode::once, "pending 25 prepare 25 check 25 "},
        {RunMode::until_done, "prepare 25 check 50 timer 50 "},
        {RunMode::no_wait, "pending 50 prepare 50 check 50 "},
    };
    for (const Row& row : rows) {
        trace.clear();
        loop.run(row.mode);
        EXPECT_EQ(trace, row.trace);
    }
    trace.clear();
    async->send();
    loop.run(RunMode::once);
    EXPECT_EQ(trace, "prepare 50 event 50 check 50 ");
}

// clause: L05
TEST_P(Phases, an_idle_hook_runs_once_in_every_iteration_while_it_is_active) {
    int idles = 0;
    int checks = 0;
    test::Live<Idle> idle(loop);
    test::Live<Check> check(loop);
    idle->start([&](Idle&) { ++idles; });
    check->start([&](Check&) { ++checks; });
    for (int i = 1; i <= 5; ++i) {
        loop.run(RunMode::once);
        EXPECT_EQ(idles, i);
        EXPECT_EQ(checks, i);
    }
    idle->stop();
    loop.run(RunMode::no_wait);
    EXPECT_EQ(idles, 5);
    EXPECT_EQ(checks, 6);
    idle->close();
    check->close();
    loop.run();
}

// clause: L04
TEST(PhaseTimes, show_that_nothing_is_waited_for_while_something_is_deferred) {
    test::HandleWorld world;
    PhasedLoop& loop = world.loop();
    const Instant start = world.virtual_clock.peek();
    bool is_called = false;
    Deferred deferred;
    test::Live<Timer> timer(loop);
    timer->start([](Timer&) { FAIL(); }, 1h);
    test::Live<Prepare> prepare(loop);
    prepare->start([&](Prepare& self) {
        deferred.start(loop, [&](Deferred&) {
            is_called = true;
            loop.stop();
        });
        self.stop();
    });
    EXPECT_TRUE(loop.run());
    EXPECT_TRUE(is_called);
    EXPECT_EQ(world.virtual_clock.peek(), start);
}

// clause: L04
TEST_P(Phases, all_that_was_deferred_runs_in_its_order_in_one_pending_phase) {
    std::string trace;
    Deferred first;
    Deferred second;
    first.start(loop, [&](Deferred&) { trace += "first "; });
    second.start(loop, [&](Deferred&) { trace += "second "; });
    test::Live<Prepare> prepare(loop);
    prepare->start([&](Prepare& self) {
        trace += "prepare ";
        self.stop();
    });
    loop.run(RunMode::once);
    EXPECT_EQ(trace, "first second prepare ");
}

// clause: L04 L25
TEST_P(Phases, what_is_deferred_in_the_pending_phase_waits_for_the_next_one) {
    std::string trace;
    Deferred again;
    Deferred other;
    std::function<void(Deferred&)> note = [&](Deferred& self) {
        trace += "a ";
        if (trace.size() < 6) self.start(loop, note);
    };
    again.start(loop, note);
    other.start(loop, [&](Deferred&) { trace += "b "; });
    EXPECT_EQ(trace, "");
    test::Live<Prepare> prepare(loop);
    test::Live<Check> check(loop);
    prepare->start([&](Prepare&) { trace += "prepare "; });
    check->start([&](Check&) { trace += "check "; });
    loop.run(RunMode::once);
    EXPECT_EQ(trace, "a b prepare a check ");
}

// clause: L04
TEST_P(Phases, what_is_deferred_can_be_taken_back) {
    std::string trace;
    Deferred first;
    Deferred second;
    EXPECT_EQ(second.cancel().get().error().code(), std::errc::invalid_argument);
    first.start(loop, [&](Deferred&) {
        trace += "first ";
        EXPECT_TRUE(second.cancel().get());
    });
    second.start(loop, [&](Deferred&) { trace += "second "; });
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(trace, "first ");
    EXPECT_FALSE(second.is_active());
    EXPECT_FALSE(second.cancel().get());
    second.start(loop, [&](Deferred&) { trace += "again "; });
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(trace, "first again ");
}

}  // namespace
}  // namespace gyre::handle
