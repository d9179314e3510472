// SPDX-License-Identifier: Apache-2.0
// Load on real sockets: slow peers (slowloris) beside normal ones, peers that disconnect at any
// point, and a shutdown under load. GYRE_TEST_LONG=1 makes the soak long.
#include <gtest/gtest.h>
#include <malloc.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "gyre/base/random.hpp"
#include "gyre/http/client.hpp"
#include "gyre/http/server.hpp"
#include "gyre/net/net_world.test.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/detail/frame_pool.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/sync/event.hpp"
#include "tests/support/platforms.hpp"

namespace gyre::http {
namespace {

using namespace std::chrono_literals;

const std::string get_a = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";

class HttpCrowd : public net::NetWorld {
protected:
    // Runs the body with the server's address, then stops the server.
    template <class F>
    ShutdownReport serve_for(Server& server, F body) {
        return run([&]() -> Future<ShutdownReport> {
            auto both = [&](Scope& scope) -> Future<ShutdownReport> {
                net::Listener listener =
                    co_await net::listen(Address::loopback(), {.backlog = 1024});
                const Address at = listener.local_address().value();
                auto serving =
                    scope.spawn([&](net::Listener given) { return server.serve(std::move(given)); },
                                std::move(listener));
                co_await body(at);
                server.stop();
                co_return co_await std::move(serving);
            };
            co_return co_await with_scope(std::move(both));
        });
    }
};
GYRE_ON_PLATFORMS(HttpCrowd, gyre::test::real_platforms);

Future<void> answer_a(Request& /*request*/, Response& response) {
    response.send("A");
    co_return;
}

Future<void> echo(Request& request, Response& response) {
    for (;;) {
        const std::string_view piece = co_await request.read();
        if (piece.empty()) co_return;
        co_await response.write(piece);
    }
}

// ---- Slow peers ----

// Sends the text, then single bytes until the server closes; returns the response.
Future<std::string> trickle(Address at, std::string text, char more) {
    net::Connection stream = co_await net::connect(at);
    co_await stream.write(bytes_of(text));
    std::array<std::byte, 1000> buffer{};
    const std::string one(1, more);
    for (;;) {
        const auto size = co_await try_(timeout(stream.read(buffer), 5ms));
        if (size) co_return std::string(text_of(ConstBytes(buffer).first(*size)));
        co_await stream.write(bytes_of(one));
    }
}

// Requests a large body and reads it slowly.
Future<void> sip(Address at) {
    net::Connection stream = co_await net::connect(at);
    static_cast<void>(stream.set_receive_buffer(4096));
    co_await stream.write(bytes_of("GET /large HTTP/1.1\r\nHost: x\r\n\r\n"));
    std::array<std::byte, 1> buffer{};
    for (;;) {
        const auto size = co_await try_(stream.read(buffer));
        if (!size || *size == 0) co_return;
        co_await sleep(5ms);
    }
}

// A server with peers that are slow in sending heads, in sending bodies, and in reading.
class HttpSlowCrowd : public HttpCrowd {
protected:
    static constexpr int each_count = 20;

    void add_routes(Server& server) {
        server.get("/a", &answer_a);
        server.get("/large", [this](Request&, Response& response) -> Future<void> {
            const std::string piece(1'000'000, 'x');
            try {
                for (;;) co_await response.write(piece);
            } catch (const Cancelled&) {
                ++slow_read_count;
                throw;
            }
        });
        server.post("/reads", [](Request& request, Response& response) -> Future<void> {
            response.send(co_await request.text());
        });
    }
    void spawn_all(Scope& scope, Address at) {
        const std::string head = "GET /a HTTP/1.1\r\nX: ";
        const std::string before_body =
            "POST /reads HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n";
        for (int i = 0; i < each_count; ++i) {
            scope.spawn([this, at, head]() -> Future<void> {
                const std::string heard = co_await trickle(at, head, 'x');
                if (heard.starts_with("HTTP/1.1 408 ")) ++slow_head_count;
            });
            scope.spawn([this, at, before_body]() -> Future<void> {
                const std::string heard = co_await trickle(at, before_body, 'x');
                if (heard.starts_with("HTTP/1.1 408 ")) ++slow_body_count;
            });
            scope.spawn([at] { return sip(at); });
        }
    }
    static Future<void> ask(Client& client, Address at) {
        ClientRequest request("http://" + at.to_string() + "/a");
        const ClientResponse answer = co_await client.fetch(std::move(request));
        EXPECT_EQ(answer.body, "A");
    }

