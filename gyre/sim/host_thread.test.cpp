// SPDX-License-Identifier: Apache-2.0
// Hosts whose program is a function with loops of its own, on a thread: they run in turns, end, are
// killed and start again, and a seed repeats them.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "gyre/io/io_ops.hpp"
#include "gyre/io/socket_ops.hpp"
#include "gyre/sim/plan.hpp"
#include "gyre/sim/test_app.test.hpp"
#include "gyre/sim/world.hpp"

namespace gyre::sim {
namespace {

using namespace std::chrono_literals;

constexpr std::uint16_t port = 80;

// A loop of its own, as a main function makes it.
struct Process {
    explicit Process(Host& host)
        : platform(host.make_platform()), loop(*platform, app, {.offload = &platform->offload()}) {}
    ~Process() { loop.close(); }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    std::int32_t result_of(Op& op) {
        app.start(op);
        while (op.is_in_flight()) loop.turn();
        return op.result();
    }
    void sleep(Duration duration) {
        TimerOp timer(loop.now() + duration);
        (void)result_of(timer);
    }
    [[nodiscard]] Sockets& sockets() { return platform->environment()->sockets(); }

    TestApp app;
    std::unique_ptr<SimPlatform> platform;
    Loop loop;
};

Host& add(World& world, std::string name, std::function<int(Host&)> main) {
    return world.add_host({.name = std::move(name)}, {.main = std::move(main)});
}

// Sends a byte to whoever connects, so many times.
int serve(Host& host, int count) {
    Process process(host);
    const Fd listener = process.sockets().listen(host.address(port), {}).value();
    for (int i = 0; i < count; ++i) {
        AcceptOp accept(listener);
        const Fd client = process.result_of(accept);
        SendOp send(client, bytes_of("x"));
        (void)process.result_of(send);
        process.sockets().close_now(client);
    }
    return 0;
}

bool ask(Process& process, const Address& server) {
    const Fd fd = process.sockets().stream(Address::Family::ipv4).value();
    ConnectOp connect(fd, server);
    const bool is_connected = process.result_of(connect) == 0;
    std::array<std::byte, 1> byte{};
    ReceiveOp receive(fd, byte);
    const bool is_answered = is_connected && process.result_of(receive) == 1;
    process.sockets().close_now(fd);
    return is_answered;
}

TEST(HostThreads, talk_sleep_and_end_with_an_exit_code) {
    VirtualClock clock;
    World world(clock);
    Host& server = add(world, "server", [](Host& host) { return serve(host, 1); });
    Host& client = add(world, "client", [&server](Host& host) {
        EXPECT_EQ(Host::current(), &host);
        Process process(host);
        process.sleep(1h);
        return ask(process, server.address(port)) ? 7 : 1;
    });
    const Instant start = clock.peek();
    server.start();
    client.start();
    EXPECT_TRUE(client.is_running());
    EXPECT_EQ(world.run(), World::End::idle);
    EXPECT_EQ(client.exit_code(), 7);
    EXPECT_EQ(server.exit_code(), 0);
    EXPECT_FALSE(client.is_running());
    EXPECT_GE(clock.peek() - start, 1h);
    EXPECT_EQ(Host::current(), nullptr);
}

TEST(HostThreads, that_wait_for_ever_say_for_what) {
    VirtualClock clock;
    World world(clock);
    Host& server = add(world, "server", [](Host& host) { return serve(host, 1); });
    Host& lonely = add(world, "lonely", [](Host& host) {
        Process process(host);
        WakeOp never;
        return static_cast<int>(process.result_of(never));
    });
    server.start();
    lonely.start();
    EXPECT_EQ(world.run(), World::End::stuck);
    EXPECT_TRUE(server.is_server());
    EXPECT_FALSE(lonely.is_server());
    EXPECT_NE(server.describe().find("1 in flight"), std::string::npos) << server.describe();
    EXPECT_EQ(lonely.exit_code(), std::nullopt);
}

// Polls with a timer that is always due.
TEST(HostThreads, that_only_poll_let_others_run_and_time_pass) {
    VirtualClock clock;
    World world(clock);
    bool is_over = false;
    int poll_count = 0;
    Host& busy = add(world, "busy", [&](Host& host) {
        Process process(host);
        while (!is_over) {
            process.sleep(0s);
            ++poll_count;
        }
        return 0;
    });
    Host& other = add(world, "other", [&](Host& host) {
        Process process(host);
        process.sleep(1ms);
        is_over = true;
        return 0;
    });
    busy.start();
    other.start();
    EXPECT_EQ(world.run(), World::End::idle);
    EXPECT_GT(poll_count, 100);
}

TEST(HostThreads, that_are_killed_run_no_further_and_start_again) {
    VirtualClock clock;
    World world(clock);
    std::vector<std::string> log;
    struct Told {
        std::vector<std::string>& log;
        ~Told() { log.emplace_back("cleaned up"); }
    };
    Host& host = add(world, "a", [&log](Host& at) {
        const Told told{log};
        Process process(at);
        log.push_back("start " + std::to_string(at.start_count()));
        process.sleep(1s);
        log.emplace_back("end");
        return 0;
    });
    host.start();
    world.at(clock.peek() + 500ms, [&host] { host.kill(); });
    world.at(clock.peek() + 700ms, [&host] { host.start(); });
    EXPECT_EQ(world.run(), World::End::idle);
    EXPECT_EQ(log, (std::vector<std::string>{"start 1", "start 2", "end", "cleaned up"}));
    EXPECT_EQ(host.exit_code(), 0);
}

TEST(HostThreads, that_crash_are_silent_and_their_sockets_are_gone) {
    VirtualClock clock;
    World world(clock);
    Host& server = add(world, "server", [](Host& host) { return serve(host, 1000); });
    int answers = 0;
    int failures = 0;
    Host& client = add(world, "client", [&](Host& host) {
        Process process(host);
        for (int i = 0; i < 20; ++i) {
            ++(ask(process, server.address(port)) ? answers : failures);
            process.sleep(100ms);
        }
        return 0;
    });
    server.start();
    client.start();
    const std::vector<std::string> names = {"server", "client"};
    const auto plan = parse_plan("at 500ms crash server for 200ms", names);
    ASSERT_TRUE(plan) << plan.error();
    const PlanRun faults(*plan, world);
    world.run_until(clock.peek() + 1min);
    EXPECT_EQ(client.exit_code(), 0);
    EXPECT_EQ(server.start_count(), 2u);
    EXPECT_GE(answers, 15);
    EXPECT_EQ(answers + failures, 20);
}

// An ended program is not started again by the end of a fault that found it down.
TEST(HostThreads, that_have_ended_stay_so) {
    VirtualClock clock;
    World world(clock);
    Host& host = add(world, "a", [](Host&) { return 3; });
    host.start();
    const std::vector<std::string> names = {"a"};
    const auto plan = parse_plan("at 1s kill a for 1s", names);
    const PlanRun faults(*plan, world);
    EXPECT_EQ(world.run(), World::End::idle);
    EXPECT_EQ(host.start_count(), 1u);
    EXPECT_EQ(host.exit_code(), 3);
}

std::uint64_t hash_of(std::uint64_t seed) {
    VirtualClock clock;
    World world(clock, {.seed = seed});
    Host& server = add(world, "server", [](Host& host) { return serve(host, 60); });
    server.start();
    for (const char* const name : {"b", "c", "d"}) {
        add(world, name, [&server](Host& host) {
            Process process(host);
            for (int i = 0; i < 20; ++i) (void)ask(process, server.address(port));
            return 0;
        }).start();
    }
    world.run_until(clock.peek() + 1h);
    return world.trace_hash();
}

TEST(HostThreads, of_one_seed_have_one_trace) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        EXPECT_EQ(hash_of(seed), hash_of(seed)) << seed;
        EXPECT_NE(hash_of(seed), hash_of(seed + 1)) << seed;
    }
}

}  // namespace
}  // namespace gyre::sim
