// SPDX-License-Identifier: Apache-2.0
// Ledger: records each event of the ops of a random program and checks it against the laws. It
// knows an op only by its inputs to machines and by the events of the Observer. One thread, one
// program.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gyre/kernel/machine.hpp"
#include "tests/property/tracked.hpp"

namespace gyre::property {

// What a program may do. Over all seeds each must have happened often, or the laws hold for
// nothing.
enum class Feature {
    three_loops,
    depth_of_four,
    many_machines,
    timer,
    ask_platform,
    ask_here,
    ask_elsewhere,
    ask_burst,
    ask_again,
    watch_here,
    watch_elsewhere,
    feed_here,
    feed_elsewhere,
    wake,
    wake_rung,
    work,
    work_of_held_op,
    post,
    in_background,
    delegated,
    left_for_later,
    rung_here,
    rung_elsewhere,
    written_without_ring,
    ring_and_end,
    cancel_here,
    cancel_elsewhere,
    cancel_of_timer,
    cancel_of_standing,
    cancel_at_once,
    cancel_confirmed,
    cancel_confirmed_late,
    cancel_came_too_late,
    passed_on_by_parent,
    intercepted,
    intercepted_and_rung,
    answered_at_once,
    answered_later,
    transformed,
    closed_at_work,
    refused_by_closed_loop,
    count,
};
[[nodiscard]] const char* name_of(Feature feature) noexcept;

using Coverage = std::array<std::uint64_t, static_cast<std::size_t>(Feature::count)>;

class Ledger {
public:
    void note(Feature feature) noexcept { ++coverage_[static_cast<std::size_t>(feature)]; }
    void check(bool holds, const std::string& law, Tracked* about = nullptr);

    // As it happens. `to` is the machine that shall serve the op.
    void on_submitted(Tracked& tracked, Cause cause, MachineRef to);
    void on_posted(Tracked& tracked, MachineRef to);
    void on_taken(Tracked& tracked, MachineRef by);
    void on_completing(Tracked& tracked, MachineRef by, bool is_answer);
    void on_returned(Tracked& tracked);
    void on_read(Tracked& tracked);
    void on_hop(const Op& op);

    // When nothing can happen any more, and when all loops are closed.
    void judge_quiet(Tracked& tracked);
    void judge_closed(Tracked& tracked);

    [[nodiscard]] const std::vector<std::string>& violations() const noexcept {
        return violations_;
    }
    [[nodiscard]] const Coverage& coverage() const noexcept { return coverage_; }

private:
    // A source and a destination.
    using Pair = std::array<std::uint64_t, 2>;
    using Places = std::map<Pair, std::uint64_t>;

    void check_trace(const Op& op);

    Places last_submitted_;
    Places last_taken_;
    Places last_completed_;
    Places last_returned_;
    std::map<OpId, TraceId> traces_;
    std::map<OpId, OpId> parents_;
    std::vector<std::string> violations_;
    Coverage coverage_{};
};

}  // namespace gyre::property