    // Peers whose connection the server closed.
    int slow_head_count = 0;
    int slow_body_count = 0;
    int slow_read_count = 0;
};
GYRE_ON_PLATFORMS(HttpSlowCrowd, gyre::test::real_platforms);

TEST_P(HttpSlowCrowd, keeps_nobody_else_waiting) {
    Server server({.timeouts = {.head = 1h, .body = 1h, .handler = 1h, .write = 1h}});
    add_routes(server);
    const ShutdownReport report = serve_for(server, [&](Address at) -> Future<void> {
        auto body = [&](Scope& scope) -> Future<void> {
            spawn_all(scope, at);
            while (server.counts().open_connections < 3 * each_count) co_await sleep(1ms);
            Client client;
            for (int i = 0; i < 50; ++i) co_await ask(client, at);
            scope.cancel("the slow ones leave");
        };
        co_await with_scope(std::move(body));
    });
    EXPECT_EQ(server.counts().timed_out, 0U);
    EXPECT_TRUE(report.cut.empty());
}

TEST_P(HttpSlowCrowd, is_given_up_one_by_one) {
    Server server({.timeouts = {.head = 50ms, .body = 50ms, .write = 50ms, .step = 10ms}});
    add_routes(server);
    serve_for(server, [&](Address at) -> Future<void> {
        auto body = [&](Scope& scope) -> Future<void> {
            spawn_all(scope, at);
            Client client;
            while (slow_head_count + slow_body_count + slow_read_count < 3 * each_count) {
                co_await ask(client, at);
                co_await sleep(5ms);
            }
            scope.cancel("slow readers need not read the rest");
        };
        co_await with_scope(std::move(body));
    });
    EXPECT_EQ(slow_head_count, each_count);
    EXPECT_EQ(slow_body_count, each_count);
    EXPECT_EQ(slow_read_count, each_count);
    EXPECT_EQ(server.counts().open_connections, 0U);
}

// ---- Peers that disconnect ----

// Sends part of a request, reads or not, and disconnects in one of several ways.
Future<void> leave_early(Address at, std::uint64_t seed) {
    static const std::string text =
        get_a +
        "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        "5\r\nhello\r\n0\r\n\r\nPOST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\n\r\n" +
        std::string(9000, 'x') + "GET  /bad HTTP/1.1\r\n\r\n";
    Random random(seed);
    auto made = co_await try_(net::connect(at));
    if (!made) co_return;
    net::Connection stream = std::move(*made);
    const std::size_t size_max = random.one_in(2) ? 300 : text.size();
    const std::string part = text.substr(0, random.below(size_max + 1));
    static_cast<void>(co_await try_(stream.write(bytes_of(part))));
    std::array<std::byte, 3000> buffer{};
    switch (random.below(4)) {
        case 0:  // a reset, with answers unread
            static_cast<void>(stream.set_linger(0));
            break;
        case 1:  // a half-close, then the rest is read
            static_cast<void>(co_await try_(stream.finish()));
            for (;;) {
                const auto size = co_await try_(stream.read(buffer));
                if (!size || *size == 0) break;
            }
            break;
        case 2:  // something is read, then a reset
            static_cast<void>(co_await try_(timeout(stream.read(buffer), 1ms)));
            static_cast<void>(stream.set_linger(0));
            break;
        default:
            break;
    }
}

TEST_P(HttpCrowd, of_those_who_leave_in_the_middle_leaves_nothing_behind) {
    const bool is_long = std::getenv("GYRE_TEST_LONG") != nullptr;
    const std::uint64_t round_count = is_long ? 100 : 4;
    constexpr std::uint64_t visits_a_round = 250;
    Server server;
    server.get("/a", &answer_a);
    server.post("/echo", &echo);
    const int descriptors_before = descriptor_count();
    const std::int64_t frames_before = FramePool::live_count();
    std::size_t bytes_before = 0;
    for (std::uint64_t round = 0; round < round_count; ++round) {
        serve_for(server, [&](Address at) -> Future<void> {
            auto body = [&](Scope& scope) -> Future<void> {
                for (std::uint64_t i = 0; i < visits_a_round; ++i) {
                    scope.spawn(leave_early, at, 1000 * round + i);
                }
                co_return;
            };
            co_await with_scope(std::move(body), {.concurrency_max = 32});
            Client client;
            ClientRequest request("http://" + at.to_string() + "/a");
            const ClientResponse answer = co_await client.fetch(std::move(request));
            EXPECT_EQ(answer.body, "A") << "the others are answered as before";
        });
        EXPECT_EQ(server.counts().open_connections, 0U);
        EXPECT_EQ(executor().task_count(), 0U);
        EXPECT_EQ(loop().ops_in_flight(), 0U) << loop().describe_ops();
        EXPECT_EQ(descriptor_count(), descriptors_before);
        EXPECT_EQ(FramePool::live_count(), frames_before);
        // The first round warms the pools that later rounds reuse.
        if (round == 0) bytes_before = ::mallinfo2().uordblks;
    }
    const std::size_t bytes_after = ::mallinfo2().uordblks;
    const std::uint64_t later_visits = (round_count - 1) * visits_a_round;
    EXPECT_LT(bytes_after, bytes_before + (std::size_t{1} << 20U) + 100 * later_visits)
        << "a buffer for each of them would be more";
    EXPECT_GT(server.counts().requests, 0U);
}

// ---- Shutdown under load ----

// Clients with blocking sockets on their own thread. Each connection sends a request, reads the
// whole response, and repeats, until the server closes it.
class Askers {
public:
    static constexpr std::string_view answer_end = "end of the answer";

