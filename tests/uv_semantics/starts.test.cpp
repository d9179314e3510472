// SPDX-License-Identifier: Apache-2.0
// A start takes effect inside the call, as in libuv: uv_signal_start installs the handler,
// uv_queue_work hands the work to the pool, and the next poll sees what was ready before.
#include <signal.h>

#include <array>
#include <future>

#include "gyre/base/bytes.hpp"
#include "gyre/handle/fd_poll.hpp"
#include "gyre/handle/request.hpp"
#include "gyre/handle/signal.hpp"
#include "gyre/handle/stream_handle.hpp"
#include "tests/support/handle_world.hpp"

namespace gyre::handle {
namespace {

using namespace std::chrono_literals;

GYRE_HANDLES_EVERYWHERE(UvStart);
GYRE_HANDLES_FOR_REAL(UvRealStart);

bool is_caught(int number) {
    struct sigaction present{};
    return ::sigaction(number, nullptr, &present) == 0 && present.sa_handler != SIG_DFL;
}

// test-signal.c: we_get_signal raises with a timer; a program may raise at once.
// clause: L27
TEST_P(UvStart, of_a_signal_catches_it_before_the_loop_has_run) {
    int calls = 0;
    test::Live<Signal> signal(loop);
    ASSERT_TRUE(signal->start([&](Signal&, Result<int>) { ++calls; }, SIGUSR1).get());
    if (world.is_real()) {
        ASSERT_TRUE(is_caught(SIGUSR1));  // Else the signal would end this program.
        ::raise(SIGUSR1);
    } else {
        world.simulated->raise(SIGUSR1);
    }
    loop.run(RunMode::no_wait);
    EXPECT_EQ(calls, 1);
}

// clause: L27
TEST_P(UvRealStart, of_a_signal_is_undone_by_its_stop) {
    test::Live<Signal> signal(loop);
    ASSERT_TRUE(signal->start([](Signal&, Result<int>) {}, SIGUSR2).get());
    EXPECT_TRUE(is_caught(SIGUSR2));
    signal->stop();
    EXPECT_FALSE(is_caught(SIGUSR2));
    ASSERT_TRUE(signal->start([](Signal&, Result<int>) {}, SIGUSR2).get());
    EXPECT_TRUE(is_caught(SIGUSR2));
    ASSERT_TRUE(signal->start([](Signal&, Result<int>) {}, SIGUSR1).get());
    EXPECT_FALSE(is_caught(SIGUSR2));
    EXPECT_TRUE(is_caught(SIGUSR1));
}

// A callback that stops and starts its handle is not called for signals from before the start.
TEST_P(UvStart, of_a_signal_in_its_callback_forgets_signals_from_before) {
    int calls = 0;
    test::Live<Signal> signal(loop);
    const auto on_signal = [&](Signal& self, Result<int>) {
        ++calls;
        self.stop();
        ASSERT_TRUE(self.start([&](Signal&, Result<int>) { ++calls; }, SIGUSR1).get());
    };
    ASSERT_TRUE(signal->start(on_signal, SIGUSR1).get());
    for (int i = 0; i < 3; ++i) {
        if (world.is_real()) {
            ::raise(SIGUSR1);
        } else {
            world.simulated->raise(SIGUSR1);
        }
    }
    for (int i = 0; i < 3; ++i) loop.run(RunMode::no_wait);
    EXPECT_EQ(calls, 1);
}

// test-threadpool.c: the work runs although the loop does not.
// clause: L27
TEST_P(UvRealStart, of_work_hands_it_to_the_pool) {
    std::promise<void> has_run;
    Work work(loop);
    ASSERT_TRUE(work.queue([&] { has_run.set_value(); }, [](Work&, Status) {}).get());
    EXPECT_EQ(has_run.get_future().wait_for(10s), std::future_status::ready);
    EXPECT_FALSE(loop.run());
}

// clause: L27
TEST(StartOfWork, without_an_offload_is_refused_by_the_call) {
    test::NamedPlatform outside({.name = "sim", .thread_count = 0});
    PhasedLoop loop(outside.platform());
    Work work(loop);
    const Status queued = work.queue([] { FAIL(); }, [](Work&, Status) { FAIL(); }).get();
    ASSERT_FALSE(queued.has_value());
    EXPECT_EQ(queued.error().code(), std::errc::function_not_supported);
    EXPECT_FALSE(work.is_active());
    EXPECT_FALSE(loop.run());
}

// test-poll.c: a descriptor that is ready is seen by one iteration that does not wait.
// clause: L27
TEST_P(UvStart, of_a_poll_is_seen_by_one_run_that_does_not_wait) {
    const auto pair = loop.sockets().connection_pair();
    ASSERT_TRUE(pair.has_value());
    {
        int calls = 0;
        test::Live<FdPoll> poll(loop, (*pair)[0]);
        poll->start(Events::writable, [&](FdPoll&, Result<Events>) { ++calls; });
        loop.run(RunMode::no_wait);
        EXPECT_EQ(calls, 1);
    }
    for (const Fd fd : *pair) loop.sockets().close_now(fd);
}

// clause: L27
TEST_P(UvRealStart, of_a_read_is_seen_by_one_run_that_does_not_wait) {
    const auto pair = loop.sockets().connection_pair();
    ASSERT_TRUE(pair.has_value());
    test::Live<Pipe> near(loop);
    test::Live<Pipe> far(loop);
    ASSERT_TRUE(near->open((*pair)[0]).get());
    ASSERT_TRUE(far->open((*pair)[1]).get());
    Write write;
    bool is_written = false;
    far->write(write, bytes_of("x"), [&](Write&, Status) { is_written = true; });
    while (!is_written) loop.run(RunMode::once);
    int calls = 0;
    std::array<std::byte, 16> room{};
    near->read_start(room, [&](StreamHandle&, Result<ConstBytes>) { ++calls; });
    loop.run(RunMode::no_wait);
    EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace gyre::handle
