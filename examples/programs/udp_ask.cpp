// SPDX-License-Identifier: Apache-2.0
// A question over UDP with a time limit and three attempts; the server loses every other datagram.
//
//     $ udp_ask
//     no answer within 20 ms: again
//     ping -> PING
//     no answer within 20 ms: again
//     pong -> PONG

#include <gyre/gyre.hpp>

#include <array>
#include <cctype>
#include <cstdio>
#include <stdexcept>
#include <string>

using namespace gyre;
using namespace std::chrono_literals;

Future<void> serve(net::Datagram& socket) {
    std::array<std::byte, 512> buffer;
    for (bool is_lost = true;; is_lost = !is_lost) {
        const net::Received got = co_await socket.receive_from(buffer);
        for (std::byte& each : Bytes(buffer).first(got.size)) {
            each = static_cast<std::byte>(std::toupper(static_cast<int>(each)));
        }
        if (!is_lost) co_await socket.send_to(Bytes(buffer).first(got.size), got.from);
    }
}

Future<std::string> ask(net::Datagram& socket, Address server, std::string question) {
    std::array<std::byte, 512> buffer;
    for (int attempt = 0; attempt < 3; ++attempt) {
        co_await socket.send_to(bytes_of(question), server);
        const auto got = co_await try_(timeout(socket.receive_from(buffer), 20ms));
        if (got) co_return std::string(text_of(Bytes(buffer).first(got->size)));
        std::puts("no answer within 20 ms: again");
    }
    throw std::runtime_error("no answer to '" + question + "' after 3 attempts");
}

Future<void> app() {
    net::Datagram server = co_await net::bind_datagram(Address::loopback());
    net::Datagram client = co_await net::bind_datagram(Address::loopback());
    const Address at = server.local_address().value();
    co_await with_scope([&](Scope& scope) -> Future<void> {
        auto serving = scope.spawn([&server] { return serve(server); });
        for (const char* word : {"ping", "pong"}) {
            const std::string answer = co_await ask(client, at, word);
            std::printf("%s -> %s\n", word, answer.c_str());
        }
        serving.cancel("done");
    });
}

int main() {
    return gyre::run(app);
}
