// SPDX-License-Identifier: Apache-2.0
// What the system of a host does late or wrong: clocks, timers, wakes, names. For each a test that shows
// it, and one of a right program that bears it.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <system_error>

#include "gyre/net/connection.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/net/resolver.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/thread/blocking.hpp"
#include "gyre/testing/search.hpp"

namespace gyre::testing {
namespace {

using namespace std::chrono_literals;
using sim::Host;

constexpr std::uint16_t port = 7300;

// Lets the events of a plan happen.
void run_with(Simulation& simulation, std::string_view text, Duration duration) {
    const std::vector<std::string> names = {"a", "b"};
    const auto plan = sim::parse_plan(text, names);
    ASSERT_TRUE(plan) << plan.error();
    simulation.start_all();
    const sim::PlanRun run(*plan, simulation.world());
    simulation.run_for(duration);
}

// ---- The wall clock ----

// What the clock of the host has gained in three seconds.
std::int64_t gained_ms(std::string_view plan) {
    Simulation simulation;
    std::int64_t gained = 0;
    simulation.add_host("a", [&gained](Host&) -> Future<void> {
        const std::int64_t begin = sim::unix_nanoseconds();
        EXPECT_GE(begin, sim::WallClock::starts_at_seconds * 1'000'000'000);
        co_await sleep(3s);
        gained = (sim::unix_nanoseconds() - begin) / 1'000'000 - 3000;
    });
    simulation.add_host("b", [](Host&) -> Future<void> {
        const std::int64_t begin = sim::unix_seconds();
        co_await sleep(3s);
        EXPECT_EQ(sim::unix_seconds() - begin, 3);  // Each host has a clock of its own.
    });
    run_with(simulation, plan, 10s);
    return gained;
}

TEST(WallClock, passes_as_the_time_does_without_faults) {
    EXPECT_EQ(gained_ms(""), 0);
    EXPECT_EQ(sim::unix_seconds(), 0) << "no host runs";
}

TEST(WallClock, jumps_ahead_and_back_and_drifts) {
    EXPECT_EQ(gained_ms("at 1s clock-jump a 1h"), 3'600'000);
    EXPECT_EQ(gained_ms("at 1s clock-back a 20s"), -20'000);
    EXPECT_EQ(gained_ms("at 1s clock-drift a 100 for 1s"), 100);
}

// A lease measured by the monotonic clock, in a world whose wall clocks are wrong.
TEST(WallClock, does_not_matter_to_a_sleep_and_a_timeout) {
    Simulation simulation;
    int naps = 0;
    simulation.add_host("a", [&naps](Host&) -> Future<void> {
        for (int i = 0; i < 5; ++i) {
            co_await sleep(1s);
            ++naps;
        }
    });
    simulation.add_host("b", [](Host&) -> Future<void> { co_return; });
    run_with(simulation, "at 1500ms clock-jump a 1h, at 2500ms clock-back a 2h", 5s + 100ms);
    EXPECT_EQ(naps, 5);
}

// ---- Late timers and wakes ----

Duration longest_lateness(std::string_view plan, Duration& total) {
    Simulation simulation({.seed = 3});
    Duration longest(0);
    simulation.add_host("a", [&](Host& host) -> Future<void> {
        for (int i = 0; i < 100; ++i) {
            const Instant due = host.world().now() + 10ms;
            co_await sleep(10ms);
            EXPECT_GE(host.world().now(), due);
            longest = std::max(longest, host.world().now() - due);
            total += host.world().now() - due;
        }
    });
    simulation.add_host("b", [](Host&) -> Future<void> { co_return; });
    run_with(simulation, plan, 1min);
    return longest;
}

TEST(LateTimers, come_up_to_the_stated_time_later_and_never_early) {
    Duration total(0);
    EXPECT_EQ(longest_lateness("", total), 0s);
    const Duration longest = longest_lateness("at 0s late-timers a 200ms for 1min", total);
    EXPECT_GT(longest, 100ms);
    EXPECT_LE(longest, 200ms);
    EXPECT_GT(total, 5s);
}

Future<void> echo_once(Host& host) {
    net::Listener listener = co_await net::listen(host.address(port));
    net::Connection stream = co_await listener.accept();
    std::array<std::byte, 16> buffer{};
    while (const std::size_t size = co_await stream.read(buffer)) {
        co_await stream.write(Bytes(buffer).first(size));
    }
}

// How long a hundred round trips take.
Duration time_of_round_trips(std::string_view plan) {
    Simulation simulation({.seed = 4});
    std::optional<Duration> took;
    const Host& server = simulation.add_host("a", echo_once);
    simulation.add_host("b", [&took, to = server.address(port)](Host& host) -> Future<void> {
        co_await sleep(1s);
        const Instant begin = host.world().now();
        net::Connection stream = co_await net::connect(to);
        std::array<std::byte, 16> buffer{};
        for (int i = 0; i < 100; ++i) {
            co_await stream.write(bytes_of("hello"));
            EXPECT_EQ(co_await stream.read(buffer), 5u);
        }
        took = host.world().now() - begin;
    });
    run_with(simulation, plan, 2min);
    EXPECT_TRUE(took.has_value());
    return took.value_or(Duration(0));
}

TEST(LateWakes, delay_a_server_and_lose_nothing) {
    EXPECT_LT(time_of_round_trips(""), 500ms);
    const Duration late = time_of_round_trips("at 0s late-wakes a 50ms for 2min");
    EXPECT_GT(late, 1s);
    EXPECT_LT(late, 6s);
}

// ---- Names ----

// Connects by name, again and again; the reasons for which it did not are appended.
auto connect_by_name(std::string name, std::string& log) {
    return [name, &log](Host&) -> Future<void> {
        net::Resolver resolver;
        for (;;) {
            const char* why = nullptr;
            try {
                net::Connection stream =
                    co_await timeout(net::connect(resolver, name, port), 400ms);
                why = "connected";
            } catch (const net::NameError& e) {
                why = e.kind() == net::NameError::Kind::not_found ? "not found " : "no server ";
            } catch (const TimeoutError&) {
                why = "late ";
            } catch (const std::system_error&) {
                why = "refused ";
            }
            const sim::OutsideHost outside;
            log += why;
            if (log.ends_with("connected")) co_return;
            co_await sleep(1s);
        }
    };
}

std::string log_of_connects(std::string name, std::string_view plan) {
    Simulation simulation({.seed = 5});
    std::string log;
    log.reserve(1000);
    simulation.add_host("a", echo_once);
    simulation.add_host("b", connect_by_name(std::move(name), log));
    run_with(simulation, plan, 3s + 500ms);
    return log;
}

TEST(Names, of_the_hosts_of_a_world_are_found) {
    EXPECT_EQ(log_of_connects("a", ""), "connected");
    EXPECT_EQ(log_of_connects("10.0.0.1", "at 0s no-names b for 1min"), "connected");
}

TEST(Names, that_nobody_has_are_not_found) {
    EXPECT_EQ(log_of_connects("nobody", ""), "not found not found not found not found ");
}

TEST(Names, can_be_asked_for_again_when_no_server_replies) {
    EXPECT_EQ(log_of_connects("a", "at 0s no-names b for 2500ms"),
              "no server no server no server connected");
}

TEST(Names, that_come_late_can_be_given_up_and_asked_for_again) {
    const std::string log = log_of_connects("a", "at 0s slow-work b 20s for 1500ms");
    EXPECT_TRUE(log.starts_with("late ")) << log;
    EXPECT_TRUE(log.ends_with("connected")) << log;
}

// ---- Blocking work ----

TEST(SlowWork, takes_longer_and_ends) {
    Simulation simulation({.seed = 6});
    Duration took(0);
    simulation.add_host("a", [&took](Host& host) -> Future<void> {
        const Instant begin = host.world().now();
        const auto give = [] { return 7; };
        for (int i = 0; i < 10; ++i) EXPECT_EQ(co_await blocking(give), 7);
        took = host.world().now() - begin;
    });
    simulation.add_host("b", [](Host&) -> Future<void> { co_return; });
    run_with(simulation, "at 0s slow-work a 1s for 1min", 1min);
    EXPECT_GT(took, 2s);
    EXPECT_LT(took, 11s);
}

}  // namespace
}  // namespace gyre::testing
