// SPDX-License-Identifier: Apache-2.0
// The number of runs of a scheduler is bounded.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gyre/base/failure.hpp"
#include "gyre/effect/effect_world.test.hpp"

namespace gyre::effect {
namespace {

TEST(RunLimit, is_crossed_by_one_more_run_and_frees_with_the_first_that_ends) {
    // clause: K29
    SchedulerOptions options;
    EXPECT_LE(options.run_count_max, 1u << 20u);
    options.run_count_max = 3;
    EffectWorld world(std::move(options));
    world.handlers.on(Async::await, [](int n) { return resume(n).after(1h); });
    ScriptedGuest guest(async_ops());
    guest.add("main", {script::perform(0, {1}), script::give_last()});
    std::vector<RunHandle<Value>> runs;
    const auto start = [&] {
        runs.push_back(world.scheduler.start(guest, world.handlers, "main"));
    };
    for (int i = 0; i < 3; ++i) start();
    world.loop.turn();
    try {
        start();
        ADD_FAILURE() << "a fourth run was started";
    } catch (const LimitError& error) {
        EXPECT_STREQ(error.limit(), "run_count_max");
        EXPECT_EQ(std::string(error.what()), "start a run: more than run_count_max = 3");
    }
    EXPECT_EQ(world.scheduler.run_count(), 3u);
    runs.front().cancel("to make room");
    static_cast<void>(world.loop.turn());
    start();
    static_cast<void>(world.loop.run());
    EXPECT_TRUE(runs.back().outcome().has_value());
}

}  // namespace
}  // namespace gyre::effect
