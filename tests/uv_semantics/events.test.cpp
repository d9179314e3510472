// SPDX-License-Identifier: Apache-2.0
// Wakes, polls, signals, work and children, as libuv's test-async.c, test-async-null-cb.c,
// test-poll.c, test-poll-close.c, test-poll-closesocket.c, test-poll-oob.c, test-signal.c,
// test-signal-multiple-loops.c, test-threadpool.c, test-threadpool-cancel.c and test-spawn.c pin
// them. Each test names the one it restates.
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "gyre/handle/async.hpp"
#include "gyre/handle/child.hpp"
#include "gyre/handle/fd_poll.hpp"
#include "gyre/handle/hook.hpp"
#include "gyre/handle/request.hpp"
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

// ---- Polls ----

class UvPoll : public testing::TestWithParam<std::string> {
protected:
    test::HandleWorld world{GetParam()};
    PhasedLoop& loop = world.loop();
    std::array<Fd, 2> pair = loop.sockets().stream_pair().value();

    ~UvPoll() override {
        for (const Fd fd : pair) loop.sockets().close_now(fd);
    }
    void write_far(std::string_view text) const {
        EXPECT_EQ(::write(pair[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    std::string read_near(std::size_t size) const {
        std::string text(size, '\0');
        const ssize_t count = ::read(pair[0], text.data(), size);
        text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
        return text;
    }
};
INSTANTIATE_TEST_SUITE_P(platforms, UvPoll, testing::ValuesIn(test::real_platforms()),
                         [](const auto& test) { return test.param; });

// test-poll.c: poll_duplex and poll_unidirectional
TEST_P(UvPoll, tells_that_a_descriptor_is_readable_or_writable) {
    std::vector<Events> seen;
    test::Live<FdPoll> poll(loop, pair[0]);
    poll->start(Events::readable | Events::writable,
                [&](FdPoll&, Result<Events> events) { seen.push_back(events.value()); });
    while (seen.empty()) loop.run(RunMode::once);
    write_far("x");
    while (seen.back() == Events::writable) loop.run(RunMode::once);
    EXPECT_EQ(seen.front(), Events::writable);
    EXPECT_EQ(seen.back(), Events::readable | Events::writable);
}

// test-poll->c: level-triggered reads of less than is there
TEST_P(UvPoll, calls_back_in_each_iteration_while_bytes_are_left) {
    std::string got;
    test::Live<FdPoll> poll(loop, pair[0]);
    poll->start(Events::readable, [&](FdPoll& self, Result<Events>) {
        got += read_near(1);
        if (got.size() == 5) self.stop();
    });
    write_far("hello");
    int iterations = 0;
    test::Live<Check> check(loop);
    check->start([&](Check&) { ++iterations; });
    check->unref();
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(got, "hello");
    EXPECT_GE(iterations, 5);
}

// test-poll->c: uv_poll_start with other events
TEST_P(UvPoll, can_be_told_to_watch_for_something_else) {
    Events last = Events::none;
    test::Live<FdPoll> poll(loop, pair[0]);
    const auto note = [&](FdPoll&, Result<Events> events) { last = events.value(); };
    poll->start(Events::readable, note);
    loop.run(RunMode::no_wait);
    EXPECT_EQ(last, Events::none);
    poll->start(Events::writable, note);
    while (last == Events::none) loop.run(RunMode::once);
    EXPECT_EQ(last, Events::writable);
    write_far("x");
    last = Events::none;
    poll->start(Events::readable, note);
    while (last != Events::readable) loop.run(RunMode::once);
}

// test-poll->c: uv_poll_stop and start again
TEST_P(UvPoll, stopped_says_nothing_until_it_is_started_again) {
    int calls = 0;
    test::Live<FdPoll> poll(loop, pair[0]);
    const auto count = [&](FdPoll&, Result<Events>) { ++calls; };
    poll->start(Events::readable, count);
    loop.run(RunMode::no_wait);
    write_far("x");
    poll->stop();
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(calls, 0);
    poll->start(Events::readable, count);
    loop.run(RunMode::once);
    while (calls == 0) loop.run(RunMode::once);
}

// test-poll->c: poll_bad_fdtype and uv_poll_init of a bad number
TEST_P(UvPoll, of_a_number_that_names_nothing_ends_with_an_error) {
    test::Live<FdPoll> poll(loop, 9999);
    Result<Events> told = Events::none;
    poll->start(Events::readable, [&](FdPoll&, Result<Events> events) { told = events; });
    EXPECT_FALSE(loop.run());
    ASSERT_FALSE(told.has_value());
    EXPECT_EQ(told.error().code(), std::errc::bad_file_descriptor);
}

// test-poll-close.c: poll_close
TEST_P(UvPoll, many_of_them_close) {
    int closed = 0;
    std::vector<std::array<Fd, 2>> pairs;
    std::vector<std::unique_ptr<FdPoll>> polls;
    for (int i = 0; i < 32; ++i) {
        pairs.push_back(loop.sockets().stream_pair().value());
        polls.push_back(std::make_unique<FdPoll>(loop, pairs.back()[0]));
        polls.back()->start(Events::readable | Events::writable, [](FdPoll&, Result<Events>) {});
        polls.back()->close([&](Handle&) { ++closed; });
    }
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(closed, 32);
    for (const auto& each : pairs) {
        for (const Fd fd : each) loop.sockets().close_now(fd);
    }
}

// test-poll-multiple-handles.c and the invalidation of a batch in uv__platform_invalidate_fd
TEST_P(UvPoll, stopped_or_closed_by_another_in_the_same_batch_is_not_called) {
    const auto other_pair = loop.sockets().stream_pair().value();
    {
        int calls = 0;
        test::Live<FdPoll> first(loop, pair[0]);
        test::Live<FdPoll> second(loop, other_pair[0]);
        first->start(Events::readable, [&](FdPoll& self, Result<Events>) {
            ++calls;
            second->close();
            self.close();
        });
        second->start(Events::readable, [&](FdPoll& self, Result<Events>) {
            ++calls;
            first->close();
            self.close();
        });
        loop.run(RunMode::no_wait);
        write_far("x");
        EXPECT_EQ(::write(other_pair[1], "x", 1), 1);
        EXPECT_FALSE(loop.run());
        EXPECT_EQ(calls, 1);
    }
    for (const Fd fd : other_pair) loop.sockets().close_now(fd);
}

// test-poll.c: UV_DISCONNECT
TEST_P(UvPoll, tells_that_the_other_side_has_gone) {
    Events seen = Events::none;
    test::Live<FdPoll> poll(loop, pair[0]);
    poll->start(Events::hang_up, [&](FdPoll& self, Result<Events> events) {
        seen = events.value();
        self.stop();
    });
    loop.run(RunMode::no_wait);
    EXPECT_EQ(seen, Events::none);
    ::shutdown(pair[1], SHUT_RDWR);
    EXPECT_FALSE(loop.run());
    EXPECT_TRUE(any(seen & Events::hang_up));
}

// test-poll-oob.c: poll_oob
TEST_P(UvPoll, tells_of_urgent_data) {
    const Fd listener = loop.sockets().listen(Address::loopback(), {}).value();
    const Address at = loop.sockets().local_address(listener).value();
    const Fd client = loop.sockets().stream(Address::Family::ipv4).value();
    sockaddr_storage where{};
    socklen_t size = sizeof where;
    ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&where), &size), 0);
    ASSERT_GT(at.port(), 0);
    ::connect(client, reinterpret_cast<sockaddr*>(&where), size);
    Fd server = -1;
    while (server < 0) server = ::accept(listener, nullptr, nullptr);
    {
        Events seen = Events::none;
        test::Live<FdPoll> poll(loop, server);
        poll->start(Events::priority, [&](FdPoll& self, Result<Events> events) {
            seen = events.value();
            self.stop();
        });
        loop.run(RunMode::no_wait);
        EXPECT_EQ(seen, Events::none);
        EXPECT_EQ(::send(client, "!", 1, MSG_OOB), 1);
        EXPECT_FALSE(loop.run());
        EXPECT_EQ(seen, Events::priority);
    }
    for (const Fd fd : {client, server, listener}) loop.sockets().close_now(fd);
}

// test-poll->c: uv_poll_start without events
TEST_P(UvPoll, for_nothing_is_refused) {
    test::Live<FdPoll> poll(loop, pair[0]);
    EXPECT_FALSE(poll->start(Events::none, [](FdPoll&, Result<Events>) {}).get());
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

// A loop takes in a started signal with its next iteration.
void settle(PhasedLoop& loop) {
    for (int i = 0; i < 3; ++i) loop.run(RunMode::no_wait);
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
    settle(loop);
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
    settle(loop);
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
    settle(loop);
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

// test-signal->c: signals that cannot be caught
TEST_P(UvSignal, that_cannot_be_caught_ends_with_an_error) {
    Result<int> told = 0;
    test::Live<Signal> signal(loop);
    signal->start([&](Signal&, Result<int> number) { told = number; }, SIGKILL);
    EXPECT_FALSE(loop.run());
    ASSERT_FALSE(told.has_value());
    EXPECT_EQ(told.error().code(), std::errc::invalid_argument);
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
    settle(loop);
    settle(other.loop());
    ::raise(SIGUSR2);
    while (mine < 1) loop.run(RunMode::once);
    while (theirs < 1) other.loop().run(RunMode::once);
    EXPECT_EQ(mine, 1);
    EXPECT_EQ(theirs, 1);
}

// ---- Work ----

GYRE_HANDLES_EVERYWHERE(UvWork);
GYRE_HANDLES_FOR_REAL(UvRealWork);

// test-threadpool.c: threadpool_queue_work_simple
TEST_P(UvWork, runs_and_calls_back_with_its_status) {
    int worked = 0;
    int done = 0;
    Work work(loop);
    EXPECT_TRUE(work.queue([&] { ++worked; },
                           [&](Work& self, Status status) {
                               EXPECT_EQ(&self, &work);
                               EXPECT_TRUE(status.has_value());
                               EXPECT_FALSE(self.is_active());
                               ++done;
                           })
                    .get());
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(worked, 1);
    EXPECT_EQ(done, 1);
}

// test-threadpool.c: threadpool_queue_work_einval
TEST_P(UvWork, without_a_function_is_refused) {
    Work work(loop);
    EXPECT_EQ(work.queue({}, [](Work&, Status) { FAIL(); }).get().error().code(),
              std::errc::invalid_argument);
    EXPECT_FALSE(loop.is_alive());
}

// test-threadpool.c: the thread of the callback
// clause: L19
TEST_P(UvRealWork, runs_on_another_thread_and_calls_back_on_the_loops) {
    const auto here = std::this_thread::get_id();
    std::thread::id worker;
    Work work(loop);
    work.queue([&] { worker = std::this_thread::get_id(); },
               [&](Work&, Status) { EXPECT_EQ(std::this_thread::get_id(), here); });
    loop.run();
    EXPECT_NE(worker, here);
}

// Keeps the pool's threads busy until it is opened.
struct Gate {
    std::mutex mutex;
    std::condition_variable changed;
    int waiting = 0;
    bool is_open = false;

    void pass() {
        std::unique_lock lock(mutex);
        ++waiting;
        changed.notify_all();
        changed.wait(lock, [this] { return is_open; });
    }
    void wait_for(int count) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return waiting == count; });
    }
    void open() {
        const std::lock_guard lock(mutex);
        is_open = true;
        changed.notify_all();
    }
};

