// SPDX-License-Identifier: Apache-2.0
// What every attempt at a system call says in the same way. Any thread.
#pragma once

#include <cerrno>

#include "gyre/base/result.hpp"

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

inline std::unexpected<Error> last_error() noexcept {
    return std::unexpected(Error(static_cast<std::errc>(errno)));
}

}  // namespace gyre::platform
