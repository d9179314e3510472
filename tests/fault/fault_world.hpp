// SPDX-License-Identifier: Apache-2.0
// What the fault tests share: the suite's World on the real platforms only. One thread; lives as
// long as the test.
#pragma once

#include <sys/socket.h>

#include "tests/platforms/world.hpp"
#include "tests/support/platforms.hpp"

namespace gyre::test {

#define GYRE_ON_REAL_PLATFORMS(Suite)   \
    class Suite : public OnPlatform {}; \
    GYRE_ON_PLATFORMS(Suite, gyre::test::real_platforms)

// The peer finds the connection reset, not ended.
inline void close_with_reset(World& world, Fd fd) {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    EXPECT_EQ(::setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
    world.close(fd);
}

}  // namespace gyre::test
