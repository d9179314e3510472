// SPDX-License-Identifier: Apache-2.0
// Helpers for the results of system calls. Any thread.
#pragma once

#include <sys/types.h>

#include <cerrno>
#include <cstdint>
#include <limits>

#include "gyre/base/result.hpp"
#include "gyre/kernel/clock.hpp"

namespace gyre::platform {

template <class Call>
auto without_interruption(Call call) noexcept {
    auto result = call();
    while (result < 0 && errno == EINTR) result = call();
    return result;
}

inline bool would_block(int error) noexcept {
    return error == EAGAIN || error == EWOULDBLOCK;
}

inline bool is_offset(std::uint64_t offset) noexcept {
    return offset <= static_cast<std::uint64_t>(std::numeric_limits<off_t>::max());
}

// For calls that use a timespec type of their own.
template <class Timespec>
Timespec to_timespec(Duration duration) noexcept {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
    Timespec out{};
    out.tv_sec = seconds.count();
    out.tv_nsec = (duration - seconds).count();
    return out;
}

inline std::unexpected<Error> last_error() noexcept {
    return std::unexpected(Error(static_cast<std::errc>(errno)));
}

}  // namespace gyre::platform
