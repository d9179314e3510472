// SPDX-License-Identifier: Apache-2.0
// Tries ports of 127.0.0.1, at most 64 at a time, each for a second at most. The program opens
// three of them itself, so that there is something to find.
//
//     $ build/release/bin/examples/31_port_scanner
//     tried 200 ports, found all of the 3 that were opened for it

// [head]
#include <algorithm>
#include <cstdio>
#include <vector>

#include <gyre/gyre.hpp>

using namespace gyre;
using namespace std::chrono_literals;
// [/head]

// [scan]
Future<bool> is_open(std::uint16_t port) {
    const auto stream = co_await try_(timeout(net::connect(Address::loopback(port)), 1s));
    co_return stream.has_value();
}

Future<std::vector<std::uint16_t>> scan(const std::vector<std::uint16_t>& ports) {
    std::vector<std::uint16_t> found;
    const auto look = [&found](std::uint16_t port) -> Future<void> {
        if (co_await is_open(port)) found.push_back(port);
    };
    co_await with_scope(
        [&](Scope& scope) -> Future<void> {
            for (const std::uint16_t port : ports) scope.spawn(look, port);
            co_return;
        },
        {.concurrency_max = 64});
    std::ranges::sort(found);
    co_return found;
}
// [/scan]

Future<void> app() {
    std::vector<net::Listener> listeners;
    std::vector<std::uint16_t> opened;
    for (int i = 0; i < 3; ++i) {
        listeners.push_back(co_await net::listen(Address::loopback()));
        opened.push_back(listeners.back().local_address().value().port());
    }
    std::ranges::sort(opened);
    std::vector<std::uint16_t> ports = opened;
    for (std::uint16_t port = 1; ports.size() < 200; ++port) ports.push_back(port);
    const std::vector<std::uint16_t> found = co_await scan(ports);
    const bool has_all = std::ranges::includes(found, opened);
    std::printf("tried %zu ports, found %s of the %zu that were opened for it\n", ports.size(),
                has_all ? "all" : "not all", opened.size());
}

int main() {
    return gyre::run(app);
}
