// SPDX-License-Identifier: Apache-2.0
// Limits of Linux that simulated sockets and files share. Constants; any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gyre/base/result.hpp"

namespace gyre::sim {

// The most bytes that one read or write transfers.
inline constexpr std::size_t transfer_bytes_max = 0x7ffff000;

// The permission bits of a mode.
inline constexpr std::uint32_t permissions = 07777;

inline std::unexpected<Error> error(std::errc code) noexcept {
    return std::unexpected(Error(code));
}

}  // namespace gyre::sim
