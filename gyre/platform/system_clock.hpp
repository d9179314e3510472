// SPDX-License-Identifier: Apache-2.0
// SystemClock: the system's monotonic clock. Any thread may read it; it has no state and lives as
// long as whoever made it.
#pragma once

#include "gyre/kernel/clock.hpp"

namespace gyre::platform {

class SystemClock final : public Clock {
public:
    [[nodiscard]] Instant now() noexcept override;
};

}  // namespace gyre::platform
