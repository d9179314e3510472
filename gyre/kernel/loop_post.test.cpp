// SPDX-License-Identifier: Apache-2.0
// Ops that threads without a loop post to a machine: in batches, in order, refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <thread>

#include "tests/support/test_machine.hpp"
#include "tests/support/thread_platform.hpp"

namespace gyre {
namespace {

using test::CustomOp;
using test::TestMachine;
using test::ThreadPlatform;

TEST(Post, a_batch_arrives_in_its_order_and_a_closed_loop_gives_it_back) {
    ThreadPlatform platform;
    TestMachine app;
    Loop loop(platform, app);
    std::deque<CustomOp> ops(5);
    CustomOp first;
    ASSERT_TRUE(loop.post(first));
    OpQueue batch;
    EXPECT_TRUE(loop.post_all(batch));
    for (CustomOp& op : ops) batch.push_back(op);
    EXPECT_TRUE(loop.post_all(batch));
    EXPECT_TRUE(batch.empty());
    loop.turn();
    EXPECT_EQ(app.held, (std::vector<Op*>{&first, &ops[0], &ops[1], &ops[2], &ops[3], &ops[4]}));
    loop.close();
    for (CustomOp& op : ops) batch.push_back(op);
    EXPECT_FALSE(loop.post_all(batch));
    for (CustomOp& op : ops) {
        EXPECT_EQ(batch.pop_front(), &op);
        EXPECT_FALSE(op.is_in_flight());
    }
}

// Takes one op in each tick, and leaves the rest where it is.
class OneAtATime : public Machine {
public:
    OneAtATime() : Machine("one at a time") {}
    std::vector<Op*> taken;

protected:
    void tick(Instant /*now*/) override {
        Op* op = next_submission();
        if (op == nullptr) return;
        taken.push_back(op);
        complete(*op, 0);
        tick_again();
    }
};

TEST(Post, stands_behind_what_the_machine_has_left_in_its_port) {
    // clause: K21
    ThreadPlatform platform;
    OneAtATime app;
    Loop loop(platform, app, {.rounds_per_turn_max = 1});
    std::array<CustomOp, 4> ops;
    for (std::size_t i = 0; i < 3; ++i) ASSERT_TRUE(loop.post(ops[i]));
    loop.turn(loop.now());
    EXPECT_EQ(app.taken.size(), 1u);
    ASSERT_TRUE(loop.post(ops[3]));
    while (app.taken.size() < ops.size()) loop.turn(loop.now());
    EXPECT_EQ(app.taken, (std::vector<Op*>{&ops[0], &ops[1], &ops[2], &ops[3]}));
}

TEST(Post, from_two_threads_keeps_each_ones_order) {
    // clause: K21, K24
    ThreadPlatform platform;
    TestMachine app;
    Loop loop(platform, app);
    constexpr std::size_t count = 3000;
    std::array<std::deque<CustomOp>, 2> ops{std::deque<CustomOp>(count),
                                            std::deque<CustomOp>(count)};
    std::array<std::vector<int>, 2> got;
    app.on_submission = [&](Op& op) {
        const int value = static_cast<CustomOp&>(op).value;
        got[static_cast<std::size_t>(value) % 2].push_back(value);
        app.complete(op, 0);
        if (got[0].size() + got[1].size() == 2 * count) loop.stop();
    };
    std::vector<std::thread> threads;
    for (std::size_t who = 0; who < 2; ++who) {
        threads.emplace_back([&, who] {
            for (std::size_t i = 0; i < count; ++i) {
                ops[who][i].value = static_cast<int>(2 * i + who);
                ASSERT_TRUE(loop.post(ops[who][i]));
            }
        });
    }
    loop.run_until_stopped();
    for (std::thread& thread : threads) thread.join();
    for (const auto& values : got) {
        EXPECT_EQ(values.size(), count);
        EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
    }
    for (const auto& side : ops) {
        for (const CustomOp& op : side) ASSERT_FALSE(op.is_in_flight());
    }
}

}  // namespace
}  // namespace gyre
