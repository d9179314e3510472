// SPDX-License-Identifier: Apache-2.0
// The wait: the events that end it, its cost while there is work, and its clock.
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "gyre/platform/internal/epoll/epoll.hpp"
#include "gyre/platform/io_world.test.hpp"
#include "tests/support/test_clock.hpp"

namespace gyre::platform {
namespace {

GYRE_ON_EACH_PLATFORM(Waiting);

TEST(SystemClock, never_goes_back) {
    SystemClock clock;
    Instant last = clock.now();
    for (int i = 0; i < 1000; ++i) {
        const Instant now = clock.now();
        ASSERT_GE(now, last);
        last = now;
    }
}

TEST(SystemClock, is_the_monotonic_one_which_no_jump_of_the_wall_clock_moves) {
    // clause: V27
    const auto monotonic = [] {
        timespec time{};
        ::clock_gettime(CLOCK_MONOTONIC, &time);
        return Instant(static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
                       static_cast<std::uint64_t>(time.tv_nsec));
    };
    SystemClock clock;
    const Instant before = monotonic();
    const Instant now = clock.now();
    EXPECT_GE(now, before);
    EXPECT_LE(now, monotonic());
}

// clause: K22
TEST_P(Waiting, ends_when_a_descriptor_gets_ready) {
    IoWorld world(GetParam());
    Pair pair(world);
    std::array<std::byte, 8> buffer{};
    ReceiveOp receive(pair.near, buffer);
    world.app.start(receive);
    world.settle();
    std::thread writer([&pair] { pair.write_far("x"); });
    EXPECT_EQ(world.finish(receive), 1);
    writer.join();
}

// clause: K24
TEST_P(Waiting, is_woken_for_every_ring_of_another_thread) {
    IoWorld world(GetParam(), {.spin_max = Duration(0)});
    WakeOp wake;
    world.app.start(wake);
    constexpr std::size_t ring_count = 2000;
    std::atomic<std::size_t> seen{0};
    // Each ring only after the previous one was handled, so that none may be merged or lost.
    std::thread ringer([&] {
        for (std::size_t i = 0; i < ring_count; ++i) {
            while (seen < i) std::this_thread::yield();
            wake.ring();
        }
    });
    for (std::size_t i = 1; i <= ring_count; ++i) {
        world.turn_until_rung(wake, i);
        seen = i;
    }
    ringer.join();
    EXPECT_EQ(world.cancel(wake), cancelled_result);
}

TEST(EpollWait, asks_the_system_rarely_while_there_is_work_and_never_without_descriptors) {
    SystemClock clock;
    const auto platform = EpollPlatform::make(clock);
    ASSERT_TRUE(platform);
    TestApp app;
    Loop loop(**platform, app);
    Instant now = (*platform)->wait(clock.now());
    std::uint64_t asked_before = (*platform)->system_wait_count();
    for (int i = 0; i < 100; ++i) now = (*platform)->wait(now);
    EXPECT_EQ((*platform)->system_wait_count(), asked_before);

    const auto pair = (*platform)->sockets().connection_pair();
    PollOp poll((*pair)[0], Events::readable);
    app.start(poll);
    while ((*platform)->registered_count() == 0) loop.turn();
    asked_before = (*platform)->system_wait_count();
    now = loop.now();
    for (int i = 0; i < 160; ++i) now = (*platform)->wait(now);
    EXPECT_GE((*platform)->system_wait_count() - asked_before, 9u);
    loop.close();
    for (const Fd fd : *pair) (*platform)->sockets().close_now(fd);
}

TEST(EpollWait, looks_at_a_level_that_is_ready_again_and_again_and_asks_the_system_rarely) {
    constexpr std::size_t turn_count = 160;
    test::TestClock clock;
    const auto platform = EpollPlatform::make(clock);
    ASSERT_TRUE(platform);
    TestApp app;
    Loop loop(**platform, app);
    const auto level_pair = (*platform)->sockets().connection_pair();
    const auto edge_pair = (*platform)->sockets().connection_pair();
    ReadinessOp level((*level_pair)[0], Events::readable, Trigger::level);
    ReadinessOp edge((*edge_pair)[0], Events::readable);
    app.start(level);
    app.start(edge);
    ASSERT_EQ(::write((*level_pair)[1], "x", 1), 1);
    while (app.rung.size() < 3) loop.turn();
    const auto asked_in = [&](std::size_t turns, Duration turn_lasts) {
        app.rung.clear();
        const std::uint64_t asked_before = (*platform)->system_wait_count();
        for (std::size_t i = 0; i < turns; ++i) {
            clock.jump(turn_lasts);
            loop.turn();
        }
        return (*platform)->system_wait_count() - asked_before;
    };

    EXPECT_EQ(asked_in(turn_count, Duration(0)), turn_count / 16);
    EXPECT_EQ(app.rung, std::vector<Op*>(turn_count, &level));
    // Other descriptors are polled nevertheless, and in each wait if a turn takes long.
    ASSERT_EQ(::write((*edge_pair)[1], "y", 1), 1);
    (void)asked_in(16, Duration(0));
    EXPECT_EQ(std::count(app.rung.begin(), app.rung.end(), &edge), 1);
    EXPECT_EQ(asked_in(turn_count, std::chrono::milliseconds(1)), turn_count);

    // A level op that is not ready any more is reported by epoll again.
    char byte = 0;
    ASSERT_EQ(::read((*level_pair)[0], &byte, 1), 1);
    app.rung.clear();
    std::thread writer([&] { (void)!::write((*level_pair)[1], "z", 1); });
    while (app.rung.empty()) loop.turn();
    writer.join();
    loop.close();
    for (const Fd fd : *level_pair) (*platform)->sockets().close_now(fd);
    for (const Fd fd : *edge_pair) (*platform)->sockets().close_now(fd);
}

TEST(EpollWait, forgets_a_descriptor_with_its_close) {
    IoWorld world("epoll");
    auto& platform = static_cast<EpollPlatform&>(world.platform());
    {
        Pair pair(world);
        PollOp poll(pair.near, Events::readable);
        world.app.start(poll);
        world.settle();
        EXPECT_EQ(platform.registered_count(), 1u);
        world.close(std::exchange(pair.near, -1));
        EXPECT_EQ(poll.result(), cancelled_result);
    }
    EXPECT_EQ(platform.registered_count(), 0u);
}

TEST(EpollWait, keeps_its_own_descriptors_from_being_closed) {
    const Fd lowest = ::dup(0);
    ::close(lowest);
    IoWorld world("epoll");  // Takes the lowest free numbers: epoll, then the eventfd.
    for (const Fd fd : {lowest, lowest + 1}) {
        CloseOp close(fd);
        EXPECT_EQ(world.run(close), -EBADF);
        PollOp poll(fd, Events::readable);
        EXPECT_EQ(world.run(poll), -EBADF);
    }
    world.settle();
}

TEST(EpollDeathTest, a_loop_used_after_fork_says_what_to_do) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        {
            SystemClock clock;
            const auto platform = EpollPlatform::make(clock);
            const pid_t child = ::fork();
            if (child == 0) (void)(*platform)->wait(Instant());
            int status = 0;
            ::waitpid(child, &status, 0);
            if (WIFSIGNALED(status)) std::abort();
        },
        "make the loop after the fork");
}

}  // namespace
}  // namespace gyre::platform
