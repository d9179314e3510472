// SPDX-License-Identifier: Apache-2.0
// The time limits of a client, what it keeps, and servers that send what nobody asked for.
#include <functional>

#include "gyre/http/client_world.test.hpp"
#include "gyre/task/core/sleep.hpp"

namespace gyre::http {
namespace {

using namespace std::chrono_literals;

class HttpClientLimits : public HttpClient {
protected:
    using Peer = std::function<Future<void>(net::Connection&)>;

    // Runs `client` with the address of a peer that does `serve` with each connection.
    void with_serving_peer(Peer serve, std::function<Future<void>(std::string)> client) {
        run([&]() -> Future<void> {
            co_await with_scope([&](Scope& scope) -> Future<void> {
                net::Listener listener = co_await net::listen(Address::loopback());
                const std::string url = url_of(listener.local_address().value(), "/");
                scope.spawn_daemon([&]() -> Future<void> {
                    for (;;) {
                        net::Connection stream = co_await listener.accept();
                        std::array<std::byte, 4096> buffer{};
                        static_cast<void>(co_await stream.read(buffer));
                        co_await serve(stream);
                    }
                });
                co_await client(url);
            });
        });
    }
    // Gives what came of one request.
    std::string fetch_from(Peer serve, ClientOptions options) {
        std::string seen;
        with_serving_peer(std::move(serve), [&](std::string url) -> Future<void> {
            Client client(options);
            try {
                ClientRequest request(url);
                const ClientResponse answer = co_await client.fetch(std::move(request));
                seen = std::to_string(answer.status) + " " + answer.body;
            } catch (const std::system_error& error) {
                seen = error.what();
            } catch (const ClientError& error) {
                seen = error.what();
            }
        });
        return seen;
    }
};

TEST_F(HttpClientLimits, end_a_request_whose_answer_does_not_begin) {
    const auto silent = [](net::Connection&) -> Future<void> { co_await sleep(1h); };
    EXPECT_EQ(fetch_from(silent, {.timeouts = {.head = 5s}}),
              "the head of the response did not come within 5000 ms, the limit timeouts.head");
}

TEST_F(HttpClientLimits, end_a_request_whose_answer_stalls) {
    const auto stall = [](net::Connection& stream) -> Future<void> {
        co_await stream.write(bytes_of("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"));
        co_await sleep(1h);
    };
    EXPECT_EQ(fetch_from(stall, {.timeouts = {.read = 7s}}),
              "no byte of the body came within 7000 ms, the limit timeouts.read");
}

TEST_F(HttpClientLimits, end_a_request_whose_answer_drips) {
    const auto drip = [](net::Connection& stream) -> Future<void> {
        co_await stream.write(bytes_of("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n"));
        for (int i = 0; i < 900; ++i) {
            co_await sleep(1s);
            co_await stream.write(bytes_of("x"));
        }
    };
    EXPECT_EQ(fetch_from(drip, {.timeouts = {.whole = 30s}}),
              "the response was not complete within 30000 ms, the limit timeouts.whole");
}

class SilentConnector final : public Connector {
public:
    Future<std::unique_ptr<net::ByteStream>> connect(const Url& /*url*/,
                                                     Timing& /*timing*/) override {
        co_await sleep(1h);
        co_return nullptr;
    }
};

TEST_F(HttpClientLimits, end_a_request_whose_connection_is_not_made) {
    std::string seen;
    run([&]() -> Future<void> {
        Client client({.timeouts = {.connect = 3s}}, std::make_unique<SilentConnector>());
        try {
            ClientRequest request("http://a.example/");
            static_cast<void>(co_await client.fetch(std::move(request)));
        } catch (const std::system_error& error) {
            seen = error.what();
        }
    });
    EXPECT_EQ(seen, "no connection to http://a.example within 3000 ms, the limit timeouts.connect");
}

// Its second read ends when it is cancelled, and yet with bytes: they had come already.
class PlantedStream final : public net::ByteStream {
public:
    Future<std::size_t> do_read(Bytes into) override {
        constexpr std::string_view answer = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nmine";
        constexpr std::string_view planted = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nplanted";
        if (++read_count_ == 1) co_return copy(answer, into);
        try {
            co_await sleep(1h);
        } catch (const Cancelled&) {
        }
        co_return copy(planted, into);
    }
    Future<void> do_write_pieces(std::span<ConstBytes> /*pieces*/) override { co_return; }
    Future<void> do_finish() override { co_return; }

private:
    static std::size_t copy(std::string_view text, Bytes into) {
        std::ranges::copy(bytes_of(text), into.begin());
        return text.size();
    }
    int read_count_ = 0;
};

class PlantedConnector final : public Connector {
public:
    explicit PlantedConnector(int& count) : count_(count) {}
    Future<std::unique_ptr<net::ByteStream>> connect(const Url& /*url*/,
                                                     Timing& /*timing*/) override {
        ++count_;
        co_return std::make_unique<PlantedStream>();
    }

private:
    int& count_;
};

TEST_F(HttpClientLimits, a_kept_connection_whose_bytes_come_while_it_is_taken_is_not_used_again) {
    int connection_count = 0;
    std::vector<std::string> bodies;
    run([&]() -> Future<void> {
        Client client({}, std::make_unique<PlantedConnector>(connection_count));
        for (int i = 0; i < 2; ++i) {
            ClientRequest request("http://a.example/");
            const ClientResponse answer = co_await client.fetch(std::move(request));
            bodies.push_back(answer.body);
            EXPECT_EQ(client.kept_count(), 1U);
            co_await sleep(1s);  // The connection is read by now.
        }
    });
    EXPECT_EQ(bodies, (std::vector<std::string>{"mine", "mine"}));
    EXPECT_EQ(connection_count, 2);
}

TEST_F(HttpClientLimits, let_a_long_upload_take_the_time_that_it_needs) {
    make_server({.timeouts = {.body = 1h, .handler = 1h}});
    server.post("/a", [](Request& request, Response& response) -> Future<void> {
        std::size_t size = 0;
        for (;;) {
            const std::string_view piece = co_await request.read();
            if (piece.empty()) break;
            size += piece.size();
            co_await sleep(500ms);
        }
        response.send(std::to_string(size));
    });
    with_server([&](Address at) -> Future<void> {
        Client client({.timeouts = {.head = 3s}});
        ClientRequest request("POST", url_of(at, "/a"), std::string(2'000'000, 'x'));
        const ClientResponse answer = co_await client.fetch(std::move(request));
        EXPECT_EQ(answer.body, "2000000");
    });
}

TEST_F(HttpClientLimits, bound_the_interim_answers) {
    const auto flood = [](int count) {
        return [count](net::Connection& stream) -> Future<void> {
            for (int i = 0; i < count; ++i) {
                co_await stream.write(bytes_of("HTTP/1.1 103 Early Hints\r\n\r\n"));
            }
            co_await stream.write(bytes_of("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"));
        };
    };
    EXPECT_EQ(fetch_from(flood(3), {.interim_count_max = 3}), "200 hi");
    EXPECT_EQ(fetch_from(flood(4), {.interim_count_max = 3}),
              "the server sent more interim responses than interim_count_max, 3");
}

TEST_F(HttpClientLimits, a_kept_connection_with_bytes_that_nobody_asked_for_is_not_used_again) {
    int connection_count = 0;
    std::vector<std::string> bodies;
    const auto plant = [&](net::Connection& stream) -> Future<void> {
        ++connection_count;
        co_await stream.write(bytes_of("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nmine"));
        co_await sleep(1s);
        co_await stream.write(bytes_of("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nplanted"));
    };
    with_serving_peer(plant, [&](std::string url) -> Future<void> {
        Client client;
        for (int i = 0; i < 2; ++i) {
            ClientRequest request(url);
            const ClientResponse answer = co_await client.fetch(std::move(request));
            bodies.push_back(answer.body);
            EXPECT_EQ(client.kept_count(), 1U);
            co_await sleep(2s);
            EXPECT_EQ(client.kept_count(), 0U);
        }
    });
    EXPECT_EQ(bodies, (std::vector<std::string>{"mine", "mine"}));
    EXPECT_EQ(connection_count, 2);
}

}  // namespace
}  // namespace gyre::http
