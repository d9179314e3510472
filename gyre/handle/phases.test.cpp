// SPDX-License-Identifier: Apache-2.0
// The order of the phases, as data: what an iteration of each mode runs, in which order.
#include <functional>

#include "gyre/handle/async.hpp"
#include "gyre/handle/deferred.hpp"
#include "gyre/handle/hook.hpp"
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

// clause: L15
TEST_P(Phases, default_mode_runs_due_timers_once_before_the_first_iteration) {
    Band band(loop);
    test::Live<Check> last(loop);
    last->start([this](Check&) { loop.stop(); });
    loop.run();
    EXPECT_EQ(band.trace, "timer pending idle prepare wait check close ");
    last->close();
    loop.run(RunMode::no_wait);
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

// clause: L04 L25
TEST_P(Phases, what_is_deferred_in_the_pending_phase_waits_for_the_next_one) {
    int calls = 0;
    Deferred again;
    std::function<void(Deferred&)> count = [&](Deferred& self) {
        if (++calls < 3) self.start(loop, count);
    };
    again.start(loop, count);
    EXPECT_EQ(calls, 0);
    EXPECT_TRUE(loop.run(RunMode::once));
    EXPECT_EQ(calls, 1);
    EXPECT_TRUE(loop.run(RunMode::no_wait));
    EXPECT_EQ(calls, 2);
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace gyre::handle
