// SPDX-License-Identifier: Apache-2.0
// Points in a program's own code where a simulation may take a rare branch or wait. Outside of a
// simulation a point is two instructions, and never taken.
//
//     if (sim::chance("cache is full", 1, 100)) evict_all();
//     if (const Duration wait = sim::delay_at("before the commit"); wait > Duration(0)) {
//         co_await sleep(wait);
//     }
//
// A point is known by its name, which is a string literal. In each run the seed disables some points
// altogether, so that others are reached.
//
// Thread: any; only the thread of a simulation takes points.
// Lifetime: ChancePoints belongs to a World.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "gyre/base/random.hpp"
#include "gyre/kernel/clock.hpp"

namespace gyre::sim {

class ChancePoints {
public:
    struct Count {
        std::uint64_t reached = 0;
        std::uint64_t taken = 0;
    };

    explicit ChancePoints(std::uint64_t seed) noexcept : random_(seed) {}
    ChancePoints(const ChancePoints&) = delete;
    ChancePoints& operator=(const ChancePoints&) = delete;

    // While one exists, the points of this thread are those of a simulation.
    class Use {
    public:
        explicit Use(ChancePoints* points) noexcept : before_(current) { set(points); }
        ~Use() { set(before_); }
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;

    private:
        static void set(ChancePoints* points) noexcept {
            current = points;
            is_on = points != nullptr;
        }
        ChancePoints* const before_;
    };

    // True `part` times in `of`, if the point is enabled in this run.
    [[nodiscard]] bool draw(std::string_view name, std::uint64_t part, std::uint64_t of);
    // Up to 100 ms, one time in ten.
    [[nodiscard]] Duration draw_delay(std::string_view name);

    // For reports, by their names. Points that were never reached are not known.
    [[nodiscard]] const std::map<std::string, Count, std::less<>>& counts() const noexcept {
        return counts_;
    }

    static inline constinit thread_local ChancePoints* current = nullptr;
    // Whether it is set: compared in memory, so that a point is a comparison and a jump.
    static inline constinit thread_local bool is_on = false;

private:
    Random random_;
    std::map<std::string, Count, std::less<>> counts_;
    std::map<std::string, bool, std::less<>> is_enabled_;
};

[[nodiscard]] inline bool chance(std::string_view name, std::uint64_t part, std::uint64_t of) {
    if (!ChancePoints::is_on) [[likely]]
        return false;
    return ChancePoints::current->draw(name, part, of);
}

[[nodiscard]] inline Duration delay_at(std::string_view name) {
    if (!ChancePoints::is_on) [[likely]]
        return Duration(0);
    return ChancePoints::current->draw_delay(name);
}

}  // namespace gyre::sim
