// SPDX-License-Identifier: Apache-2.0
// The kinds of faults as a table: their words, what follows the word, and how often each level draws
// them. Constants; any thread.
#pragma once

#include <array>
#include <chrono>

#include "gyre/sim/faults.hpp"
#include "gyre/sim/plan.hpp"

namespace gyre::sim {

enum class Operand : std::uint8_t { none, number, time, path };

struct FaultWord {
    FaultKind kind;
    std::string_view word;
    int host_count;
    Operand operand;
    bool has_duration;
    // What a level draws: events a minute, the operand, and the duration.
    double rough;
    double hostile;
    std::uint64_t number_min;
    std::uint64_t number_max;
    DurationRange lasts;
};

// clang-format off
inline constexpr std::array<FaultWord, fault_kind_count> fault_words = [] {
    using namespace std::chrono_literals;
    using enum FaultKind;
    constexpr std::uint64_t ms = 1'000'000;
    constexpr DurationRange at_once = {0s, 0s};
    return std::array<FaultWord, fault_kind_count>{{
        {cut,         "cut",         2, Operand::none,   true,  4, 16, 0, 0, {100ms, 4s}},
        {cut_one_way, "cut-one-way", 2, Operand::none,   true,  4, 16, 0, 0, {100ms, 4s}},
        {refuse,      "refuse",      2, Operand::none,   true,  2,  8, 0, 0, {100ms, 2s}},
        {slow,        "slow",        2, Operand::time,   true,  6, 20, 5 * ms, 500 * ms, {100ms, 4s}},
        {throttle,    "throttle",    2, Operand::number, true,  2,  8, 1'000, 100'000, {100ms, 4s}},
        {lose,        "lose",        2, Operand::number, true,  6, 20, 2, 20, {100ms, 5s}},
        {duplicate,   "duplicate",   2, Operand::number, true,  6, 20, 2, 20, {100ms, 5s}},
        {overtake,    "overtake",    2, Operand::number, true,  6, 20, 2, 20, {100ms, 5s}},
        {stall,       "stall",       2, Operand::none,   true,  4, 16, 0, 0, {10ms, 2s}},
        {reset,       "reset",       2, Operand::none,   false, 6, 20, 0, 0, at_once},
        {crash,       "crash",       1, Operand::none,   true,  3, 16, 0, 0, {1ms, 3s}},
        {kill,        "kill",        1, Operand::none,   true,  3, 16, 0, 0, {1ms, 3s}},
        {pause,       "pause",       1, Operand::none,   true,  4, 16, 0, 0, {10ms, 2s}},
        {read_error,  "read-error",  1, Operand::number, true,  1,  6, 2, 50, {100ms, 2s}},
        {write_error, "write-error", 1, Operand::number, true,  1,  6, 2, 50, {100ms, 2s}},
        {sync_error,  "sync-error",  1, Operand::number, true,  1,  6, 2, 50, {100ms, 2s}},
        {short_moves, "short-moves", 1, Operand::number, true,  4, 12, 1, 10, {100ms, 4s}},
        {disk_full,   "disk-full",   1, Operand::none,   true,  1,  4, 0, 0, {100ms, 2s}},
        {disk_slow,   "disk-slow",   1, Operand::time,   true,  4, 12, 1 * ms, 300 * ms, {100ms, 4s}},
        {descriptors, "descriptors", 1, Operand::number, true,  1,  4, 4, 20, {100ms, 2s}},
        {memory,      "memory",      1, Operand::number, false, 0,  0, 1, 10'000, at_once},
        {rot,         "rot",         1, Operand::path,   false, 0,  0, 0, 0, at_once},
        {heal,        "heal",        0, Operand::none,   false, 0,  0, 0, 0, at_once},
        {clock_jump,  "clock-jump",  1, Operand::time,   false, 1,  6, 1 * ms, 3'600'000 * ms, at_once},
        {clock_back,  "clock-back",  1, Operand::time,   false, 1,  6, 1 * ms, 3'600'000 * ms, at_once},
        {clock_drift, "clock-drift", 1, Operand::number, true,  2,  8, 1, 500, {100ms, 5s}},
        {late_timers, "late-timers", 1, Operand::time,   true,  4, 12, 1 * ms, 300 * ms, {100ms, 4s}},
        {late_wakes,  "late-wakes",  1, Operand::time,   true,  4, 12, 1 * ms, 50 * ms, {100ms, 4s}},
        {no_names,    "no-names",    1, Operand::none,   true,  2,  8, 0, 0, {100ms, 4s}},
        {slow_work,   "slow-work",   1, Operand::time,   true,  2,  8, 1 * ms, 1'000 * ms, {100ms, 4s}},
    }};
}();
// clang-format on

inline const FaultWord& row_of(FaultKind kind) noexcept {
    return fault_words[static_cast<std::size_t>(kind)];
}

}  // namespace gyre::sim
