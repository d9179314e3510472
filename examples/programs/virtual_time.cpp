// SPDX-License-Identifier: Apache-2.0
// A unit test in virtual time: a retry with growing pauses is tested over an hour in no time, in the
// simulator, on the same code that runs in production.
//
//     $ virtual_time
//     gives up after 5 attempts and 31 minutes: ok
//     stops with the first success: ok

#include <gyre/gyre.hpp>

#include <cstdio>
#include <functional>
#include <stdexcept>

using namespace gyre;
using namespace std::chrono_literals;

// What is tested: calls until it succeeds, with pauses of 1, 2, 4… minutes.
Future<int> retry(std::function<Future<void>()> call, int attempt_count_max) {
    for (int attempt = 1;; ++attempt) {
        if (co_await try_(call())) co_return attempt;
        co_await sleep(1min * (1 << (attempt - 1)));
        if (attempt == attempt_count_max) throw std::runtime_error("given up");
    }
}

Future<void> fails() {
    co_await fail(Error(std::errc::connection_refused));
}

Future<bool> gives_up() {
    const Instant start = (co_await this_task()).executor().now();
    const auto end = co_await all_settled(retry(fails, 5));
    const Duration taken = (co_await this_task()).executor().now() - start;
    co_return !std::get<0>(end) && taken == 31min;
}

Future<bool> stops() {
    int calls = 0;
    auto third_time = [&]() -> Future<void> {
        if (++calls < 3) co_await fail(Error(std::errc::connection_refused));
    };
    co_return co_await retry(third_time, 5) == 3;
}

Future<int> tests() {
    const bool first = co_await gives_up();
    std::printf("gives up after 5 attempts and 31 minutes: %s\n", first ? "ok" : "FAILED");
    const bool second = co_await stops();
    std::printf("stops with the first success: %s\n", second ? "ok" : "FAILED");
    co_return first&& second ? 0 : 1;
}

int main() {
    return gyre::run(tests, {.platform = "sim", .seed = 1});
}
