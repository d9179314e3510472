// SPDX-License-Identifier: Apache-2.0
// Server-sent events: a response that continues as long as there are events. Each write is sent at
// once; a slow reader slows the writer down. When the reader disconnects, the next write fails and
// ends the handler.
//
//     $ build/release/bin/examples/40_server_sent_events
//     text/event-stream
//     data: tick 1
//     data: tick 2
//     data: tick 3
//     the listener has left

// [head]
#include <cstdio>
#include <string>

#include <gyre/gyre.hpp>
#include <gyre/http/client.hpp>
#include <gyre/http/server.hpp>

using namespace gyre;
using namespace std::chrono_literals;
// [/head]

// [events]
Future<void> tell_ticks(http::Request&, http::Response& response) {
    response.type("text/event-stream").field("Cache-Control", "no-store");
    for (int tick = 1;; ++tick) {
        co_await response.write("data: tick " + std::to_string(tick) + "\n\n");
        co_await sleep(5ms);
    }
}
// [/events]

Future<void> app(Scope& root) {
    Event has_left;
    http::Server server;
    server.get("/ticks", [&](http::Request& request, http::Response& response) -> Future<void> {
        try {
            co_await tell_ticks(request, response);
        } catch (const std::system_error&) {
            has_left.set();
            throw;
        }
    });
    net::Listener listener = co_await net::listen(Address::loopback());
    const std::string url = "http://" + listener.local_address().value().to_string() + "/ticks";
    auto serving = root.spawn([&](net::Listener given) { return server.serve(std::move(given)); },
                              std::move(listener));
    {
        http::Client client;
        http::ClientRequest request(url);
        http::Incoming incoming = co_await client.open(std::move(request));
        std::printf("%s\n", std::string(incoming.field("content-type")).c_str());
        for (int i = 0; i < 3; ++i) {
            const std::string_view event = co_await incoming.read();
            std::printf("%.*s\n", static_cast<int>(event.find('\n')), event.data());
        }
    }
    co_await has_left.wait();
    std::puts("the listener has left");
    server.stop();
    co_await std::move(serving);
}

int main() {
    return gyre::run(app);
}
