// SPDX-License-Identifier: Apache-2.0
// The numbers that all programs share, so that each library is given the same work: how many
// timers, which deadlines, how many posts. The programs in other languages repeat the generator.
//
// Pure functions and constants; any thread may use them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gyre::bench {

inline constexpr std::int64_t ns_per_ms = 1'000'000;

// Timers: delays uniform in 1 ms .. 10 s. Whole milliseconds are not asked for: libraries that
// round to milliseconds do so themselves.
inline constexpr std::int64_t delay_min_ns = 1 * ns_per_ms;
inline constexpr std::int64_t delay_max_ns = 10'000 * ns_per_ms;
inline constexpr std::size_t timer_count_full = 1'000'000;
inline constexpr std::size_t timer_count_quick = 100'000;

// Posts: at most `post_window` are under way for one producer, so that messages can be reused.
inline constexpr std::uint64_t post_count_full = 1'000'000;
inline constexpr std::uint64_t post_count_quick = 100'000;
inline constexpr std::size_t post_batch = 64;
inline constexpr std::size_t post_window = 4096;

// splitmix64: one addition and three mixes a number, easy to repeat in any language.
class Numbers {
public:
    explicit Numbers(std::uint64_t seed) noexcept : state_(seed) {}

    std::uint64_t next() noexcept {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }

private:
    std::uint64_t state_;
};

inline std::vector<std::int64_t> delays_ns(std::size_t count, std::uint64_t seed) {
    Numbers numbers{seed};
    std::vector<std::int64_t> delays(count);
    for (std::int64_t& delay : delays) {
        constexpr std::uint64_t range = delay_max_ns - delay_min_ns;
        delay = delay_min_ns + static_cast<std::int64_t>(numbers.next() % range);
    }
    return delays;
}

}  // namespace gyre::bench
