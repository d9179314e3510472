// SPDX-License-Identifier: Apache-2.0
// Several at once: all of them, the first to settle, or the first that is good. Losers are
// cancelled, and have cleaned up before the winner's value is returned.
//
//     $ build/release/bin/examples/22_race
//     all: Anna, 3 orders
//     far: cancelled
//     race: a page from near
//     any: a page from far
//     any: all of 2 futures failed

// [head]
#include <cstdio>
#include <stdexcept>
#include <string>

#include <gyre/gyre.hpp>

using namespace gyre;
using namespace std::chrono_literals;
// [/head]

Future<std::string> user() {
    co_await sleep(10ms);
    co_return "Anna";
}
Future<int> order_count() {
    co_await sleep(5ms);
    co_return 3;
}
Future<std::string> broken() {
    co_await sleep(1ms);
    throw std::runtime_error("no answer");
}

// [fetch]
Future<std::string> fetch(std::string mirror, Duration time) {
    try {
        co_await sleep(time);
    } catch (const Cancelled&) {
        std::printf("%s: cancelled\n", mirror.c_str());
        throw;
    }
    co_return "a page from " + mirror;
}
// [/fetch]

// [combine]
Future<void> app() {
    auto [name, orders] = co_await all(user(), order_count());
    std::printf("all: %s, %d orders\n", name.c_str(), orders);

    const std::string first = co_await race(fetch("near", 10ms), fetch("far", 24h));
    std::printf("race: %s\n", first.c_str());

    const std::string good = co_await any(broken(), fetch("far", 20ms));
    std::printf("any: %s\n", good.c_str());
    try {
        co_await any(broken(), broken());
    } catch (const AggregateError& e) {
        std::printf("any: %s\n", e.what());
    }
}
// [/combine]

int main() {
    return gyre::run(app);
}
