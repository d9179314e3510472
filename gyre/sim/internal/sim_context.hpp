// SPDX-License-Identifier: Apache-2.0
// SimContext: the clock, the random numbers and the event queue of a simulation, and the descriptor
// table and the faults of one of its computers. One thread; it outlives every object that refers to
// it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "gyre/base/random.hpp"
#include "gyre/sim/internal/descriptors.hpp"
#include "gyre/sim/internal/timeline.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/sim/virtual_clock.hpp"

namespace gyre::sim {

class HostMemory;

// What the computers of a world share.
struct SharedSim {
    SharedSim(VirtualClock& time, std::uint64_t seed) : clock(time), random(seed) {}
    SharedSim(const SharedSim&) = delete;
    SharedSim& operator=(const SharedSim&) = delete;

    VirtualClock& clock;
    Random random;
    Timeline timeline{random};
    bool has_lost_disk = false;  // a computer whose changes_left came to 0 since the last turn
};

class SimContext {
public:
    SimContext(VirtualClock& time, const SimOptions& how)
        : SimContext(std::make_unique<SharedSim>(time, how.seed), how) {}
    // For one computer of several, with the memory of its code.
    SimContext(SharedSim& shared, const SimOptions& how, HostMemory* of_host = nullptr)
        : shared_(shared),
          clock(shared.clock),
          options(how),
          random(shared.random),
          timeline(shared.timeline),
          memory(of_host),
          descriptors(how.descriptor_count_max) {}

    [[nodiscard]] Instant now() const noexcept { return clock.peek(); }

    [[nodiscard]] Duration draw(DurationRange range) noexcept {
        GYRE_ASSERT(range.min <= range.max, "a delay range has min > max: swap them");
        const auto width = static_cast<std::uint64_t>((range.max - range.min).count());
        return range.min + Duration(static_cast<Duration::rep>(random.below(width + 1)));
    }

    // Of a fault: up to this. Nothing is drawn without one.
    [[nodiscard]] Duration draw_delay(Duration longest) noexcept {
        return longest == Duration(0) ? longest : draw({Duration(0), longest});
    }

    // Draws how many of `possible` bytes a transfer moves: at least one.
    [[nodiscard]] std::size_t draw_transfer(std::size_t possible) noexcept {
        const std::uint64_t odds = options.short_transfer_one_in;
        if (possible < 2 || odds == 0 || !random.one_in(odds)) return possible;
        return 1 + random.below(possible - 1);
    }

    // True when a fault that strikes one in so many times strikes now. 0: never.
    [[nodiscard]] bool strikes(std::uint64_t one_in) noexcept {
        return one_in != 0 && random.one_in(one_in);
    }

    // Before each change of the disk: whether it has an effect. See Host::crash_after_changes.
    [[nodiscard]] bool take_change() noexcept {
        if (!changes_left) return true;
        if (*changes_left == 0) return false;
        shared_.has_lost_disk |= --*changes_left == 0;
        return true;
    }

private:
    SimContext(std::unique_ptr<SharedSim> own, const SimOptions& how)
        : SimContext(*own, how, nullptr) {
        own_ = std::move(own);
    }
    std::unique_ptr<SharedSim> own_;
    SharedSim& shared_;

public:
    VirtualClock& clock;
    const SimOptions options;
    Random& random;
    Timeline& timeline;
    HostMemory* const memory;  // null: the process's
    DiskFaults disk;
    SystemFaults system;
    std::optional<std::uint64_t> changes_left;
    Descriptors descriptors;
};

}  // namespace gyre::sim
