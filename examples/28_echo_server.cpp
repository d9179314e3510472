// SPDX-License-Identifier: Apache-2.0
// An echo server over TCP with three clients, all on one loop. Each connection is a task; a read
// gives 0 at the end of the stream, and a write waits for a slow reader.
//
//     $ build/release/bin/examples/28_echo_server
//     the server said: wave
//     the server said: spin
//     the server said: turn
//     served 3 connections

// [head]
#include <array>
#include <cstdio>
#include <string>

#include <gyre/gyre.hpp>

using namespace gyre;
using namespace std::chrono_literals;
// [/head]

// [server]
Future<void> echo(net::Connection stream) {
    std::array<std::byte, 4096> buffer;
    while (const std::size_t size = co_await stream.read(buffer)) {
        co_await stream.write(Bytes(buffer).first(size));
    }
}

Future<void> serve(const net::Listener& listener, int& count) {
    co_await with_scope([&](Scope& connections) -> Future<void> {
        for (;; ++count) connections.spawn(echo, co_await listener.accept());
    });
}
// [/server]

// [client]
Future<std::string> ask(Address server, std::string word) {
    const net::Connection stream = co_await timeout(net::connect(server), 5s);
    co_await stream.write(bytes_of(word));
    co_await stream.finish();
    std::string answer;
    std::array<std::byte, 16> buffer;
    while (const std::size_t size = co_await stream.read(buffer)) {
        answer += text_of(ConstBytes(buffer).first(size));
    }
    co_return answer;
}
// [/client]

Future<void> app() {
    const net::Listener listener = co_await net::listen(Address::loopback());
    const Address at = listener.local_address().value();
    int count = 0;
    co_await with_scope([&](Scope& scope) -> Future<void> {
        scope.spawn([&] { return serve(listener, count); });
        const auto answers = co_await all(ask(at, "wave"), ask(at, "spin"), ask(at, "turn"));
        const auto& [first, second, third] = answers;
        for (const std::string& answer : {first, second, third}) {
            std::printf("the server said: %s\n", answer.c_str());
        }
        scope.cancel("all have been served");
    });
    std::printf("served %d connections\n", count);
}

int main() {
    return gyre::run(app);
}