// test-threadpool-cancel.c: threadpool_cancel_work
// clause: L19 L25
TEST_P(UvRealWork, that_is_queued_can_be_cancelled_and_never_runs) {
    Gate gate;
    Work busy_1(loop);
    Work busy_2(loop);
    Work queued(loop);
    Status outcome;
    busy_1.queue([&] { gate.pass(); }, [](Work&, Status) {});
    busy_2.queue([&] { gate.pass(); }, [](Work&, Status) {});
    loop.run(RunMode::no_wait);
    gate.wait_for(2);
    queued.queue([] { FAIL(); }, [&](Work&, Status status) { outcome = status; });
    loop.run(RunMode::no_wait);
    EXPECT_TRUE(queued.cancel().get());
    EXPECT_TRUE(queued.is_active());  // The callback comes later.
    gate.open();
    EXPECT_FALSE(loop.run());
    ASSERT_FALSE(outcome.has_value());
    EXPECT_EQ(outcome.error().code(), std::errc::operation_canceled);
}

// test-threadpool-cancel.c: threadpool_cancel_single (busy)
// clause: L19
TEST_P(UvRealWork, that_has_begun_says_busy_and_finishes) {
    Gate gate;
    Work work(loop);
    bool is_done = false;
    work.queue([&] { gate.pass(); },
               [&](Work&, Status status) {
                   EXPECT_TRUE(status.has_value());
                   is_done = true;
               });
    loop.run(RunMode::no_wait);
    gate.wait_for(1);
    EXPECT_EQ(work.cancel().get().error().code(), std::errc::device_or_resource_busy);
    gate.open();
    EXPECT_FALSE(loop.run());
    EXPECT_TRUE(is_done);
}

