// SPDX-License-Identifier: Apache-2.0
// How Timers reads a time: as digits of different widths, each a level of the wheel. Constants of
// the build; any thread may read them.
//
// Moving a timer down a level costs a miss of the cache, so most timers should move once: the two
// wide digits span 33 us to 17 ms and 17 ms to 34 s, where timeouts are. And what one slot of the
// upper one holds should stay in the cache until it has fired: with a hundred thousand timers a
// second that is 17 ms of them. Above that, digits are narrow: slots cost memory in every loop.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gyre {

// Where a digit stands in a time, and where its slots and its marks (64 slots a word) begin.
struct TimerLevel {
    std::uint8_t shift = 0;
    std::uint8_t bits = 0;
    std::uint16_t first_slot = 0;
    std::uint16_t first_word = 0;
    std::uint16_t word_count = 0;

    [[nodiscard]] constexpr std::uint16_t slot_count() const noexcept {
        return static_cast<std::uint16_t>(1u << bits);
    }
    [[nodiscard]] constexpr std::size_t digit_of(std::uint64_t time) const noexcept {
        return (time >> shift) & (slot_count() - 1u);
    }
    // The digits above this one. In two steps, since a shift by the whole width is undefined.
    [[nodiscard]] constexpr std::uint64_t higher_digits_of(std::uint64_t time) const noexcept {
        return time >> shift >> bits << bits << shift;
    }
    // The level above.
    [[nodiscard]] constexpr TimerLevel next(std::uint8_t its_bits) const noexcept {
        TimerLevel level;
        level.shift = static_cast<std::uint8_t>(shift + bits);
        level.bits = its_bits;
        level.first_slot = static_cast<std::uint16_t>(first_slot + (bits == 0 ? 0 : slot_count()));
        level.first_word = static_cast<std::uint16_t>(first_word + word_count);
        level.word_count = static_cast<std::uint16_t>((level.slot_count() + 63) / 64);
        return level;
    }
};

inline constexpr std::array<std::uint8_t, 10> timer_digit_bits = {4, 6, 5, 9, 11, 6, 6, 6, 6, 5};

inline constexpr auto timer_levels = [] {
    std::array<TimerLevel, timer_digit_bits.size()> levels;
    TimerLevel below;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        below = levels[i] = below.next(timer_digit_bits[i]);
    }
    return levels;
}();
static_assert(timer_levels.back().shift + timer_levels.back().bits == 64);

inline constexpr std::size_t timer_slot_count = timer_levels.back().next(0).first_slot;
inline constexpr std::size_t timer_word_count = timer_levels.back().next(0).first_word;

// The level of the digit in which a bit stands.
inline constexpr auto timer_level_of_bit = [] {
    std::array<std::uint8_t, 64> level_of_bit{};
    for (std::size_t bit = 0; bit < 64; ++bit) {
        for (const TimerLevel& level : timer_levels) {
            if (level.shift + level.bits <= bit) ++level_of_bit[bit];
        }
    }
    return level_of_bit;
}();

}  // namespace gyre
