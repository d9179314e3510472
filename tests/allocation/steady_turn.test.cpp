// SPDX-License-Identifier: Apache-2.0
// A turn in steady state allocates nothing: not in the kernel, not in the platforms.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "gyre/io/environment.hpp"
#include "gyre/io/socket_ops.hpp"
#include "gyre/platform/internal/epoll/epoll.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/sim/world.hpp"
#include "gyre/trace/internal/ring.hpp"
#include "gyre/trace/trace.hpp"
#include "tests/allocation/counting.hpp"
#include "tests/allocation/steady_machines.hpp"

namespace gyre::allocation {
namespace {

constexpr std::uint64_t warm_up_rounds = 100;
constexpr std::uint64_t rounds = 5'000;

void expect_all_kinds_were_used(const Client& client) {
    EXPECT_GE(client.answers, 3 * rounds / 2);
    EXPECT_GE(client.cancelled, rounds / 2);
    EXPECT_GE(client.rings, rounds);
    EXPECT_GE(client.items, rounds);
    EXPECT_GE(client.posts, rounds / 2);
}

TEST(SteadyTurn, of_one_loop_in_virtual_time_allocates_nothing) {
    // clause: K15
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    Family family;
    Loop loop(platform, family.app);
    family.client.begin(family.server.ref(), family.server.ref());
    while (family.client.rounds < warm_up_rounds) loop.turn();

    const Since since;
    while (family.client.rounds < warm_up_rounds + rounds) loop.turn();
    EXPECT_EQ(since.count(), 0u);

    expect_all_kinds_were_used(family.client);
    loop.close();
}

TEST(SteadyTurn, that_is_traced_allocates_nothing) {
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    Family family;
    trace::Trace trace({.limits = {.event_count_max = 1024, .task_name_count_max = 16}});
    Observer& ring = trace.add_loop({.loop = "main"});
    Loop loop(platform, family.app, {.observer = &ring});
    family.client.begin(family.server.ref(), family.server.ref());
    while (family.client.rounds < warm_up_rounds) loop.turn();

    const Since since;
    while (family.client.rounds < warm_up_rounds + rounds) {
        loop.turn();
        ring.on_task(TaskEvent::started, loop.turn_count(), "a task");
        ring.on_mark("a mark");
    }
    EXPECT_EQ(since.count(), 0u);
    EXPECT_GT(trace.rings().front().lost_count(), rounds);
    loop.close();
}

// Turned by hand, so that only the kernel and the platforms are measured.
TEST(SteadyTurn, of_two_loops_that_serve_each_other_allocates_nothing) {
    // clause: K15
    sim::VirtualClock clock;
    Family here;
    Family there;
    {
        sim::World world(clock);
        Loop& here_loop = world.add_loop(here.app);
        Loop& there_loop = world.add_loop(there.app);
        here.client.begin(here.server.ref(), there.server.ref());
        there.client.begin(there.server.ref(), here.server.ref());
        const auto turn_until = [&](std::uint64_t wanted) {
            while (here.client.rounds < wanted || there.client.rounds < wanted) {
                here_loop.turn();
                there_loop.turn();
                clock.advance(std::chrono::microseconds(1));
            }
        };
        turn_until(warm_up_rounds);

        const Since since;
        turn_until(warm_up_rounds + rounds);
        EXPECT_EQ(since.count(), 0u);
        world.close();
    }
    expect_all_kinds_were_used(here.client);
    expect_all_kinds_were_used(there.client);
}

// Plays one byte to and fro over a pair of sockets.
class Player : public Machine {
public:
    explicit Player(std::array<Fd, 2> pair) noexcept
        : Machine("player"),
          receive_(pair[0], into_),
          send_(pair[1], from_),
          ring_receive_(pair[1], byte_ring_, OverflowPolicy::overwrite_oldest),
          ring_send_(pair[0], from_) {}

    void begin() {
        submit(receive_);
        submit(send_);
        submit(ring_receive_);
        submit(ring_send_);
        submit(timer_);
    }
    std::uint64_t received = 0;
    std::uint64_t ring_bytes = 0;
    std::uint64_t timers = 0;

protected:
    void tick(Instant now) override {
        while (next_notification() != nullptr) ring_bytes += byte_ring_.read(ring_into_);
        while (Op* op = next_completion()) {
            if (is_closing_) continue;
            if (op == &receive_) ++received;
            if (op == &timer_) {
                ++timers;
                timer_.deadline = now + std::chrono::microseconds(1);
            }
            submit(*op);
        }
    }
    void on_close() override {
        is_closing_ = true;
        for (Op* op : std::array<Op*, 5>{&receive_, &send_, &ring_receive_, &ring_send_, &timer_}) {
            cancel(*op);
        }
    }

private:
    bool is_closing_ = false;
    std::array<std::byte, 16> into_{};
    std::array<std::byte, 1> from_{};
    std::array<std::byte, 64> ring_memory_{};
    std::array<std::byte, 64> ring_into_{};
    ByteRing byte_ring_{ring_memory_};
    ReceiveOp receive_;
    SendOp send_;
    ReceiveRingOp ring_receive_;
    SendOp ring_send_;
    TimerOp timer_;
};

TEST(SteadyTurn, with_sockets_on_epoll_allocates_nothing) {
    // clause: K15
    platform::SystemClock clock;
    const auto made = platform::EpollPlatform::make(clock);
    ASSERT_TRUE(made.has_value());
    platform::EpollPlatform& platform = **made;
    const auto pair = platform.environment()->sockets().connection_pair().value();
    {
        Player player(pair);
        Loop loop(platform, player);
        player.begin();
        const auto turn_until = [&](std::uint64_t wanted) {
            while (player.received < wanted || player.ring_bytes < wanted ||
                   player.timers < wanted) {
                loop.turn();
            }
        };
        turn_until(warm_up_rounds);

        const Since since;
        turn_until(warm_up_rounds + rounds);
        EXPECT_EQ(since.count(), 0u);
        loop.close();
    }
    for (const Fd fd : pair) platform.environment()->sockets().close_now(fd);
}

TEST(SteadyTurn, with_machines_that_serve_each_other_on_epoll_allocates_nothing) {
    // clause: K15
    platform::SystemClock clock;
    const auto made = platform::EpollPlatform::make(clock);
    ASSERT_TRUE(made.has_value());
    Family family;
    {
        Loop loop(**made, family.app);
        family.client.begin(family.server.ref(), family.server.ref());
        // Few of its pauses: this one waits for a real clock.
        while (family.client.rounds < warm_up_rounds) loop.turn();
        const Since since;
        while (family.client.rounds < 5 * warm_up_rounds) loop.turn();
        EXPECT_EQ(since.count(), 0u);
        loop.close();
    }
}

// What the tests above would see if a turn did allocate.
class Wasteful : public Machine {
public:
    Wasteful() noexcept : Machine("wasteful") {}
    std::vector<std::unique_ptr<int>> waste;

protected:
    void tick(Instant /*now*/) override {
        waste.push_back(std::make_unique<int>(1));
        if (!is_closing_) tick_again();
    }
    void on_close() override { is_closing_ = true; }

private:
    bool is_closing_ = false;

public:
    using Machine::tick_again;
};

TEST(SteadyTurn, that_does_allocate_is_seen) {
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    Wasteful app;
    app.waste.reserve(100'000);
    Loop loop(platform, app, {.rounds_per_turn_max = 1});
    app.tick_again();
    loop.turn();
    const Since since;
    for (int i = 0; i < 1'000; ++i) loop.turn();
    EXPECT_EQ(since.count(), 1'000u);
}

}  // namespace
}  // namespace gyre::allocation