// test-threadpool-cancel.c: cancel before it has reached the pool
TEST_P(UvWork, cancelled_at_once_never_runs) {
    Work work(loop);
    Status outcome;
    work.queue([] { FAIL(); }, [&](Work&, Status status) { outcome = status; });
    EXPECT_TRUE(work.cancel().get());
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(outcome.error().code(), std::errc::operation_canceled);
}

// test-threadpool-cancel.c: cancel of what is done
TEST_P(UvWork, that_is_done_cannot_be_cancelled) {
    Work work(loop);
    EXPECT_FALSE(work.cancel().get());
    work.queue([] {}, [](Work&, Status) {});
    loop.run();
    EXPECT_EQ(work.cancel().get().error().code(), std::errc::invalid_argument);
}

// test-threadpool.c: a request queued again by its callback
TEST_P(UvWork, can_be_queued_again_by_its_callback) {
    int runs = 0;
    Work work(loop);
    std::function<void(Work&, Status)> again = [&](Work& self, Status) {
        if (runs < 3) self.queue([&] { ++runs; }, again);
    };
    work.queue([&] { ++runs; }, again);
    loop.run();
    EXPECT_EQ(runs, 3);
}

// test-threadpool.c: work that throws has no counterpart in C
// clause: L25
TEST_P(UvWork, that_throws_arrives_as_an_error) {
    Work work(loop);
    Status outcome;
    work.queue([] { throw std::runtime_error("no"); },
               [&](Work&, Status status) { outcome = status; });
    loop.run();
    EXPECT_EQ(outcome.error().code(), std::errc::state_not_recoverable);
    EXPECT_THROW(std::rethrow_exception(work.exception()), std::runtime_error);
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
