// SPDX-License-Identifier: Apache-2.0
// How large a pool is, and the text that says so: `threads` or `threads,queue`, as the environment
// variables of the pools have it. Plain values: any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace gyre::pool {

inline constexpr std::uint32_t thread_count_limit = 1024;
inline constexpr std::size_t queued_count_limit = std::size_t{1} << 20u;

struct PoolSize {
    std::uint32_t thread_count = 0;  // at most; 0: as many as there are cores, at least 4
    std::size_t queued_count_max = 1024;

    friend constexpr bool operator==(PoolSize, PoolSize) noexcept = default;
};

// What the text leaves open stays as in `base`. The error says what is wrong with it.
[[nodiscard]] std::expected<PoolSize, std::string> parse_pool_size(std::string_view text,
                                                                   PoolSize base);

// The size that the environment variable gives, or `base` where it is not set. A bad one is logged
// and ignored.
[[nodiscard]] PoolSize pool_size_from_environment(const char* variable, PoolSize base);

}  // namespace gyre::pool
