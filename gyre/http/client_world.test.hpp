// SPDX-License-Identifier: Apache-2.0
// HttpClient: the fixture of the client's tests: our own server, or a peer that sends fixed texts.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "gyre/http/client.hpp"
#include "gyre/http/server_world.test.hpp"

namespace gyre::http {

class HttpClient : public ServerWorld {
protected:
    static std::string url_of(const Address& at, const std::string& path) {
        return "http://" + at.to_string() + path;
    }
    // A server that sends these texts, one per connection, whatever the request is.
    template <class F>
    void with_peer(std::vector<std::string> texts, F client) {
        run([&]() -> Future<void> {
            auto body = [&](Scope& scope) -> Future<void> {
                net::Listener listener = co_await net::listen(Address::loopback());
                const Address at = listener.local_address().value();
                scope.spawn([&]() -> Future<void> {
                    for (const std::string& text : texts) {
                        net::Connection stream = co_await listener.accept();
                        std::array<std::byte, 4096> buffer{};
                        static_cast<void>(co_await stream.read(buffer));
                        if (!text.empty()) co_await stream.write(bytes_of(text));
                    }
                });
                co_await client(at);
            };
            co_await with_scope(std::move(body));
        });
    }
};

inline Future<void> echo(Request& request, Response& response) {
    response.field("X-Method", name_of(request.method()));
    response.field("X-Authorization", request.field("authorization"));
    response.send(co_await request.text());
}

}  // namespace gyre::http
