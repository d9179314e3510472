// SPDX-License-Identifier: Apache-2.0
// Connecting to hosts of which some addresses never answer, and the delays of RFC 8305. In virtual
// time.
#include <array>
#include <chrono>
#include <numeric>

#include "gyre/net/connection.hpp"
#include "gyre/net/internal/ip_text.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/net/net_world.test.hpp"
#include "gyre/net/resolver.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/sleep.hpp"

namespace gyre::net {
namespace {

using namespace std::chrono_literals;

std::string error_text(NameError::Kind kind) {
    return "error " + std::to_string(static_cast<int>(kind));
}

// In virtual time: the simulated network has addresses that never answer.
class DeadAddresses : public NetWorld {};
INSTANTIATE_TEST_SUITE_P(, DeadAddresses, testing::Values("sim"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(DeadAddresses, are_passed_over_after_a_moment_each) {
    const int before = descriptor_count();
    const Instant start = loop().now();
    run([]() -> Future<void> {
        Listener listener = co_await listen(Address::loopback());
        const Address alive = listener.local_address().value();
        const Address dead = *parse_ip("192.0.2.1", 80);
        const Address other = *parse_ip("2001:db8::1", 80);
        const std::vector all{other, dead, alive};
        const Connection stream = co_await connect_any(all);
        EXPECT_EQ(stream.peer_address().value(), alive);
    });
    EXPECT_EQ(std::chrono::floor<std::chrono::milliseconds>(loop().now() - start), 500ms);
    EXPECT_EQ(descriptor_count(), before);
}

TEST_P(DeadAddresses, one_that_refuses_is_passed_over_at_once) {
    const Instant start = loop().now();
    run([]() -> Future<void> {
        Listener gone = co_await listen(Address::loopback());
        const Address refusing = gone.local_address().value();
        gone.close();
        Listener listener = co_await listen(Address::loopback());
        const Address alive = listener.local_address().value();
        // The last address is never tried.
        const std::vector all{refusing, alive, *parse_ip("192.0.2.1", 80)};
        const Connection stream = co_await connect_any(all);
        EXPECT_EQ(stream.peer_address().value(), alive);
    });
    EXPECT_LT(loop().now() - start, 250ms);
}

TEST_P(DeadAddresses, end_at_a_deadline_and_leave_nothing) {
    const int before = descriptor_count();
    run([]() -> Future<void> {
        const auto late = co_await try_(timeout(net::connect(*parse_ip("192.0.2.1", 80)), 5s));
        EXPECT_EQ(late.error(), Error(std::errc::timed_out));
        const std::vector dead{*parse_ip("192.0.2.1", 80), *parse_ip("192.0.2.2", 80)};
        const auto all_dead = co_await try_(timeout(connect_any(dead), 5s));
        EXPECT_EQ(all_dead.error(), Error(std::errc::timed_out));
        // Without a deadline the connect fails with the timeout of the system.
        const auto at_last = co_await try_(net::connect(*parse_ip("192.0.2.1", 80)));
        EXPECT_EQ(at_last.error(), Error(std::errc::timed_out));
    });
    EXPECT_EQ(descriptor_count(), before);
}

// When replies arrive and attempts start. In virtual time, with a NameTable.
class ResolutionDelay : public NetWorld {
protected:
    static constexpr auto ipv4 = Address::Family::ipv4;
    static constexpr auto ipv6 = Address::Family::ipv6;
    struct Connected {
        Address::Family family = Address::Family::none;
        Duration after = Duration(0);
    };

    // Connects to a host with these replies; its addresses accept unless the test says otherwise.
    Connected connect_to_host(NameTable::Answer of_ipv4, NameTable::Answer of_ipv6) {
        const Instant start = loop().now();
        Connected connected;
        run([&]() -> Future<void> {
            const Listener fourth = co_await listen(Address::loopback());
            const std::uint16_t port = fourth.local_address().value().port();
            const Listener sixth = co_await listen(*parse_ip("::1", port));
            if (of_ipv4.addresses.empty()) of_ipv4.addresses = {Address::loopback()};
            if (of_ipv6.addresses.empty()) of_ipv6.addresses = {*parse_ip("::1", 0)};
            auto table = std::make_unique<NameTable>();
            table->set("host.test", ipv4, of_ipv4);
            table->set("host.test", ipv6, of_ipv6);
            Resolver resolver(std::move(table), no_hosts());
            const Connection stream = co_await net::connect(resolver, "host.test", port);
            connected.family = stream.peer_address().value().family();
        });
        connected.after = std::chrono::floor<std::chrono::milliseconds>(loop().now() - start);
        return connected;
    }
    static ResolverOptions no_hosts() {
        ResolverOptions options;
        options.hosts_path = "/dev/null";
        return options;
    }
    static NameTable::Answer after(Duration delay) {
        NameTable::Answer answer;
        answer.delay = delay;
        return answer;
    }
    // The error of connecting to a host whose queries fail in these ways.
    std::string failure_of(NameError::Kind of_ipv4, NameError::Kind of_ipv6) {
        std::string story;
        run([&]() -> Future<void> {
            auto table = std::make_unique<NameTable>();
            NameTable::Answer answer;
            answer.failure = of_ipv4;
            table->set("host.test", ipv4, answer);
            answer.failure = of_ipv6;
            answer.delay = 10ms;
            table->set("host.test", ipv6, answer);
            Resolver resolver(std::move(table), no_hosts());
            try {
                static_cast<void>(co_await net::connect(resolver, "host.test", 80));
            } catch (const NameError& e) {
                story = "error " + std::to_string(static_cast<int>(e.kind()));
            }
        });
        return story;
    }
};
INSTANTIATE_TEST_SUITE_P(, ResolutionDelay, testing::Values("sim"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(ResolutionDelay, ipv4_waits_a_moment_for_ipv6) {
    const Connected connected = connect_to_host(after(0ms), after(49ms));
    EXPECT_EQ(connected.family, ipv6);
    EXPECT_EQ(connected.after, 49ms);
}

TEST_P(ResolutionDelay, ipv4_goes_ahead_when_the_moment_is_over) {
    const Connected connected = connect_to_host(after(0ms), after(51ms));
    EXPECT_EQ(connected.family, ipv4);
    EXPECT_EQ(connected.after, 50ms);
}

TEST_P(ResolutionDelay, ipv6_waits_for_nobody) {
    const Connected connected = connect_to_host(after(NameTable::never), after(20ms));
    EXPECT_EQ(connected.family, ipv6);
    EXPECT_EQ(connected.after, 20ms);
}

TEST_P(ResolutionDelay, ipv4_goes_ahead_when_it_is_told_that_there_is_no_ipv6) {
    const Instant start = loop().now();
    run([]() -> Future<void> {
        const Listener listener = co_await listen(Address::loopback());
        const Address at = listener.local_address().value();
        auto table = std::make_unique<NameTable>();
        NameTable::Answer here;
        here.addresses = {at};
        table->set("host.test", ipv4, here);
        table->set("host.test", ipv6, after(10ms));
        Resolver resolver(std::move(table), no_hosts());
        const Connection stream = co_await net::connect(resolver, "host.test", at.port());
        EXPECT_EQ(stream.peer_address().value(), at);
    });
    EXPECT_EQ(std::chrono::floor<std::chrono::milliseconds>(loop().now() - start), 10ms);
}

TEST_P(ResolutionDelay, what_comes_late_is_tried_where_the_others_are_dead) {
    NameTable::Answer dead = after(0ms);
    dead.addresses = {*parse_ip("192.0.2.1", 0)};
    const Connected connected = connect_to_host(dead, after(100ms));
    EXPECT_EQ(connected.family, ipv6);
    // The attempt at the dead address starts after 50 ms; the next one 250 ms later.
    EXPECT_EQ(connected.after, 300ms);
}

TEST_P(ResolutionDelay, a_name_without_addresses_says_why) {
    using Kind = NameError::Kind;
    EXPECT_EQ(failure_of(Kind::not_found, Kind::not_found), error_text(Kind::not_found));
    EXPECT_EQ(failure_of(Kind::failed, Kind::not_found), error_text(Kind::failed));
    EXPECT_EQ(failure_of(Kind::not_found, Kind::timed_out), error_text(Kind::timed_out));
}

// clause: K14
TEST_P(ResolutionDelay, of_a_long_answer_so_many_addresses_are_looked_at) {
    run([&]() -> Future<void> {
        NameTable::Answer answer;
        for (int i = 1; i <= 5; ++i) {
            answer.addresses.push_back(*parse_ip("127.0.0." + std::to_string(i), 0));
        }
        auto table = std::make_unique<NameTable>();
        table->set("host.test", ipv4, answer);
        ResolverOptions options = no_hosts();
        options.address_count_max = 3;
        Resolver resolver(std::move(table), std::move(options));
        const auto found = co_await resolver.resolve("host.test", 80, ipv4);
        EXPECT_EQ(found.size(), 3u);
    });
}

TEST_P(ResolutionDelay, a_silent_service_is_given_up_at_a_deadline) {
    const int before = descriptor_count();
    run([]() -> Future<void> {
        auto table = std::make_unique<NameTable>();
        table->set("host.test", ipv4, after(NameTable::never));
        table->set("host.test", ipv6, after(NameTable::never));
        Resolver resolver(std::move(table), no_hosts());
        const auto late = co_await try_(timeout(net::connect(resolver, "host.test", 80), 5s));
        EXPECT_EQ(late.error(), Error(std::errc::timed_out));
    });
    EXPECT_EQ(descriptor_count(), before);
}

}  // namespace
}  // namespace gyre::net
