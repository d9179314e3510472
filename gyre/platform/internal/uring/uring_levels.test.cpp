// SPDX-License-Identifier: Apache-2.0
// How UringPlatform detects that a level op is ready: by a poll before the wait, or by a request.
#include <poll.h>
#include <unistd.h>

#include "gyre/platform/internal/uring/uring.hpp"
#include "gyre/platform/internal/uring/uring_world.test.hpp"

namespace gyre::platform {
namespace {

// A loop that is embedded in another one: only the ring can report its level ops then.
TEST(UringLevels, its_descriptor_gets_readable_when_a_level_is_ready_that_was_so_before) {
    GYRE_NEEDS_URING();
    UringWorld world;
    const auto pair = world.pair();
    ReadinessOp level(pair[0], Events::readable, Trigger::level);
    world.app.start(level);
    for (int i = 0; i < 10; ++i) {
        world.app.rung.clear();
        write_to(pair[1], "x");
        while (world.app.rung.size() < 3) world.loop.turn();  // It stays ready for a while.
        char byte = 0;
        EXPECT_EQ(::read(pair[0], &byte, 1), 1);
        while (!world.loop.watch_posts()) world.loop.turn();
        write_to(pair[1], "y");
        pollfd query{world.platform->backend_fd(), POLLIN, 0};
        ASSERT_EQ(::poll(&query, 1, 30'000), 1);
        EXPECT_EQ(::read(pair[0], &byte, 1), 1);
    }
    EXPECT_EQ(world.cancel(level), cancelled_result);
    world.close_pairs();
}

TEST(UringLevels, two_levels_that_throw_a_byte_to_and_fro_need_no_requests) {
    GYRE_NEEDS_URING();
    UringWorld world;
    const auto pair = world.pair();
    ReadinessOp near(pair[0], Events::readable, Trigger::level);
    ReadinessOp far(pair[1], Events::readable, Trigger::level);
    world.app.start(near);
    world.app.start(far);
    world.settle();
    write_to(pair[1], "x");
    constexpr std::uint64_t throws = 1000;
    std::uint64_t calls_before = 0;
    for (std::uint64_t i = 0; i < 2 * throws; ++i) {
        if (i == throws) calls_before = world.platform->system_call_count();
        world.app.rung.clear();
        while (world.app.rung.empty()) world.loop.turn();
        const auto& rung = static_cast<ReadinessOp&>(*world.app.rung.front());
        char byte = 0;
        ASSERT_EQ(::read(rung.fd, &byte, 1), 1);
        write_to(rung.fd, "x");
    }
    EXPECT_LT(world.platform->system_call_count() - calls_before, throws / 2);
    for (ReadinessOp* op : {&near, &far}) EXPECT_EQ(world.cancel(*op), cancelled_result);
    world.close_pairs();
}

}  // namespace
}  // namespace gyre::platform
