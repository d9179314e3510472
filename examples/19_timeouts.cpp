// SPDX-License-Identifier: Apache-2.0
// Time: a timeout for a whole call tree, a deadline that all parts of a request see, and an
// interval that does not drift.
//
//     $ build/release/bin/examples/19_timeouts
//     slow: Timeout after 20ms
//     quick: 7 rows
//     outside one minute, inside one hour: the minute holds
//     tick, tick, tick

// [head]
#include <cstdio>

#include <gyre/gyre.hpp>

using namespace gyre;
using namespace std::chrono_literals;
// [/head]

// [timeout]
Future<int> query(Duration time) {
    co_await sleep(time);
    co_return 7;
}

Future<void> ask_twice() {
    try {
        co_await timeout(query(24h), 20ms);
    } catch (const TimeoutError& e) {
        std::printf("slow: %s\n", e.what());
    }
    std::printf("quick: %d rows\n", co_await timeout(query(1ms), 1min));
}
// [/timeout]

// [deadline]
// Code at any depth can ask how much time is left.
Future<Duration> time_left() {
    const Task& task = co_await this_task();
    co_return co_await current_deadline() - task.executor().now();
}

Future<void> nest() {
    const Duration left = co_await timeout(timeout(time_left(), 1h), 1min);
    if (left <= 1min) std::puts("outside one minute, inside one hour: the minute holds");
}
// [/deadline]

// [interval]
Future<void> tick() {
    Interval interval(5ms);
    for (const char* end : {", ", ", ", "\n"}) {
        co_await interval.next();
        std::printf("tick%s", end);
    }
}
// [/interval]

int main() {
    return gyre::run([]() -> Future<void> {
        co_await ask_twice();
        co_await nest();
        co_await tick();
    });
}
