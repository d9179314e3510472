// SPDX-License-Identifier: Apache-2.0
// Random: a seeded pseudo-random generator. The same seed gives the same numbers on every machine.
// Not for cryptography.
//
//     Random random(42);
//     const std::uint64_t die = 1 + random.below(6);
//
// Thread: one at a time.
// Lifetime: a value.
#pragma once

#include "gyre/base/detail/compiler.hpp"  // first: checks the compiler

#include <cstdint>

#include "gyre/base/assert.hpp"

namespace gyre {

// SplitMix64 (Steele, Lea, Flood 2014): one word of state, and every seed is equally good.
class Random {
public:
    constexpr explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

    constexpr std::uint64_t next() noexcept {
        state_ += 0x9E3779B97F4A7C15u;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30u)) * 0xBF58476D1CE4E5B9u;
        mixed = (mixed ^ (mixed >> 27u)) * 0x94D049BB133111EBu;
        return mixed ^ (mixed >> 31u);
    }

    // Uniform in [0, bound), without the bias of a plain modulo.
    constexpr std::uint64_t below(std::uint64_t bound) noexcept {
        GYRE_ASSERT(bound > 0, "a random number below zero does not exist: pass a bound above 0");
        const std::uint64_t unfair = (0 - bound) % bound;
        std::uint64_t value = next();
        while (value < unfair) value = next();
        return value % bound;
    }

    // True with probability 1 / `of`.
    constexpr bool one_in(std::uint64_t of) noexcept { return below(of) == 0; }

private:
    std::uint64_t state_;
};

}  // namespace gyre
