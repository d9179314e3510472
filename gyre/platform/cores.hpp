// SPDX-License-Identifier: Apache-2.0
// usable_cores: how many processor cores this process may use, by affinity and cgroup quota.
//
//     const std::uint32_t cores = platform::usable_cores();
//
// Thread: any. Asks the system each time.
// Lifetime: a number.
#pragma once

#include <cstdint>
#include <vector>

namespace gyre::platform {

// The smaller of the cores the process may run on and the processor time its control groups grant,
// rounded up; at least 1.
[[nodiscard]] std::uint32_t usable_cores();

// The numbers of the cores that this thread may run on; empty where the system does not tell.
[[nodiscard]] std::vector<int> cores_of_this_thread();

}  // namespace gyre::platform
