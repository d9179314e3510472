// SPDX-License-Identifier: Apache-2.0
// Resolver: numeric addresses, the hosts file, and a DNS server of the test's own on 127.0.0.1.
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>

#include "gyre/net/buffered.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/net/datagram.hpp"
#include "gyre/net/internal/hosts.hpp"
#include "gyre/net/internal/ip_text.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/net/net_world.test.hpp"
#include "gyre/net/resolver.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/sleep.hpp"
#include "tests/support/platforms.hpp"

namespace gyre::net {
namespace {

using namespace std::chrono_literals;

class Names : public NetWorld {
protected:
    void TearDown() override {
        if (!hosts_path_.empty()) std::remove(hosts_path_.c_str());
        NetWorld::TearDown();
    }
    // Writes a hosts file to the platform's disk; returns its path.
    std::string put_hosts(const std::string& text) {
        if (is_simulated()) {
            sim().put_file("/etc/own-hosts", text);
            return "/etc/own-hosts";
        }
        hosts_path_ = testing::TempDir() + "gyre-hosts-" + std::to_string(::getpid());
        std::ofstream(hosts_path_) << text;
        return hosts_path_;
    }

private:
    std::string hosts_path_;
};
GYRE_ON_PLATFORMS(Names, gyre::test::every_platform);

TEST(IpText, is_read_as_it_is_written) {
    for (const char* text :
         {"0.0.0.0:7", "127.0.0.1:7", "255.255.255.255:7", "[::]:7", "[::1]:7",
          "[2001:db8::8:800:200c:417a]:7", "[1:2:3:4:5:6:7:8]:7", "[fe80::]:7"}) {
        std::string inner(text);
        inner.resize(inner.size() - 2);
        if (inner.front() == '[') inner = inner.substr(1, inner.size() - 2);
        const auto address = parse_ip(inner, 7);
        ASSERT_TRUE(address) << inner;
        EXPECT_EQ(address->to_string(), text);
    }
    EXPECT_EQ(parse_ip("::ffff:10.0.0.1", 7), parse_ip("::ffff:a00:1", 7));
    EXPECT_EQ(parse_ip("0:0:0:0:0:0:0:1", 7), parse_ip("::1", 7));
    EXPECT_EQ(parse_ip("1::", 7), parse_ip("1:0:0:0:0:0:0:0", 7));
}

TEST(IpText, refuses_what_is_no_address) {
    for (const char* text : {"",
                             ".",
                             ":",
                             "1",
                             "1.2.3",
                             "1.2.3.4.5",
                             "1.2.3.256",
                             "1.2.3.",
                             ".1.2.3",
                             "01.2.3.4",
                             "1.2.3.4 ",
                             "a.b.c.d",
                             "1.2.3.-4",
                             "1:2:3:4:5:6:7",
                             "1:2:3:4:5:6:7:8:9",
                             ":::",
                             "1::2::3",
                             "1:2:3:4:5:6:7:8::",
                             "::1:2:3:4:5:6:7:8",
                             "12345::",
                             "::g",
                             "::1%eth0",
                             "1:2",
                             ":1",
                             "1:",
                             "1.2.3.4::",
                             "::1.2.3",
                             "::1.2.3.4:5",
                             "1:2:3:4:5:6:7:1.2.3.4"}) {
        EXPECT_FALSE(parse_ip(text, 7)) << text;
    }
}

TEST(Hosts, are_found_whatever_the_case) {
    const Hosts hosts = Hosts::parse(
        "# a comment\n127.0.0.1\tlocalhost  Box\n::1 localhost # and one\r\nnonsense "
        "here\n1.2.3.4");
    ASSERT_EQ(hosts.find("LocalHost", 80).size(), 2u);
    EXPECT_EQ(hosts.find("localhost", 80)[0], Address::loopback(80));
    EXPECT_EQ(hosts.find("localhost", 80)[1], parse_ip("::1", 80));
    EXPECT_EQ(hosts.find("box", 1).size(), 1u);
    EXPECT_TRUE(hosts.find("and", 80).empty());
    EXPECT_TRUE(hosts.find("here", 80).empty());
}

TEST(Addresses, are_tried_in_turns_ipv6_first) {
    const auto v4 = [](std::uint8_t i) { return Address::ipv4({10, 0, 0, i}, 1); };
    const auto v6 = [](std::uint8_t i) {
        std::array<std::uint8_t, 16> bytes{};
        bytes[15] = i;
        return Address::ipv6(bytes, 1);
    };
    const std::vector<Address> ordered = order_for_connecting({v4(1), v4(2), v4(3), v6(1), v6(2)});
    EXPECT_EQ(ordered, (std::vector{v6(1), v4(1), v6(2), v4(2), v4(3)}));
}

// ---- A name server ----

constexpr std::uint16_t type_a = 1;
constexpr std::uint16_t type_aaaa = 28;

struct Question {
    std::string name;
    std::uint16_t type = 0;
    std::size_t end = 0;
};

Question parse_question(ConstBytes message) {
    Question question;
    std::size_t place = 12;
    while (message[place] != std::byte{0}) {
        const auto size = static_cast<std::size_t>(message[place]);
        if (!question.name.empty()) question.name += '.';
        question.name += text_of(message.subspan(place + 1, size));
        place += size + 1;
    }
    question.type = static_cast<std::uint16_t>(message[place + 2]);
    question.end = place + 5;
    return question;
}

// The reply to a query, with this response code, truncation bit and these addresses.
std::vector<std::byte> answer_to(ConstBytes message, const Question& question, int code,
                                 bool is_cut_off, int count) {
    std::vector<std::byte> answer(message.begin(),
                                  message.begin() + static_cast<std::ptrdiff_t>(question.end));
    const auto put = [&answer](std::initializer_list<int> bytes) {
        for (const int byte : bytes) answer.push_back(static_cast<std::byte>(byte));
    };
    answer[2] = static_cast<std::byte>(is_cut_off ? 0x86 : 0x84);
    answer[3] = static_cast<std::byte>(0x80 | code);
    answer[7] = static_cast<std::byte>(count);
    for (std::size_t i = 8; i < 12; ++i) answer[i] = std::byte{0};
    for (int i = 1; i <= count; ++i) {
        if (question.type == type_a) {
            put({0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, i});
        } else {
            put({0xc0, 12, 0, 28, 0, 1, 0, 0, 0, 60, 0, 16});
            put({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, i});
        }
    }
    return answer;
}

// A DNS server over UDP and TCP. Outlives the scope that runs it.
class NameServer {
public:
    Future<Address> start(Scope& scope) {
        const Address at = co_await bind_both();
        scope.spawn([this] { return serve_datagrams(); });
        scope.spawn([this] { return serve_streams(); });
        co_return at;
    }
    int over_tcp = 0;
    int asked = 0;

private:
    // A port that is free for TCP may be in use for UDP: tries again with another one.
    Future<Address> bind_both() {
        for (;;) {
            listener_ = co_await listen(Address::loopback());
            const Address at = listener_.local_address().value();
            auto socket = co_await try_(bind_datagram(at));
            if (socket) {
                socket_ = std::move(*socket);
                co_return at;
            }
            EXPECT_EQ(socket.error(), Error(std::errc::address_in_use));
        }
    }
    // Empty: no reply is sent.
    std::vector<std::byte> answer(ConstBytes message, bool is_tcp) {
        ++asked;
        const Question question = parse_question(message);
        if (question.name == "silent.test") return {};
        if (question.name == "half.test" && question.type == type_aaaa) return {};
        if (question.name == "broken.test") return answer_to(message, question, 2, false, 0);
        if (question.name == "missing.test") return answer_to(message, question, 3, false, 0);
        const bool is_known = question.type == type_a || question.type == type_aaaa;
        const int count =
            !is_known || (question.name == "four.test" && question.type == type_aaaa) ? 0 : 2;
        if (question.name == "large.test" && !is_tcp) {
            return answer_to(message, question, 0, true, 0);
        }
        return answer_to(message, question, 0, false, count);
    }
    Future<void> serve_datagrams() {
        std::array<std::byte, 512> buffer{};
        for (;;) {
            const Received got = co_await socket_.receive_from(buffer);
            const auto reply = answer(Bytes(buffer).first(got.size), false);
            if (!reply.empty()) co_await socket_.send_to(reply, got.from);
        }
    }
    Future<void> serve_streams() {
        for (;;) {
            Connection stream = co_await listener_.accept();
            Reader reader(stream);
            for (;;) {
                std::array<std::byte, 2> size{};
                const auto begun = co_await try_(reader.read_exactly(size));
                if (!begun) break;
                std::vector<std::byte> message(static_cast<std::size_t>(size[0]) * 256 +
                                               static_cast<std::size_t>(size[1]));
                co_await reader.read_exactly(message);
                ++over_tcp;
                const auto reply = answer(message, true);
                const std::array<std::byte, 2> head{static_cast<std::byte>(reply.size() / 256),
                                                    static_cast<std::byte>(reply.size() % 256)};
                co_await stream.write(head);
                co_await stream.write(reply);
            }
        }
    }

