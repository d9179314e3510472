// SPDX-License-Identifier: Apache-2.0
// SystemClock: the system's monotonic clock.
//
//     platform::SystemClock clock;
//     const Instant now = clock.now();
//
// Thread: any; it has no state.
// Lifetime: outlives the platforms and loops that use it.
#pragma once

#include "gyre/kernel/clock.hpp"

namespace gyre::platform {

class SystemClock final : public Clock {
public:
    [[nodiscard]] Instant now() noexcept override;
};

}  // namespace gyre::platform
