// SPDX-License-Identifier: Apache-2.0
// Scopes: a task is spawned in a scope, and the scope is left only when all its tasks have ended. A
// concurrency limit makes some of them wait; the first failure cancels the others. No task is left
// behind.
//
//     $ build/release/bin/examples/17_scope
//     fetched c, a, b, d
//     a broken link: the others were cancelled, 0 still run

// [head]
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <gyre/gyre.hpp>

using namespace gyre;
using namespace std::chrono_literals;
// [/head]

Future<void> fetch(std::string name, Duration time, std::string* fetched) {
    co_await sleep(time);
    *fetched += (fetched->empty() ? "" : ", ") + name;
}

// [spawn]
Future<void> fetch_all() {
    std::string fetched;
    co_await with_scope(
        [&](Scope& scope) -> Future<void> {
            scope.spawn(fetch, "a", 30ms, &fetched);
            scope.spawn(fetch, "b", 40ms, &fetched);
            scope.spawn(fetch, "c", 10ms, &fetched);
            scope.spawn(fetch, "d", 40ms, &fetched);
            co_return;
        },
        {.concurrency_max = 3});
    std::printf("fetched %s\n", fetched.c_str());
}
// [/spawn]

// [fail]
Future<void> fetch_until_one_fails() {
    int running = 0;
    const auto download = [&running](Duration time) -> Future<void> {
        ++running;
        try {
            co_await sleep(time);
            throw std::runtime_error("a broken link");
        } catch (...) {  // a failure of its own, or Cancelled
            --running;
            throw;
        }
    };
    try {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            for (Duration time : {1h, 2h, 3h}) scope.spawn(download, time);
            scope.spawn(download, 10ms);
            co_await sleep(24h);
        });
    } catch (const std::runtime_error& e) {
        std::printf("%s: the others were cancelled, %d still run\n", e.what(), running);
    }
}
// [/fail]

int main() {
    return gyre::run([]() -> Future<void> {
        co_await fetch_all();
        co_await fetch_until_one_fails();
    });
}