    Askers(std::uint16_t port, int connection_count)
        : thread_([this, port, connection_count] { ask_all(port, connection_count); }) {}
    void join() { thread_.join(); }

    std::uint64_t answered_count = 0;
    std::uint64_t cut_count = 0;     // truncated responses
    std::uint64_t failed_count = 0;  // failed connects

private:
    void ask_all(std::uint16_t port, int connection_count) {
        std::vector<int> sockets;
        for (int i = 0; i < connection_count; ++i) {
            const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
            sockaddr_in to{};
            to.sin_family = AF_INET;
            to.sin_port = htons(port);
            to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            const timeval ceiling{.tv_sec = 60, .tv_usec = 0};
            ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &ceiling, sizeof ceiling);
            if (::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
                ++failed_count;
                ::close(fd);
                continue;
            }
            sockets.push_back(fd);
        }
        while (!sockets.empty()) {
            for (const int fd : sockets) {
                static_cast<void>(::send(fd, get_a.data(), get_a.size(), MSG_NOSIGNAL));
            }
            std::erase_if(sockets, [this](int fd) {
                const bool goes_on = hear(fd);
                if (!goes_on) ::close(fd);
                return !goes_on;
            });
        }
    }
    // Whether the connection is kept alive.
    bool hear(int fd) {
        std::string text;
        std::array<char, 4096> buffer{};
        for (;;) {
            const ssize_t size = ::recv(fd, buffer.data(), buffer.size(), 0);
            if (size < 0 && errno == EINTR) continue;
            if (size <= 0) {
                if (!text.empty()) ++cut_count;
                return false;
            }
            text.append(buffer.data(), static_cast<std::size_t>(size));
            if (!text.ends_with(answer_end)) continue;
            ++answered_count;
            return text.find("Connection: close") == std::string::npos;
        }
    }

    std::thread thread_;
};

// The request is in the socket buffer, and the server has not read it yet.
TEST_P(HttpCrowd, whose_requests_have_come_at_the_moment_of_the_stop_is_answered) {
    Server server;
    server.get("/a", &answer_a);
    serve_for(server, [&](Address at) -> Future<void> {
        const net::Connection stream = co_await net::connect(at);
        std::array<std::byte, 1000> buffer{};
        for (const bool is_last : {false, true}) {
            co_await stream.write(bytes_of(get_a));
            if (is_last) server.stop();
            const std::size_t size = co_await stream.read(buffer);
            const std::string_view heard = text_of(ConstBytes(buffer).first(size));
            EXPECT_TRUE(heard.ends_with("\r\n\r\nA")) << heard;
            EXPECT_EQ(heard.find("Connection: close") != std::string_view::npos, is_last);
        }
    });
}

TEST_P(HttpCrowd, that_asks_while_the_server_stops_loses_no_request_that_was_read) {
    constexpr int thread_count = 4;
    constexpr int connections_each = 12;
    for (int round = 0; round < 3; ++round) {
        Server server;
        Event is_enough;
        std::uint64_t asked_count = 0;
        server.get("/a", [&](Request&, Response& response) -> Future<void> {
            ++asked_count;
            const bool are_all_here =
                server.counts().connections == thread_count * connections_each;
            if (asked_count >= 400 && are_all_here) is_enough.set();
            if (asked_count % 3 == 0) co_await sleep(1ms);
            std::string text(asked_count % 5 == 0 ? 30'000 : 10, 'x');
            response.send(text.append(Askers::answer_end));
        });
        std::vector<std::unique_ptr<Askers>> askers;
        const ShutdownReport report = serve_for(server, [&](Address at) -> Future<void> {
            for (int i = 0; i < thread_count; ++i) {
                askers.push_back(std::make_unique<Askers>(at.port(), connections_each));
            }
            co_await is_enough.wait();
        });
        std::uint64_t answered_count = 0;
        for (const auto& each : askers) {
            each->join();
            answered_count += each->answered_count;
            EXPECT_EQ(each->cut_count, 0U);
            EXPECT_EQ(each->failed_count, 0U);
        }
        EXPECT_EQ(answered_count, asked_count);
        EXPECT_EQ(server.counts().requests, asked_count);
        EXPECT_TRUE(report.cut.empty());
    }
}

}  // namespace
}  // namespace gyre::http
