// SPDX-License-Identifier: Apache-2.0
// Plan: the faults of one run of a World, as a list of events with times. A level draws one from a
// seed; it can be printed, edited, read again, and made smaller.
//
//     const sim::Plan plan = sim::draw_plan(sim::PlanLevel::rough, seed, names, 10s);
//     puts(sim::to_text(plan).c_str());       // "at 2.1s cut a b for 800ms" ...
//     sim::PlanRun run(plan, world);          // before the world runs
//
// Thread: that of the world.
// Lifetime: a Plan is a value; a PlanRun outlives the run of its world.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/kernel/clock.hpp"

namespace gyre::sim {

class World;

// What may follow the word of a fault: hosts, a number ("one in", bytes a second, descriptors) or a
// time, and how long it lasts.
enum class FaultKind : std::uint8_t {
    cut,          // a b: both directions
    cut_one_way,  // a b: what a sends
    refuse,       // a b: connects from a
    slow,         // a b TIME: latency up to this
    throttle,     // a b BYTES a second
    lose,         // a b N: one datagram in N
    duplicate,    // a b N
    overtake,     // a b N
    stall,        // a b
    reset,        // a b: at once
    crash,        // a: the machine starts again afterwards
    kill,         // a: the process does
    pause,        // a: the process loses its core
    read_error,   // a N: one read in N
    write_error,  // a N
    sync_error,   // a N
    short_moves,  // a N
    disk_full,    // a
    disk_slow,    // a TIME
    descriptors,  // a N: no more than N
    memory,       // a N: the N-th allocation fails; once
    rot,          // a PATH: at once
    heal,         // the links are whole again, at once
    clock_jump,   // a TIME: the wall clock is set ahead, at once
    clock_back,   // a TIME: it is set back, at once
    clock_drift,  // a N: it gains N milliseconds each second
    late_timers,  // a TIME: a sleeping loop is woken for a timer up to this much later
    late_wakes,   // a TIME: the same for input
    no_names,     // a: it finds no name of another host
    slow_work,    // a TIME: blocking work and look-ups of names take up to this much longer
};
inline constexpr std::size_t fault_kind_count = 30;
[[nodiscard]] std::string_view word_of(FaultKind kind) noexcept;

struct PlanEvent {
    Duration at;
    FaultKind kind;
    std::string host = {};
    std::string other = {};    // of a fault between two hosts
    std::uint64_t number = 0;  // in nanoseconds if it is a time
    std::string path = {};     // of `rot`
    Duration lasts = Duration(0);

    friend bool operator==(const PlanEvent&, const PlanEvent&) = default;
};

struct Plan {
    std::vector<PlanEvent> events;  // in the order of their times

    // When its last fault is over.
    [[nodiscard]] Duration end() const noexcept;
    friend bool operator==(const Plan&, const Plan&) = default;
};

enum class PlanLevel : std::uint8_t { calm, rough, hostile };
[[nodiscard]] std::string_view name_of(PlanLevel level) noexcept;
[[nodiscard]] std::expected<PlanLevel, std::string> parse_level(std::string_view name);

// Expected events of a kind in a minute, for all hosts together. 0 if a level does not draw it.
[[nodiscard]] double events_per_minute(PlanLevel level, FaultKind kind) noexcept;

// Each run leaves out about half of the kinds, so that those that are left can go on for longer
// without being hidden by others. Every fault is over at `until`.
[[nodiscard]] Plan draw_plan(PlanLevel level, std::uint64_t seed,
                             std::span<const std::string> hosts, Duration until);

// An event is "at 2s cut a b for 500ms"; events are separated by new lines, commas or semicolons.
// A "#" begins a comment. What is wrong is in the error, with its line.
[[nodiscard]] std::string to_text(const PlanEvent& event);
[[nodiscard]] std::string to_text(const Plan& plan);
[[nodiscard]] std::expected<Plan, std::string> parse_plan(std::string_view text,
                                                          std::span<const std::string> hosts);
inline constexpr std::size_t plan_events_max = 100'000;

// Removes events, and shortens them, as long as the plan still fails. Returns the smallest.
[[nodiscard]] Plan shrink(Plan plan, const std::function<bool(const Plan&)>& fails);

// Lets the events of a plan happen, from now on.
class PlanRun {
public:
    PlanRun(const Plan& plan, World& world);
    PlanRun(const PlanRun&) = delete;
    PlanRun& operator=(const PlanRun&) = delete;

    // How many events of each kind happened. A fault of a host that is down does not.
    [[nodiscard]] std::uint64_t count(FaultKind kind) const noexcept {
        return counts_[static_cast<std::size_t>(kind)];
    }

private:
    void begin(const PlanEvent& event);
    void end(const PlanEvent& event);

    World& world_;
    std::array<std::uint64_t, fault_kind_count> counts_{};
};

}  // namespace gyre::sim
