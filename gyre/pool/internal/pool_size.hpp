// SPDX-License-Identifier: Apache-2.0
// Parses a PoolSize from the text of an environment variable: `threads` or `threads,queue`. Pure
// functions but for the environment; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "gyre/pool/pools.hpp"

namespace gyre::pool {

inline constexpr std::uint32_t thread_count_limit = 1024;
inline constexpr std::size_t queued_count_limit = std::size_t{1} << 20u;

// A part that the text leaves out is taken from `base`. The error is a message for people.
[[nodiscard]] std::expected<PoolSize, std::string> parse_pool_size(std::string_view text,
                                                                   PoolSize base);

// The size in the environment variable, or `base` when it is not set or empty. An invalid value is logged
// and ignored.
[[nodiscard]] PoolSize pool_size_from_environment(const char* variable, PoolSize base);

}  // namespace gyre::pool
