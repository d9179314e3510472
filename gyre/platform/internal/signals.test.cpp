// SPDX-License-Identifier: Apache-2.0
// Signals as ops: with several loops and several ops, and the previous handler is restored.
#include <signal.h>

#include <atomic>
#include <thread>

#include "gyre/platform/io_world.test.hpp"

namespace gyre::platform {
namespace {

GYRE_ON_EACH_PLATFORM(Signals);

std::uint32_t wait_for_count(IoWorld& world, SignalOp& op) {
    std::uint32_t count = 0;
    while ((count = op.take_count()) == 0) world.loop.turn();
    return count;
}

TEST_P(Signals, ring_every_op_that_waits_for_them) {
    IoWorld world(GetParam());
    SignalOp first(SIGUSR1);
    SignalOp second(SIGUSR1);
    SignalOp other(SIGUSR2);
    for (SignalOp* op : {&first, &second, &other}) world.app.start(*op);
    world.settle();
    ::raise(SIGUSR1);
    EXPECT_EQ(wait_for_count(world, first), 1u);
    EXPECT_EQ(second.take_count(), 1u);
    EXPECT_EQ(other.take_count(), 0u);
    EXPECT_EQ(world.cancel(first), cancelled_result);
    ::raise(SIGUSR1);
    ::raise(SIGUSR1);
    EXPECT_EQ(wait_for_count(world, second), 2u);
    EXPECT_EQ(world.cancel(second), cancelled_result);
    EXPECT_EQ(world.cancel(other), cancelled_result);
}

TEST_P(Signals, that_do_not_exist_or_cannot_be_handled_are_results) {
    IoWorld world(GetParam());
    for (const int number : {0, -1, 65, 1000, SIGKILL, SIGSTOP, SIGSEGV, 32}) {
        SignalOp op(number);
        EXPECT_EQ(world.run(op), -EINVAL) << number;
    }
}

TEST_P(Signals, get_their_former_handler_back) {
    struct sigaction mine{};
    mine.sa_handler = SIG_IGN;
    struct sigaction original{};
    ASSERT_EQ(::sigaction(SIGUSR1, &mine, &original), 0);
    {
        IoWorld world(GetParam());
        SignalOp op(SIGUSR1);
        world.app.start(op);
        world.settle();
        struct sigaction present{};
        ::sigaction(SIGUSR1, nullptr, &present);
        EXPECT_NE(present.sa_handler, SIG_IGN);
        EXPECT_EQ(world.cancel(op), cancelled_result);
        ::sigaction(SIGUSR1, nullptr, &present);
        EXPECT_EQ(present.sa_handler, SIG_IGN);
    }
    ::sigaction(SIGUSR1, &original, nullptr);
}

// clause: K24
TEST_P(Signals, reach_loops_on_several_threads_while_others_come_and_go) {
    constexpr int loop_count = 3;
    std::atomic<int> ready{0};
    std::atomic<int> served{0};
    const auto serve = [&](int rounds) {
        for (int i = 0; i < rounds; ++i) {
            IoWorld world(GetParam());
            SignalOp op(SIGUSR2);
            world.app.start(op);
            world.settle();
            if (i == 0) ++ready;
            EXPECT_GE(wait_for_count(world, op), 1u);
            EXPECT_EQ(world.cancel(op), cancelled_result);
        }
        ++served;
    };
    // One loop keeps the signal for the whole test: without a handler, its default action would
    // kill the process.
    IoWorld keeper(GetParam());
    SignalOp kept(SIGUSR2);
    keeper.app.start(kept);
    keeper.settle();
    std::vector<std::thread> threads;
    for (int i = 0; i < loop_count; ++i) threads.emplace_back(serve, 5);
    while (served < loop_count) {
        if (ready == loop_count) ::kill(::getpid(), SIGUSR2);
        std::this_thread::yield();
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(keeper.cancel(kept), cancelled_result);
}

}  // namespace
}  // namespace gyre::platform