    Listener listener_;
    Datagram socket_;
};

// Resolves the name with a NameServer; returns the addresses or the error as text.
Future<std::string> story_of(std::string name, int* over_tcp = nullptr) {
    std::string story;
    NameServer server;
    co_await with_scope([&](Scope& scope) -> Future<void> {
        ResolverOptions options;
        options.servers.push_back(co_await server.start(scope));
        options.hosts_path = "/dev/null";
        // A short timeout only where no reply comes, so that a slow machine fails no other test.
        options.try_timeout = name == "silent.test" ? Duration(50ms) : Duration(1h);
        options.try_count = 2;
        Resolver resolver(std::move(options));
        try {
            const auto found = co_await resolver.resolve(name, 80);
            for (const Address& address : found) story += address.to_string() + " ";
        } catch (const NameError& e) {
            story = "error " + std::to_string(static_cast<int>(e.kind()));
        }
        if (over_tcp != nullptr) *over_tcp = server.over_tcp;
        scope.cancel("asked");
    });
    co_return story;
}
std::string error_text(NameError::Kind kind) {
    return "error " + std::to_string(static_cast<int>(kind));
}

class NameServers : public NetWorld {
protected:
    void SetUp() override {
        if (GYRE_HAS_CARES == 0) GTEST_SKIP() << "skipped: built without c-ares";
        NetWorld::SetUp();
    }
};
GYRE_ON_PLATFORMS(NameServers, gyre::test::real_platforms);

TEST_P(NameServers, gives_addresses_of_both_kinds) {
    // clause: L18
    EXPECT_EQ(run([] { return story_of("good.test"); }),
              "[::1]:80 127.0.0.1:80 [::2]:80 127.0.0.2:80 ");
    EXPECT_EQ(run([] { return story_of("four.test"); }), "127.0.0.1:80 127.0.0.2:80 ");
}

TEST_P(NameServers, is_asked_over_tcp_when_an_answer_is_cut_off) {
    int over_tcp = 0;
    EXPECT_EQ(run([&] { return story_of("large.test", &over_tcp); }),
              "[::1]:80 127.0.0.1:80 [::2]:80 127.0.0.2:80 ");
    EXPECT_GE(over_tcp, 1);
}

TEST_P(NameServers, tells_a_missing_name_from_a_broken_server_and_from_silence) {
    EXPECT_EQ(run([] { return story_of("missing.test"); }), error_text(NameError::Kind::not_found));
    EXPECT_EQ(run([] { return story_of("broken.test"); }), error_text(NameError::Kind::failed));
    EXPECT_EQ(run([] { return story_of("silent.test"); }), error_text(NameError::Kind::timed_out));
}

TEST_P(NameServers, that_is_silent_is_given_up_at_a_deadline) {
    const int before = descriptor_count();
    run([]() -> Future<void> {
        NameServer server;
        co_await with_scope([&](Scope& scope) -> Future<void> {
            ResolverOptions options;
            options.servers.push_back(co_await server.start(scope));
            options.try_timeout = 1h;
            Resolver resolver(std::move(options));
            // On a slow machine the first deadlines may pass before the query reaches the server.
            for (Duration patience = 20ms; server.asked == 0; patience *= 2) {
                const auto late =
                    co_await try_(timeout(resolver.resolve("silent.test", 80), patience));
                EXPECT_EQ(late.error(), Error(std::errc::timed_out));
            }
            scope.cancel("asked");
        });
    });
    EXPECT_EQ(descriptor_count(), before);
}

// Without the resolution delay of RFC 8305 the connect would wait for the missing reply.
TEST_P(NameServers, that_is_silent_about_ipv6_holds_no_connection_up) {
    const int before = descriptor_count();
    run([]() -> Future<void> {
        NameServer server;
        const Listener listener = co_await listen(Address::loopback());
        const Address at = listener.local_address().value();
        co_await with_scope([&](Scope& scope) -> Future<void> {
            ResolverOptions options;
            options.servers.push_back(co_await server.start(scope));
            options.hosts_path = "/dev/null";
            options.try_timeout = 1h;
            Resolver resolver(std::move(options));
            const Connection stream =
                co_await timeout(net::connect(resolver, "half.test", at.port()), 60s);
            EXPECT_EQ(stream.peer_address().value(), at);
            scope.cancel("connected");
        });
    });
    EXPECT_EQ(descriptor_count(), before);
}

// ---- Without a name server ----

TEST_P(Names, numbers_and_the_hosts_file_need_no_server) {
    const std::string path = put_hosts("127.0.0.7 seven\n::7 seven\n");
    run([&]() -> Future<void> {
        ResolverOptions options;
        options.hosts_path = path;
        Resolver resolver(std::move(options));
        const auto number = co_await resolver.resolve("127.0.0.1", 5);
        EXPECT_EQ(number, std::vector{Address::loopback(5)});
        const auto seven = co_await resolver.resolve("Seven", 5);
        EXPECT_EQ(seven, (std::vector{*parse_ip("::7", 5), *parse_ip("127.0.0.7", 5)}));
        const auto refused = co_await try_(resolver.resolve("no name", 5));
        EXPECT_EQ(refused.error(), Error(std::errc::host_unreachable));
    });
}

TEST_P(Names, a_host_is_connected_to_by_name) {
    const std::string path = put_hosts("127.0.0.1 here\n");
    run([&]() -> Future<void> {
        ResolverOptions options;
        options.hosts_path = path;
        Resolver resolver(std::move(options));
        Listener listener = co_await listen(Address::loopback());
        const Address at = listener.local_address().value();
        const Connection stream = co_await net::connect(resolver, "here", at.port());
        EXPECT_EQ(stream.peer_address().value(), at);
    });
}

TEST_P(Names, of_a_large_hosts_file_are_found_up_to_its_limit) {
    const std::string path =
        put_hosts("127.0.0.1 first\n" + std::string(1 << 20, '#') + "\n127.0.0.1 beyond\n");
    run([&]() -> Future<void> {
        Resolver resolver(std::make_unique<NameTable>(), {.hosts_path = path});
        const auto found = co_await resolver.resolve("first", 5);
        EXPECT_EQ(found, std::vector{Address::loopback(5)});
        const auto beyond = co_await try_(resolver.resolve("beyond", 5));
        EXPECT_EQ(beyond.error(), Error(std::errc::host_unreachable));
    });
}

TEST_P(Names, where_no_address_answers_the_error_names_them_all) {
    run([]() -> Future<void> {
        std::vector<Address> nobody;
        for (int i = 0; i < 2; ++i) {
            Listener listener = co_await listen(Address::loopback());
            nobody.push_back(listener.local_address().value());
        }
        std::string said;
        try {
            static_cast<void>(co_await connect_any(nobody));
        } catch (const std::system_error& e) {
            said = e.what();
            EXPECT_EQ(e.code(), std::errc::connection_refused);
        }
        for (const Address& address : nobody) {
            const std::string told = address.to_string() + ": Connection refused";
            EXPECT_NE(said.find(told), std::string::npos) << said;
            EXPECT_EQ(said.find(told + ": Connection refused"), std::string::npos) << said;
        }
        const std::vector<Address> no_addresses;
        const auto none = co_await try_(connect_any(no_addresses));
        EXPECT_EQ(none.error(), Error(std::errc::host_unreachable));
    });
}

class SimulatedHosts : public NetWorld {};
INSTANTIATE_TEST_SUITE_P(, SimulatedHosts, testing::Values("sim"),
                         [](const auto& test) { return std::string(test.param); });

// Every system has `localhost` in its hosts file; the simulated disk has only what the test wrote.
TEST_P(SimulatedHosts, are_those_of_the_simulated_disk_and_not_of_the_system) {
    const auto ask = [](const char* name) -> Future<std::string> {
        Resolver resolver;
        std::string story;
        try {
            const auto found = co_await resolver.resolve(name, 5);
            for (const Address& address : found) story += address.to_string() + " ";
        } catch (const NameError& e) {
            story = error_text(e.kind());
        }
        co_return story;
    };
    EXPECT_EQ(run([&] { return ask("localhost"); }), error_text(NameError::Kind::no_service));
    sim().put_file("/etc/hosts", "10.1.2.3 box\n");
    EXPECT_EQ(run([&] { return ask("box"); }), "10.1.2.3:5 ");
    EXPECT_EQ(run([&] { return ask("localhost"); }), error_text(NameError::Kind::no_service));
}

}  // namespace
}  // namespace gyre::net
