// SPDX-License-Identifier: Apache-2.0
// Wakes, signals and children, as libuv's test-async.c, test-async-null-cb.c, test-signal.c,
// test-signal-multiple-loops.c and test-spawn.c pin them. Each test names the one it restates.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "gyre/handle/async.hpp"
#include "gyre/handle/child.hpp"
#include "gyre/handle/hook.hpp"
#include "gyre/handle/signal.hpp"
#include "gyre/handle/timer.hpp"
#include "gyre/platform/internal/system/system_children.hpp"
#include "tests/support/handle_world.hpp"

namespace gyre::handle {
namespace {

using namespace std::chrono_literals;

GYRE_HANDLES_EVERYWHERE(UvAsync);
GYRE_HANDLES_FOR_REAL(UvRealAsync);

// test-async.c: async
TEST_P(UvRealAsync, sent_by_another_thread_calls_back_on_the_loops) {
    int calls = 0;
    const auto here = std::this_thread::get_id();
    std::atomic<bool> is_over = false;
    test::Live<Async> async(loop);
    async->start([&](Async& self) {
        EXPECT_EQ(std::this_thread::get_id(), here);
        if (++calls == 3) self.close();
    });
    std::thread other([&] {
        // However many of them are one.
        while (!is_over.load()) {
            async->send();
            std::this_thread::yield();
        }
    });
    while (calls < 3) loop.run(RunMode::once);
    is_over.store(true);
    other.join();
    loop.run();
    EXPECT_EQ(calls, 3);
}

// test-async->c: async (coalesced sends)
TEST_P(UvAsync, sent_many_times_before_the_callback_calls_back_once) {
    int calls = 0;
    test::Live<Async> async(loop);
    async->start([&](Async&) { ++calls; });
    for (int i = 0; i < 10; ++i) async->send();
    loop.run(RunMode::once);
    loop.run(RunMode::no_wait);
    EXPECT_EQ(calls, 1);
}

// test-async->c: a send from inside the callback
TEST_P(UvAsync, sent_from_inside_its_callback_is_not_lost) {
    int calls = 0;
    test::Live<Async> async(loop);
    async->start([&](Async& self) {
        if (++calls < 5) {
            self.send();
        } else {
            self.close();
        }
    });
    async->send();
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(calls, 5);
}

// test-async-null-cb.c: async_null_cb
TEST_P(UvAsync, without_a_callback_only_wakes_the_loop) {
    test::Live<Async> async(loop);
    async->start({});
    async->send();
    EXPECT_TRUE(loop.run(RunMode::once));
}

// test-async->c: uv_async_send after uv_close
TEST_P(UvAsync, sent_before_the_close_does_not_call_back_after_it) {
    test::Live<Async> async(loop);
    async->start([](Async&) { FAIL(); });
    async->send();
    async->close();
    EXPECT_FALSE(loop.run());
}

// test-async->c: async_init makes an active handle
TEST_P(UvAsync, keeps_the_loop_alive_until_it_is_closed) {
    test::Live<Async> async(loop);
    EXPECT_FALSE(loop.is_alive());
    async->start([](Async&) {});
    EXPECT_TRUE(async->is_active());
    EXPECT_TRUE(loop.is_alive());
    EXPECT_FALSE(async->start([](Async&) {}).get());
}

// ---- Signals ----

GYRE_HANDLES_EVERYWHERE(UvSignal);

void raise_in(test::HandleWorld& world, int number) {
    if (world.is_real()) {
        ::raise(number);
    } else {
        world.simulated->raise(number);
    }
}

// test-signal.c: we_get_signal
TEST_P(UvSignal, calls_back_for_each_time) {
    int calls = 0;
    test::Live<Signal> signal(loop);
    signal->start(
        [&](Signal&, Result<int> number) {
            EXPECT_EQ(number, SIGUSR1);
            ++calls;
        },
        SIGUSR1);
    for (int i = 1; i <= 5; ++i) {
        raise_in(world, SIGUSR1);
        while (calls < i) loop.run(RunMode::once);
    }
    EXPECT_EQ(calls, 5);
}

// test-signal->c: we_get_signals
TEST_P(UvSignal, each_handle_of_a_number_is_told_and_no_other) {
    int ones = 0;
    int twos = 0;
    test::Live<Signal> a(loop);
    test::Live<Signal> b(loop);
    test::Live<Signal> c(loop);
    a->start([&](Signal&, Result<int>) { ++ones; }, SIGUSR1);
    b->start([&](Signal&, Result<int>) { ++ones; }, SIGUSR1);
    c->start([&](Signal&, Result<int>) { ++twos; }, SIGUSR2);
    raise_in(world, SIGUSR1);
    while (ones < 2) loop.run(RunMode::once);
    EXPECT_EQ(twos, 0);
    raise_in(world, SIGUSR2);
    while (twos < 1) loop.run(RunMode::once);
    EXPECT_EQ(ones, 2);
}

// test-signal.c: we_get_signal_one_shot
TEST_P(UvSignal, once_calls_back_once_and_stops) {
    int calls = 0;
    test::Live<Signal> signal(loop);
    test::Live<Signal> other(loop);
    signal->start_once(
        [&](Signal& self, Result<int>) {
            ++calls;
            EXPECT_FALSE(self.is_active());
        },
        SIGUSR1);
    int others = 0;
    other->start([&](Signal&, Result<int>) { ++others; }, SIGUSR1);
    raise_in(world, SIGUSR1);
    while (calls < 1 || others < 1) loop.run(RunMode::once);
    raise_in(world, SIGUSR1);
    while (others < 2) loop.run(RunMode::once);
    EXPECT_EQ(calls, 1);
}

// test-signal->c: uv_signal_start with a bad number
TEST_P(UvSignal, of_a_number_that_is_none_is_refused) {
    test::Live<Signal> signal(loop);
    EXPECT_EQ(signal->start([](Signal&, Result<int>) {}, 0).get().error().code(),
              std::errc::invalid_argument);
    EXPECT_FALSE(signal->start([](Signal&, Result<int>) {}, -1).get());
    EXPECT_FALSE(signal->start([](Signal&, Result<int>) {}, 1000).get());
    EXPECT_FALSE(signal->is_active());
}

// test-signal.c: uv_signal_start of SIGKILL: the refusal is the result of the call
// clause: L27
TEST_P(UvSignal, that_cannot_be_caught_is_refused_by_the_call) {
    test::Live<Signal> signal(loop);
    const Status started = signal->start([](Signal&, Result<int>) { FAIL(); }, SIGKILL).get();
    ASSERT_FALSE(started.has_value());
    EXPECT_EQ(started.error().code(), std::errc::invalid_argument);
    EXPECT_FALSE(signal->is_active());
    EXPECT_FALSE(loop.run());
}

// test-signal-multiple-loops.c: signal_multiple_loops
TEST_P(UvRealAsync, a_signal_reaches_the_handles_of_several_loops) {
    int mine = 0;
    int theirs = 0;
    test::HandleWorld other(GetParam(), 1);
    test::Live<Signal> a(loop);
    test::Live<Signal> b(other.loop());
    a->start([&](Signal&, Result<int>) { ++mine; }, SIGUSR2);
    b->start([&](Signal&, Result<int>) { ++theirs; }, SIGUSR2);
    ::raise(SIGUSR2);
    while (mine < 1) loop.run(RunMode::once);
    while (theirs < 1) other.loop().run(RunMode::once);
    EXPECT_EQ(mine, 1);
    EXPECT_EQ(theirs, 1);
}

// ---- Children ----

int child_that(auto function) {
    const int pid = ::fork();
    if (pid == 0) function();
    return pid;
}

// test-spawn.c: spawn_exit_code
TEST_P(UvRealAsync, a_child_tells_its_exit_code) {
    platform::SystemChildren children;
    ChildEnd told;
    test::Live<Child> child(loop, children);
    const int pid = child_that([] { ::_exit(7); });
    ASSERT_TRUE(child->start(pid, [&](Child&, Result<ChildEnd> end) { told = end.value(); }).get());
    EXPECT_TRUE(loop.is_alive());
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(told.code, 7);
    EXPECT_EQ(told.signal, 0);
}

// test-spawn.c: kill
TEST_P(UvRealAsync, a_child_tells_the_signal_that_ended_it) {
    platform::SystemChildren children;
    ChildEnd told;
    test::Live<Child> child(loop, children);
    const int pid = child_that([] {
        for (;;) ::pause();
    });
    ASSERT_TRUE(child->start(pid, [&](Child&, Result<ChildEnd> end) { told = end.value(); }).get());
    loop.run(RunMode::no_wait);
    ::kill(pid, SIGKILL);
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(told.signal, SIGKILL);
}

// test-spawn.c: spawn_closed_process_io and closing a handle whose child still runs
TEST_P(UvRealAsync, a_child_handle_can_be_closed_while_the_child_runs) {
    platform::SystemChildren children;
    test::Live<Child> child(loop, children);
    const int pid = child_that([] {
        for (;;) ::pause();
    });
    ASSERT_TRUE(child->start(pid, [](Child&, Result<ChildEnd>) { FAIL(); }).get());
    loop.run(RunMode::no_wait);
    child->close();
    EXPECT_FALSE(loop.run());
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
}

// test-spawn.c: spawn_fails
TEST_P(UvRealAsync, a_child_that_does_not_exist_is_refused) {
    platform::SystemChildren children;
    test::Live<Child> child(loop, children);
    EXPECT_FALSE(child->start(999'999'999, [](Child&, Result<ChildEnd>) { FAIL(); }).get());
    EXPECT_FALSE(loop.is_alive());
}

}  // namespace
}  // namespace gyre::handle
