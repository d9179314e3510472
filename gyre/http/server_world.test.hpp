// SPDX-License-Identifier: Apache-2.0
// The world of server tests: a server on simulated sockets, in virtual time, and clients that send
// fixed texts. One test, one thread.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/http/message_story.test.hpp"
#include "gyre/http/server.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/core/sleep.hpp"
#include "tests/support/test_world.hpp"

namespace gyre::http {

// A stream whose input arrives piece by piece, each when the server reads again; counts the sends.
class ScriptedStream final : public net::ByteStream {
public:
    explicit ScriptedStream(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {}

    Future<std::size_t> do_read(Bytes into) override {
        if (next_ == pieces_.size()) co_return 0;
        std::string& piece = pieces_[next_];
        const std::size_t size = std::min(piece.size(), into.size());
        std::memcpy(into.data(), piece.data(), size);
        piece.erase(0, size);
        if (piece.empty()) ++next_;
        co_return size;
    }
    Future<void> do_write_pieces(std::span<ConstBytes> pieces) override {
        ++send_count;
        for (const ConstBytes piece : pieces) text += text_of(piece);
        co_return;
    }
    Future<void> do_finish() override { co_return; }

    std::string text;
    int send_count = 0;

private:
    std::vector<std::string> pieces_;
    std::size_t next_ = 0;
};

inline Future<std::string> read_to_end(net::Connection& stream) {
    std::string text;
    std::array<std::byte, 4096> buffer{};
    for (;;) {
        const auto size = co_await try_(stream.read(buffer));
        if (!size || *size == 0) co_return text;
        text += text_of(ConstBytes(buffer).first(*size));
    }
}
// Sends the text and reads until the end of the stream.
inline Future<std::string> listen_to(Address at, std::string text) {
    net::Connection stream = co_await net::connect(at);
    if (!text.empty()) co_await stream.write(bytes_of(text));
    co_return co_await read_to_end(stream);
}
// Sends the text, shuts down the sending side, and reads until the end.
inline Future<std::string> talk(Address at, std::string text) {
    net::Connection stream = co_await net::connect(at);
    static_cast<void>(co_await try_(stream.write(bytes_of(text))));
    static_cast<void>(co_await try_(stream.finish()));
    co_return co_await read_to_end(stream);
}

// The concatenated bodies of the responses in a text.
inline std::vector<std::string> bodies_of(std::string_view text) {
    std::vector<std::string> bodies;
    while (!text.empty()) {
        ResponseParser parser;
        if (parser.parse(text) != ParseState::complete) return bodies;
        const Limits limits;
        BodyParser body(parser.head(), limits);
        text.remove_prefix(parser.head_bytes());
        const bool is_interim = parser.head().status < 200;
        std::string data;
        while (!body.is_complete()) {
            const BodyStep step = body.step(text);
            data += step.data;
            text.remove_prefix(step.consumed_bytes);
            if (step.consumed_bytes == 0) break;
        }
        if (!is_interim) bodies.push_back(data);
    }
    return bodies;
}
inline std::string body_of(std::string_view text) {
    const auto bodies = bodies_of(text);
    return bodies.empty() ? "no answer" : bodies.front();
}
inline int status_of_answer(std::string_view text) {
    ResponseParser parser;
    return parser.parse(text) == ParseState::complete ? parser.head().status : 0;
}

inline Handler sends(std::string text) {
    return [text = std::move(text)](Request&, Response& response) -> Future<void> {
        response.type("text/plain").send(text);
        co_return;
    };
}

inline const std::string get_a = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";

class ServerWorld : public testing::Test {
protected:
    explicit ServerWorld(const sim::SimOptions& options = {}) : world_(options) {}

    // Replaces the server; call it before adding routes.
    void make_server(const ServerOptions& options) {
        std::destroy_at(&server);
        std::construct_at(&server, options);
    }
    // Runs the task to its end; returns its value or throws.
    template <class F>
    auto run(F function) {
        auto handle = world_.spawn(std::move(function));
        static_cast<void>(world_.loop.run());
        EXPECT_TRUE(world_.app.root().has_only_daemons()) << world_.app.dump_tasks();
        return handle.outcome().take();
    }
    // Runs the client while the server serves, then stops the server.
    template <class F>
    ShutdownReport with_server(F client) {
        ShutdownReport report;
        run([&]() -> Future<void> {
            auto body = [&](Scope& scope) -> Future<void> {
                net::Listener listener = co_await net::listen(Address::loopback());
                const Address at = listener.local_address().value();
                auto serving =
                    scope.spawn([&](net::Listener given) { return server.serve(std::move(given)); },
                                std::move(listener));
                co_await client(at);
                if (!serving.is_completed()) server.stop();
                report = co_await std::move(serving);
            };
            co_await with_scope(std::move(body));
        });
        return report;
    }
    // The whole output of the server for this input.
    std::string exchange(const std::string& text) {
        std::string answer;
        with_server([&](Address at) -> Future<void> { answer = co_await talk(at, text); });
        return answer;
    }
    struct Heard {
        std::string text;
        int send_count;
    };
    Heard converse(std::vector<std::string> pieces) {
        ScriptedStream stream(std::move(pieces));
        run([&]() -> Future<void> { co_await server.serve_connection(stream); });
        return {stream.text, stream.send_count};
    }

    [[nodiscard]] sim::SimPlatform& platform() { return world_.outside.platform(); }
    [[nodiscard]] int descriptor_count() { return platform().descriptor_count(); }

    Server server;

private:
    test::TestWorld<Executor> world_;
};

// The fixture is shared by several files.
class HttpServer : public ServerWorld {};

}  // namespace gyre::http
