// SPDX-License-Identifier: Apache-2.0
// A loop in the child of a fork, as libuv's test-fork.c pins uv_loop_fork. Each test names the one it
// restates. What the child finds is its exit code; the parent's loop must go on as before.
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <future>

#include "gyre/base/bytes.hpp"
#include "gyre/handle/async.hpp"
#include "gyre/handle/fd_poll.hpp"
#include "gyre/handle/listener_handle.hpp"
#include "gyre/handle/request.hpp"
#include "gyre/handle/signal.hpp"
#include "gyre/handle/stream_handle.hpp"
#include "gyre/handle/timer.hpp"
#include "gyre/platform/process.hpp"
#include "gyre/pool/thread_pool.hpp"
#include "tests/support/handle_world.hpp"
#include "tests/support/sanitizers.hpp"

namespace gyre::handle {
namespace {

using namespace std::chrono_literals;

constexpr int all_is_well = 42;

// A loop whose pool can be renewed in a child.
class UvFork : public testing::TestWithParam<std::string> {
protected:
    ~UvFork() override {
        loop.walk([](Handle& handle) {
            if (!handle.is_closing()) handle.close();
        });
        loop.run();
    }

    // Runs the function in a forked child, after the renewal; returns its exit code.
    int in_child(auto function) {
        const int pid = ::fork();
        if (pid == 0) {
            ::alarm(300);  // A child that hangs must not outlive the test.
            if (!loop.renew_after_fork()) ::_exit(1);
            ::_exit(function());
        }
        int status = 0;
        ::waitpid(pid, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }

    platform::SystemClock clock;
    pool::ThreadPool pool{{.thread_count = 1, .process_id = platform::process_generation}};
    std::unique_ptr<Platform> outside = platform::make_platform(clock, GetParam()).value();
    PhasedLoop loop{*outside, {.offload = &pool}};
};
INSTANTIATE_TEST_SUITE_P(platforms, UvFork, testing::ValuesIn(test::real_platforms_here()),
                         [](const auto& test) { return test.param; });

// A program that starts children in callbacks may renew its loops by a handler of pthread_atfork.
TEST_P(UvFork, may_happen_in_a_callback) {
    int code = 0;
    Timer timer(loop);
    timer.start(
        [&](Timer& self) {
            code = in_child([] { return all_is_well; });
            self.close();
        },
        1ms);
    loop.run();
    EXPECT_EQ(code, all_is_well);
}

// test-fork.c: fork_timer
// clause: L30
TEST_P(UvFork, runs_timers_asyncs_and_polls_made_in_the_child) {
    loop.run(RunMode::no_wait);
    const int code = in_child([this] {
        int calls = 0;
        Timer timer(loop);
        Async async(loop);
        async.start([&](Async& self) {
            ++calls;
            self.close();
        });
        timer.start(
            [&](Timer& self) {
                ++calls;
                async.send();
                self.close();
            },
            1ms);
        loop.run();
        return calls == 2 ? all_is_well : 2;
    });
    EXPECT_EQ(code, all_is_well);
    bool is_called = false;
    test::Live<Timer> timer(loop);
    timer->start([&](Timer&) { is_called = true; }, 1ms);
    loop.run();
    EXPECT_TRUE(is_called);
}

// test-fork.c: fork_socketpair_started: a handle that was active before goes on in both processes.
// clause: L30
TEST_P(UvFork, goes_on_with_a_poll_that_was_active_before) {
    const auto pair = loop.sockets().connection_pair();
    ASSERT_TRUE(pair.has_value());
    int calls = 0;
    {
        test::Live<FdPoll> poll(loop, (*pair)[0]);
        poll->start(Events::readable, [&](FdPoll& self, Result<Events>) {
            std::array<char, 8> bytes{};
            if (::read(self.fd(), bytes.data(), bytes.size()) == 1) ++calls;
            self.stop();
        });
        for (int i = 0; i < 3; ++i) loop.run(RunMode::no_wait);
        const int code = in_child([&, this] {
            if (::write((*pair)[1], "x", 1) != 1) return 3;
            loop.run();
            return calls == 1 ? all_is_well : 4;
        });
        EXPECT_EQ(code, all_is_well);
        EXPECT_EQ(calls, 0);
        EXPECT_EQ(::write((*pair)[1], "x", 1), 1);
        loop.run();
        EXPECT_EQ(calls, 1);
    }
    for (const Fd fd : *pair) loop.sockets().close_now(fd);
}

// clause: L30
TEST_P(UvFork, goes_on_with_an_accept_and_a_timer_that_were_active_before) {
    int fired = 0;
    test::Live<Timer> timer(loop);
    test::Live<ListenerHandle> listener(loop);
    timer->start([&](Timer&) { ++fired; }, 5ms);
    const Address at = Address::loopback();
    ASSERT_TRUE(listener->listen(at, {}, [](ListenerHandle&, Status) { FAIL(); }).get());
    for (int i = 0; i < 3; ++i) loop.run(RunMode::no_wait);
    const int code = in_child([&, this] {
        listener->unref();
        loop.run();
        return fired == 1 ? all_is_well : 3;
    });
    EXPECT_EQ(code, all_is_well);
}

// test-fork.c: fork_signal_to_child
// clause: L30
TEST_P(UvFork, catches_the_signals_of_the_child_and_not_those_of_the_parent) {
    int calls = 0;
    test::Live<Signal> signal(loop);
    ASSERT_TRUE(signal->start([&](Signal&, Result<int>) { ++calls; }, SIGUSR1).get());
    loop.run(RunMode::no_wait);
    ::raise(SIGUSR1);  // Of the parent, and not delivered yet.
    const int code = in_child([&, this] {
        loop.run(RunMode::no_wait);
        if (calls != 0) return 3;
        ::kill(::getpid(), SIGUSR1);
        loop.run(RunMode::once);
        return calls == 1 ? all_is_well : 4;  // A count kept from the parent would make it 2.
    });
    EXPECT_EQ(code, all_is_well);
    loop.run(RunMode::once);
    EXPECT_EQ(calls, 1);
}

// A signal that reaches the child, which does not renew its loop, is not the parent's.
// clause: L30
TEST_P(UvFork, does_not_wake_the_parents_loop_by_a_signal_of_the_child) {
    test::Live<Signal> signal(loop);
    ASSERT_TRUE(signal->start([](Signal&, Result<int>) { FAIL(); }, SIGUSR1).get());
    loop.run(RunMode::no_wait);
    ASSERT_EQ(loop.next_timeout(), std::nullopt);
    const int pid = ::fork();
    if (pid == 0) {
        ::raise(SIGUSR1);
        ::_exit(0);
    }
    ::waitpid(pid, nullptr, 0);
    pollfd query{loop.backend_fd(), POLLIN, 0};
    EXPECT_EQ(::poll(&query, 1, 0), 0);
}

// test-fork.c: fork_threadpool_queue_work_simple
// clause: L30
TEST_P(UvFork, runs_work_in_the_child_and_ends_that_of_the_parents_threads) {
    GYRE_SKIP_THREADS_AFTER_FORK();
    std::promise<void> may_end;
    std::promise<void> has_begun;
    std::shared_future<void> end = may_end.get_future().share();
    Work running(loop);
    Work queued(loop);
    int cancelled = 0;
    int done = 0;
    const auto note = [&](Work&, Status status) {
        const bool is_cancelled = !status && status.error().code() == std::errc::operation_canceled;
        ++(is_cancelled ? cancelled : done);
    };
    running.queue(
        [&] {
            has_begun.set_value();
            end.wait();
        },
        note);
    queued.queue([] {}, note);
    has_begun.get_future().wait();
    const int code = in_child([&, this] {
        bool has_run = false;
        Work work(loop);
        work.queue([&] { has_run = true; }, note);
        loop.run();
        return has_run && done == 1 && cancelled == 2 ? all_is_well : 10 * done + cancelled;
    });
    EXPECT_EQ(code, all_is_well);
    may_end.set_value();
    loop.run();
    EXPECT_EQ(done, 2);
    EXPECT_EQ(cancelled, 0);
}

// test-fork.c: fork_close_signal_in_child, and closing every other kind
// clause: L30
TEST_P(UvFork, closes_handles_of_before_in_the_child) {
    const auto pair = loop.sockets().connection_pair();
    ASSERT_TRUE(pair.has_value());
    test::Live<Timer> timer(loop);
    test::Live<Async> async(loop);
    test::Live<Signal> signal(loop);
    test::Live<Pipe> stream(loop);
    std::array<std::byte, 8> room{};
    timer->start([](Timer&) {}, 1h);
    async->start([](Async&) {});
    ASSERT_TRUE(signal->start([](Signal&, Result<int>) {}, SIGUSR1).get());
    ASSERT_TRUE(stream->open((*pair)[0]).get());
    stream->read_start(room, [](StreamHandle&, Result<ConstBytes>) {});
    for (int i = 0; i < 3; ++i) loop.run(RunMode::no_wait);
    const int code = in_child([&, this] {
        loop.walk([](Handle& handle) { handle.close(); });
        if (loop.run()) return 5;
        return loop.close().has_value() ? all_is_well : 6;
    });
    EXPECT_EQ(code, all_is_well);
    loop.sockets().close_now((*pair)[1]);
}

}  // namespace
}  // namespace gyre::handle
