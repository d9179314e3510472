// SPDX-License-Identifier: Apache-2.0
// Word: a Vela value of any type in eight bytes, which says what it is. Slot: a register of the
// machine, whose type is known statically and which carries no tag. Values; any thread.
//
//   ...xxx1   a Number of 63 bits
//   ...x000   a Thing on the heap; 0: no value (an omitted argument, a variable before its first)
//   ...x010   void, false, true
//
// A Number above 63 bits and a Float are in a Boxed on the heap. A register of Number, Float or Bool
// holds the bare value; every other register holds a Word.
#pragma once

#include <bit>
#include <cstdint>

namespace gyre::vela::vm {

struct Thing;

class Word {
public:
    constexpr Word() noexcept = default;
    Word(Thing* thing) noexcept : bits_(reinterpret_cast<std::uintptr_t>(thing)) {}

    static constexpr Word from_bits(std::uint64_t bits) noexcept {
        Word made;
        made.bits_ = bits;
        return made;
    }
    static constexpr Word nothing() noexcept { return from_bits(0b00010); }
    static constexpr Word boolean(bool truth) noexcept {
        return from_bits(truth ? 0b11010 : 0b01010);
    }
    static constexpr bool is_small_number(std::int64_t number) noexcept {
        return number >= -(std::int64_t{1} << 62) && number < (std::int64_t{1} << 62);
    }
    // Only if is_small_number.
    static constexpr Word small(std::int64_t number) noexcept {
        return from_bits(static_cast<std::uint64_t>(number) << 1U | 1U);
    }

    [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }
    [[nodiscard]] constexpr bool is_missing() const noexcept { return bits_ == 0; }
    [[nodiscard]] constexpr bool is_small() const noexcept { return (bits_ & 1U) != 0; }
    [[nodiscard]] constexpr bool is_nothing() const noexcept { return bits_ == 0b00010; }
    [[nodiscard]] constexpr bool is_boolean() const noexcept {
        return (bits_ & 0b01111) == 0b01010;
    }
    [[nodiscard]] constexpr bool truth() const noexcept { return (bits_ & 0b10000) != 0; }
    [[nodiscard]] constexpr std::int64_t small_number() const noexcept {
        return static_cast<std::int64_t>(bits_) >> 1;
    }
    // Null if it is none.
    [[nodiscard]] Thing* thing() const noexcept {
        return (bits_ & 7U) == 0 ? reinterpret_cast<Thing*>(bits_) : nullptr;
    }
    friend constexpr bool operator==(Word, Word) noexcept = default;

private:
    std::uint64_t bits_ = 0;
};

union Slot {
    std::uint64_t bits;
    std::int64_t number;
    double real;

    [[nodiscard]] Word word() const noexcept { return Word::from_bits(bits); }
    void set(Word value) noexcept { bits = value.bits(); }
};

// What a register holds.
enum class Rep : std::uint8_t { word, number, real, boolean };

}  // namespace gyre::vela::vm
