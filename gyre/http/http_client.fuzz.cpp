// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the client against a server whose bytes come from the input, in the simulation. The
// first byte selects the requests. Then the input is what the server sends: 0x1d ends a connection,
// 0x1e a piece (the next one comes a while later), 0x1f a piece after which the server closes.
//
// Each request ends, with a response within the limits or with one of the client's errors; no task
// is left.
#include <array>
#include <string>
#include <vector>

#include "gyre/base/bytes.hpp"
#include "gyre/http/client.hpp"
#include "gyre/http/fuzz_text.test.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/core/sleep.hpp"
#include "tests/support/test_world.hpp"

namespace gyre::http {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t body_bytes_max = 2000;
constexpr std::size_t connection_count_max = 16;

// Sends the pieces of one connection, whatever the request is.
Future<void> play(net::Connection stream, std::string_view text) {
    std::array<std::byte, 4096> buffer{};
    static_cast<void>(co_await try_(stream.read(buffer)));
    while (!text.empty()) {
        const std::size_t size = std::min(text.find_first_of("\x1e\x1f"), text.size());
        if (size > 0 && !co_await try_(stream.write(bytes_of(text.substr(0, size))))) co_return;
        if (size == text.size()) break;
        const bool closes = text[size] == '\x1f';
        text.remove_prefix(size + 1);
        if (closes) co_return;
        co_await sleep(1ms);
    }
    // Waits for the client's next request, or its end: a request beyond the input gets no answer.
    while (const auto read = co_await try_(stream.read(buffer))) {
        if (*read == 0) co_return;
    }
}

Future<void> serve(net::Listener listener, std::string_view text) {
    auto body = [&](Scope& scope) -> Future<void> {
        for (std::size_t count = 0; count < connection_count_max; ++count) {
            net::Connection stream = co_await listener.accept();
            const std::size_t size = std::min(text.find('\x1d'), text.size());
            scope.spawn(play, std::move(stream), text.substr(0, size));
            text.remove_prefix(std::min(size + 1, text.size()));
        }
    };
    co_await with_scope(std::move(body));
}

// Asks once; the choice says how.
Future<void> ask(Client& client, const std::string& url, unsigned choice) {
    try {
        ClientRequest request(url);
        if (choice % 4 == 1) request.method = "HEAD";
        if (choice % 4 == 2) request = ClientRequest("POST", url, std::string(300, 'b'));
        if (choice % 8 < 4) {
            const ClientResponse answer = co_await client.fetch(std::move(request));
            GYRE_ASSERT(answer.status >= 200 && answer.status <= 999, "a final status");
            GYRE_ASSERT(answer.body.size() <= body_bytes_max, "the body exceeds its limit");
            GYRE_ASSERT(choice % 4 != 1 || answer.body.empty(), "a body after HEAD");
        } else {
            Incoming incoming = co_await client.open(std::move(request));
            std::size_t size = 0;
            while (size < body_bytes_max / 2) {
                const std::string_view piece = co_await incoming.read();
                if (piece.empty()) break;
                size += piece.size();
            }
        }
    } catch (const std::system_error&) {
        co_return;
    } catch (const MessageRefused&) {
        co_return;
    } catch (const ClientError&) {
        co_return;
    }
}

}  // namespace

int fuzz_text(std::string_view text) {
    if (text.empty()) return -1;
    const auto choice = static_cast<unsigned char>(text.front());
    text.remove_prefix(1);
    test::TestWorld<Executor> world;
    world.run([&]() -> Future<void> {
        ClientOptions options;
        options.limits = small_limits();
        options.limits.head_bytes_max = 600;
        options.limits.body_bytes_max = body_bytes_max;
        options.redirect_count_max = 3;
        options.interim_count_max = 3;
        Client client(std::move(options));
        auto body = [&](Scope& scope) -> Future<void> {
            net::Listener listener = co_await net::listen(Address::loopback());
            const std::string url = "http://" + listener.local_address().value().to_string() + "/x";
            auto server = scope.spawn(serve, std::move(listener), text);
            co_await ask(client, url, choice % 8);
            co_await ask(client, url, choice / 8 % 8);  // on a kept connection, if there is one
            co_await sleep(1min);                       // Kept connections end by themselves.
            server.cancel("the requests are over");
        };
        co_await with_scope(std::move(body));
        GYRE_ASSERT(client.kept_count() == 0, "a kept connection outlives its time");
    });
    GYRE_ASSERT(world.app.task_count() == 0, "tasks are left");
    return 0;
}

}  // namespace gyre::http
