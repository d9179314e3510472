// SPDX-License-Identifier: Apache-2.0
// What the events of a plan do to a disk. A pure function; one thread.
#pragma once

#include "gyre/sim/faults.hpp"
#include "gyre/sim/plan.hpp"

namespace gyre::sim {

// Sets the fault of the event, or its absence.
inline void set_disk_fault(DiskFaults& disk, const PlanEvent& event, bool is_on) noexcept {
    const std::uint64_t number = is_on ? event.number : 0;
    switch (event.kind) {
        case FaultKind::read_error:
            disk.read_error_one_in = number;
            break;
        case FaultKind::write_error:
            disk.write_error_one_in = number;
            break;
        case FaultKind::sync_error:
            disk.sync_error_one_in = number;
            break;
        case FaultKind::short_moves:
            disk.short_one_in = number;
            break;
        case FaultKind::disk_full:
            disk.is_full = is_on;
            break;
        case FaultKind::disk_slow:
            disk.delay = Duration(static_cast<Duration::rep>(number));
            break;
        default:
            break;
    }
}

}  // namespace gyre::sim
