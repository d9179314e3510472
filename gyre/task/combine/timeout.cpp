// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/combine/timeout.hpp"

namespace gyre {
namespace {

// Whole milliseconds, or as many decimals as it takes.
std::string in_milliseconds(Duration duration) {
    const auto nanoseconds = std::max<Duration::rep>(duration.count(), 0);
    std::string text = std::to_string(nanoseconds / 1'000'000);
    if (const auto rest = nanoseconds % 1'000'000; rest > 0) {
        std::string decimals = std::to_string(1'000'000 + rest);
        decimals[0] = '.';
        text += decimals.substr(0, decimals.find_last_not_of('0') + 1);
    }
    return text + "ms";
}

}  // namespace

TimeoutError::TimeoutError(Duration limit)
    : SystemFailure(std::errc::timed_out, "Timeout after " + in_milliseconds(limit)),
      limit_(limit) {}

Future<void> alarm_at(Instant when) {
    co_await sleep_until(when);
}

}  // namespace gyre
