// SPDX-License-Identifier: Apache-2.0
#include "gyre/kernel/standing_op.hpp"

#include <gtest/gtest.h>

#include "tests/support/fake_platform.hpp"
#include "tests/support/test_machine.hpp"

namespace gyre {
namespace {

using test::CustomStandingOp;
using test::FakePlatform;
using test::TestMachine;

struct Standing : ::testing::Test {
    FakePlatform platform;
    TestMachine app{"app"};
    Loop loop{platform, app};
    CustomStandingOp op;

    void SetUp() override {
        app.submit(op);
        loop.turn();
        ASSERT_EQ(platform.held, std::vector<Op*>{&op});
    }
    void TearDown() override {
        app.cancel(op);
        loop.run();
    }
};

TEST_F(Standing, op_rings_again_and_again_and_completes_once_at_its_end) {
    // clause: K08
    for (int round = 1; round <= 3; ++round) {
        platform.notify(op);
        loop.turn();
        EXPECT_EQ(app.notified.size(), static_cast<std::size_t>(round));
        EXPECT_TRUE(op.is_in_flight());
    }
    platform.finish(op, failure(std::errc::io_error));
    loop.run();
    EXPECT_EQ(app.completed, std::vector<Op*>{&op});
    EXPECT_EQ(op.result(), failure(std::errc::io_error));
    EXPECT_EQ(app.notified.size(), 3u);
}

TEST_F(Standing, op_that_is_queued_is_not_queued_again_by_a_ring) {
    // clause: K09
    platform.notify(op);
    platform.notify(op);
    platform.notify(op);
    EXPECT_EQ(platform.out().count(Lane::notifications), 1u);
    loop.turn();
    EXPECT_EQ(app.notified.size(), 1u);
}

TEST_F(Standing, the_last_op_of_a_queue_counts_as_queued) {
    // clause: K09
    // A test for next == nullptr would not do: it also holds for the tail of a queue.
    CustomStandingOp second;
    app.submit(second);
    loop.turn();
    platform.notify(op);
    platform.notify(second);
    platform.notify(second);  // The tail, rung again.
    platform.notify(op);
    EXPECT_EQ(platform.out().count(Lane::notifications), 2u);
    loop.turn();
    EXPECT_EQ(app.notified, (std::vector<StandingOp*>{&op, &second}));
    app.cancel(second);
    loop.run();
}

TEST_F(Standing, nothing_written_before_a_ring_is_lost) {
    // clause: K09
    std::vector<int> read;
    app.on_notification = [&](StandingOp&) {
        for (const int value : std::exchange(op.shared, {})) read.push_back(value);
        // Rung again while it is being handled: the ring must not be lost.
        if (read.size() == 2) {
            op.shared.push_back(3);
            platform.notify(op);
        }
    };
    op.shared.push_back(1);
    platform.notify(op);
    op.shared.push_back(2);
    platform.notify(op);
    loop.turn();
    loop.turn();
    EXPECT_EQ(read, (std::vector<int>{1, 2, 3}));
}

TEST_F(Standing, op_completed_while_a_ring_is_queued_completes_once_and_its_data_stays) {
    // clause: K08, K09
    op.shared.push_back(1);
    platform.notify(op);
    platform.finish(op, 0);
    loop.run();
    EXPECT_EQ(app.completed, std::vector<Op*>{&op});
    EXPECT_TRUE(app.notified.empty());
    EXPECT_EQ(op.shared, std::vector<int>{1});
}

TEST_F(Standing, op_whose_cancellation_is_confirmed_completes_once) {
    // clause: K08
    app.cancel(op);
    loop.run();
    EXPECT_EQ(app.completed, std::vector<Op*>{&op});
    EXPECT_TRUE(op.is_cancelled());
}

TEST(WakeOp, rings_before_the_machine_looks_are_one_ring) {
    // clause: K09
    FakePlatform platform;
    TestMachine app;
    Loop loop(platform, app);
    WakeOp wake;
    wake.ring();  // Before submit: no effect.
    app.submit(wake);
    app.tick_again();  // Even in a turn that does not block.
    wake.ring();
    wake.ring();
    loop.turn();
    EXPECT_EQ(app.notified, std::vector<StandingOp*>{&wake});
    loop.turn();
    EXPECT_EQ(app.notified.size(), 1u);
    wake.ring();
    loop.turn();
    EXPECT_EQ(app.notified.size(), 2u);
    app.cancel(wake);
    loop.run();
    EXPECT_TRUE(wake.is_cancelled());
    wake.ring();  // After the completion: no effect.
    EXPECT_EQ(loop.run(), Loop::End::idle);
    EXPECT_EQ(app.notified.size(), 2u);
}

TEST(WakeOp, a_ring_from_its_own_notification_is_not_lost) {
    // clause: K09
    FakePlatform platform;
    TestMachine app;
    Loop loop(platform, app);
    WakeOp wake;
    app.submit(wake);
    app.on_notification = [&](StandingOp&) {
        if (app.notified.size() < 3) wake.ring();
    };
    wake.ring();
    for (int turn = 0; turn < 5; ++turn) loop.turn();
    EXPECT_EQ(app.notified.size(), 3u);
    app.cancel(wake);
    loop.run();
}

TEST(Channel, carries_items_between_two_machines_of_one_loop_in_order) {
    // clause: K13
    FakePlatform platform;
    TestMachine app("app");
    TestMachine producer("producer");
    Loop loop(platform, app);
    app.add_child(producer);
    SpscRing<int> ring(4);
    ChannelOp<int> channel(ring);
    channel.set_destination(producer.ref());

    std::vector<int> got;
    app.on_notification = [&](StandingOp& op) {
        while (auto item = static_cast<ChannelOp<int>&>(op).ring().pop()) got.push_back(*item);
    };
    int next = 0;
    producer.on_tick = [&] {
        if (producer.held.empty()) return;
        auto& op = static_cast<ChannelOp<int>&>(*producer.held[0]);
        while (next < 20 && op.ring().push(next)) ++next;
        producer.notify(op);
        if (next < 20) {
            producer.tick_again();
        } else if (!op.is_cancel_requested()) {
            producer.finish(op, 0);
        }
    };
    app.submit(channel);
    loop.run();
    while (auto item = ring.pop()) got.push_back(*item);
    ASSERT_EQ(got.size(), 20u);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], i);
    EXPECT_EQ(app.completed, std::vector<Op*>{&channel});
    app.remove_child(producer);
}

TEST(StandingOpDeathTest, a_one_shot_code_is_refused) {
    EXPECT_DEATH(StandingOp{OpCode::timer}, "is no standing kind");
}

}  // namespace
}  // namespace gyre
