// SPDX-License-Identifier: Apache-2.0
// Ops between two loops on two threads: served and completed, in order, cancelled, rung, refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <thread>

#include "tests/support/test_machine.hpp"
#include "tests/support/thread_platform.hpp"

namespace gyre {
namespace {

using test::CustomOp;
using test::CustomStandingOp;
using test::TestMachine;
using test::ThreadPlatform;

// Two loops. The test's thread turns the first, a second thread the other.
struct TwoLoops : ::testing::Test {
    Peers peers{2};
    ThreadPlatform here_platform;
    ThreadPlatform there_platform;
    TestMachine here{"here"};
    TestMachine there{"there"};
    Loop here_loop{here_platform, here, options(1)};
    Loop there_loop{there_platform, there, options(2)};
    std::thread thread;

    LoopOptions options(ThreadId id) { return {.thread_id = id, .peers = &peers, .spin_max = {}}; }

    void start_there() {
        thread = std::thread([this] { there_loop.run_until_stopped(); });
    }
    void stop_there() {
        there_loop.stop();
        thread.join();
    }
    void TearDown() override {
        if (thread.joinable()) stop_there();
        here_loop.close();
        there_loop.close();
    }
    CustomOp& to_there(CustomOp& op) {
        op.set_destination(there.ref());
        here.submit(op);
        return op;
    }
};

TEST_F(TwoLoops, an_op_goes_there_and_comes_back_with_its_result) {
    // clause: K06, K07
    there.on_submission = [&](Op& op) { there.complete(op, static_cast<CustomOp&>(op).value + 1); };
    start_there();
    CustomOp op;
    op.value = 41;
    to_there(op);
    here_loop.run();
    EXPECT_EQ(here.completed, std::vector<Op*>{&op});
    EXPECT_EQ(op.result(), 42);
    EXPECT_FALSE(op.is_in_flight());
}

template <class M>
concept CanReachInbox = requires(M& machine, Op& op) { machine.loop().inbox_.post(op); };

TEST_F(TwoLoops, machines_cannot_reach_an_inbox) {
    // clause: K06
    static_assert(!CanReachInbox<TestMachine>);
    // Routing crosses the threads: the op leaves the machine's out port in the loop's turn, not in
    // submit.
    CustomOp op;
    to_there(op);
    EXPECT_EQ(here.out().count(Lane::submissions), 1u);
    EXPECT_FALSE(there_loop.has_posts());
    here_loop.turn();
    EXPECT_TRUE(there_loop.has_posts());
    there.on_submission = [&](Op& got) { there.complete(got, 0); };
    there_loop.turn();
    here_loop.run();
}

TEST_F(TwoLoops, ops_of_one_pair_keep_their_order_both_ways) {
    // clause: K21
    std::vector<int> arrived;
    there.on_submission = [&](Op& op) {
        arrived.push_back(static_cast<CustomOp&>(op).value);
        there.complete(op, 0);
    };
    start_there();
    std::deque<CustomOp> ops(2000);
    for (std::size_t i = 0; i < ops.size(); ++i) {
        ops[i].value = static_cast<int>(i);
        to_there(ops[i]);
        if (i % 7 == 0) here_loop.turn();
    }
    here_loop.run();
    stop_there();
    ASSERT_EQ(arrived.size(), ops.size());
    EXPECT_TRUE(std::is_sorted(arrived.begin(), arrived.end()));
    ASSERT_EQ(here.completed.size(), ops.size());
    for (std::size_t i = 0; i < ops.size(); ++i) ASSERT_EQ(here.completed[i], &ops[i]);
}

TEST_F(TwoLoops, a_trace_crosses_the_thread) {
    // clause: K23
    CustomOp answer;
    there.on_submission = [&](Op& op) {
        answer.set_destination(here.ref());
        there.submit(answer, op.as_cause());
        there.complete(op, 0);
    };
    bool is_answered = false;
    here.on_submission = [&](Op& op) {
        is_answered = true;
        here.complete(op, 0);
    };
    start_there();
    CustomOp op;
    to_there(op);
    while (!is_answered || op.is_in_flight()) here_loop.turn();
    stop_there();
    there_loop.run();
    EXPECT_EQ(answer.trace_id(), op.trace_id());
    EXPECT_EQ(answer.parent_op_id(), op.id());
    EXPECT_NE(answer.id() >> 40u, op.id() >> 40u);
}

TEST_F(TwoLoops, a_wake_is_sent_only_when_the_loop_sleeps) {
    there.on_submission = [&](Op& op) { there.complete(op, 0); };
    std::deque<CustomOp> ops(100);
    for (CustomOp& op : ops) to_there(op);
    here_loop.turn();  // No wake is sent: the other loop has never turned, so it does not sleep.
    EXPECT_EQ(there_platform.wakes, 0);
    there_loop.turn();
    EXPECT_EQ(there.ops_held(), 0u);
    EXPECT_EQ(here_platform.wakes, 0);
    here_loop.run();
    EXPECT_EQ(here.completed.size(), ops.size());
}

TEST_F(TwoLoops, a_sleeping_loop_is_woken_once_by_what_comes_for_it) {
    // clause: K06
    there.on_submission = [&](Op& op) { there.complete(op, 0); };
    ASSERT_TRUE(there_loop.watch_posts());  // As if it slept from here on.
    CustomOp first;
    CustomOp second;
    to_there(first);
    to_there(second);
    here_loop.turn(here_loop.now());
    EXPECT_EQ(there_platform.wakes, 1);
    ASSERT_TRUE(here_loop.watch_posts());
    there_loop.turn(there_loop.now());
    EXPECT_EQ(here_platform.wakes, 1);
    here_loop.run();
    EXPECT_EQ(here.completed, (std::vector<Op*>{&first, &second}));

    ASSERT_TRUE(there_loop.watch_posts());
    CustomOp posted;
    EXPECT_TRUE(there_loop.post(posted));
    EXPECT_EQ(there_platform.wakes, 2);
    there_loop.turn(there_loop.now());
    EXPECT_FALSE(posted.is_in_flight());
}

TEST_F(TwoLoops, a_sleeping_loop_is_woken_by_a_ring) {
    WakeOp wake;
    there.on_notification = [&](StandingOp&) { there_loop.stop(); };
    there.on_closing = [&] { there.cancel(wake); };
    there.submit(wake);
    start_there();
    wake.ring();
    thread.join();
    there_loop.close();
    EXPECT_EQ(there.notified, std::vector<StandingOp*>{&wake});
}

TEST_F(TwoLoops, an_op_held_over_there_is_cancelled_by_a_message) {
    // clause: K10
    start_there();
    CustomOp op;
    CancelOp message;
    to_there(op);
    here_loop.turn();
    here.cancel(op, &message);
    here.cancel(op, &message);
    here_loop.run();
    EXPECT_EQ(here.completed, std::vector<Op*>{&op});
    EXPECT_TRUE(op.is_cancelled());
    EXPECT_FALSE(message.is_in_flight());
}

TEST_F(TwoLoops, a_cancel_message_belongs_to_the_trace_of_its_op) {
    // clause: K23
    CustomOp op;
    CancelOp message;
    op.set_destination(there.ref());
    here.submit(op, {.trace_id = 77, .op_id = 5});
    here_loop.turn();
    here.cancel(op, &message);
    EXPECT_EQ(message.trace_id(), 77u);
    EXPECT_EQ(message.parent_op_id(), op.id());
    EXPECT_NE(message.id(), op.id());
    there_loop.turn();
    here_loop.run();
    EXPECT_TRUE(op.is_cancelled());
}

TEST_F(TwoLoops, an_op_and_its_cancel_that_arrive_together_end_in_one_completion) {
    // clause: K10
    CustomOp op;
    CancelOp message;
    to_there(op);
    here_loop.turn();
    here.cancel(op, &message);  // Both are in the other loop's inbox, in this order.
    there.on_submission = [&](Op& got) { there.complete(got, 5); };
    there_loop.turn();
    here_loop.run();
    EXPECT_EQ(here.completed.size(), 1u);
    // Either completed before the message was taken, or cancelled: exactly one of the two.
    EXPECT_TRUE(op.result() == 5 || op.is_cancelled());
}

// Takes cancellations before it takes new submissions.
class CancelsFirst : public TestMachine {
public:
    using TestMachine::TestMachine;
    std::vector<Op*> told;

protected:
    void tick(Instant now) override {
        while (Op* op = next_cancellation()) told.push_back(op);
        TestMachine::tick(now);
    }
};

TEST_F(TwoLoops, a_cancel_that_overtakes_its_op_at_the_server_keeps_it_from_being_served) {
    // clause: K10
    CancelsFirst server("server");
    there.add_child(server);
    server.on_submission = [&](Op& got) { server.complete(got, 5); };
    CustomOp op;
    CancelOp message;
    op.set_destination(server.ref());
    here.submit(op);
    here_loop.turn(here_loop.now());
    here.cancel(op, &message);
    there_loop.turn(there_loop.now());
    here_loop.run();
    EXPECT_EQ(here.completed, std::vector<Op*>{&op});
    EXPECT_TRUE(op.is_cancelled());
    EXPECT_TRUE(server.told.empty()) << "there is nothing left to end";
    EXPECT_EQ(server.ops_held(), 0u);
    there.remove_child(server);
}

TEST_F(TwoLoops, an_op_that_is_cancelled_before_it_leaves_stays_here) {
    // clause: K10
    there.on_submission = [&](Op& got) { there.complete(got, 5); };
    CustomOp op;
    to_there(op);
    here.cancel(op);
    here_loop.turn(here_loop.now());
    EXPECT_FALSE(there_loop.has_posts());
    there_loop.turn(there_loop.now());
    here_loop.run();
    EXPECT_EQ(here.completed, std::vector<Op*>{&op});
    EXPECT_TRUE(op.is_cancelled());
}

TEST_F(TwoLoops, a_cancel_message_to_a_loop_that_has_closed_is_back_at_once) {
    // clause: K10
    CustomOp op;
    CancelOp message;
    to_there(op);
    here_loop.turn(here_loop.now());
    there_loop.turn(there_loop.now());
    there_loop.close();  // The completion is in flight …
    here.cancel(op, &message);
    EXPECT_FALSE(message.is_in_flight());
    here_loop.run();
    EXPECT_EQ(here.completed, std::vector<Op*>{&op});
}

TEST_F(TwoLoops, a_completion_waits_for_the_cancel_message_to_return) {
    // clause: K04, K10
    there.on_submission = [&](Op& op) { there.complete(op, 5); };
    CustomOp op;
    CancelOp message;
    to_there(op);
    here_loop.turn();
    there_loop.turn();          // Done; the completion is in flight …
    here.cancel(op, &message);  // … when the cancellation is sent.
    here_loop.turn();
    EXPECT_TRUE(here.completed.empty()) << "the other side may still look at the op";
    there_loop.turn();
    here_loop.turn();
    EXPECT_EQ(here.completed, std::vector<Op*>{&op});
    EXPECT_EQ(op.result(), 5);
    EXPECT_FALSE(message.is_in_flight());
}

TEST_F(TwoLoops, the_end_of_a_rung_op_waits_for_the_cancel_message_to_return) {
    // clause: K04, K08, K10
    CustomStandingOp op;
    CancelOp message;
    op.set_destination(there.ref());
    here.submit(op);
    here_loop.turn(here_loop.now());
    there_loop.turn(there_loop.now());
    there.notify(op);
    there.finish(op, 5);
    there_loop.turn(there_loop.now());  // Rung and ended; both arrive as one …
    here.cancel(op, &message);          // … when the cancellation is sent.
    here_loop.turn(here_loop.now());
    EXPECT_TRUE(here.completed.empty()) << "the other side may still look at the op";
    there_loop.turn(there_loop.now());
    here_loop.run();
    EXPECT_EQ(here.completed, std::vector<Op*>{&op});
    EXPECT_EQ(op.result(), 5);
    EXPECT_TRUE(here.notified.empty());
    EXPECT_FALSE(message.is_in_flight());
}

TEST_F(TwoLoops, cancels_race_completions_and_each_op_comes_back_once) {
    // clause: K10, K24
    there.on_submission = [&](Op& op) {
        if (op.id() % 3 == 0) {
            there.held.push_back(&op);
        } else {
            there.complete(op, 1);
        }
    };
    start_there();
    struct Item {
        CustomOp op;
        CancelOp message;
    };
    std::deque<Item> items(5000);
    std::size_t back = 0;
    here.on_completion = [&](Op&) { ++back; };
    for (std::size_t i = 0; i < items.size(); ++i) {
        to_there(items[i].op);
        here_loop.turn();
        here.cancel(items[i].op, &items[i].message);
    }
    here_loop.run();
    EXPECT_EQ(back, items.size());
    for (const Item& item : items) {
        ASSERT_FALSE(item.op.is_in_flight());
        ASSERT_TRUE(item.op.is_cancelled() || item.op.result() == 1);
    }
}

TEST_F(TwoLoops, a_channel_carries_items_across_threads_in_order) {
    // clause: K13, K24
    constexpr int item_count = 20'000;
    SpscRing<int> ring(64);
    ChannelOp<int> channel(ring);
    channel.set_destination(there.ref());
    std::vector<int> got;
    const auto take = [&] {
        while (auto item = ring.pop()) got.push_back(*item);
    };
    here.on_notification = [&](StandingOp&) { take(); };
    int next = 0;
    there.on_tick = [&] {
        if (there.held.empty()) return;
        auto& op = static_cast<ChannelOp<int>&>(*there.held[0]);
        while (next < item_count && op.ring().push(next)) ++next;
        there.notify(op);
        if (next < item_count) {
            there.tick_again();
        } else {
            there.finish(op, 0);
        }
    };
    start_there();
    here.submit(channel);
    here_loop.run();
    take();
    EXPECT_EQ(here.completed, std::vector<Op*>{&channel});
    ASSERT_EQ(got.size(), static_cast<std::size_t>(item_count));
    EXPECT_TRUE(std::is_sorted(got.begin(), got.end()));
}

TEST_F(TwoLoops, a_channel_cancelled_by_its_consumer_completes_once) {
    // clause: K08, K10
    SpscRing<int> ring(8);
    ChannelOp<int> channel(ring);
    CancelOp message;
    channel.set_destination(there.ref());
    there.on_tick = [&] {
        if (there.held.empty()) return;
        (void)ring.push(1);
        there.notify(static_cast<StandingOp&>(*there.held[0]));
        there.tick_again();
    };
    here.on_notification = [&](StandingOp&) {
        (void)ring.pop();
        here.cancel(channel, &message);
    };
    start_there();
    here.submit(channel);
    here_loop.run();
    EXPECT_EQ(here.completed, std::vector<Op*>{&channel});
    EXPECT_TRUE(channel.is_cancelled());
}

TEST_F(TwoLoops, a_closed_loop_refuses_and_the_op_comes_back_with_an_error) {
    there_loop.close();
    CustomOp op;
    to_there(op);
    here_loop.run();
    EXPECT_EQ(op.result(), failure(std::errc::owner_dead));
    CustomOp posted;
    EXPECT_FALSE(there_loop.post(posted));
    EXPECT_FALSE(posted.is_in_flight());
}

TEST_F(TwoLoops, what_is_in_the_inbox_of_a_closing_loop_comes_back) {
    start_there();
    std::deque<CustomOp> ops(500);
    std::thread closer([&] {
        stop_there();
        there_loop.close();
    });
    for (CustomOp& op : ops) {
        to_there(op);
        here_loop.turn();
    }
    here_loop.run();
    closer.join();
    EXPECT_EQ(here.completed.size(), ops.size());
    for (const CustomOp& op : ops) EXPECT_LT(op.result(), 0);
}

TEST_F(TwoLoops, what_a_loop_has_not_looked_at_when_it_closes_comes_back_with_an_error) {
    // clause: K20
    CustomOp op;
    to_there(op);
    here_loop.turn(here_loop.now());
    there_loop.close();
    here_loop.turn(here_loop.now());
    EXPECT_EQ(here.completed, std::vector<Op*>{&op});
    EXPECT_EQ(op.result(), failure(std::errc::owner_dead));
}

TEST_F(TwoLoops, a_destination_at_no_loop_is_an_error_result) {
    CustomOp op;
    op.set_destination({.thread = 77, .machine = 1});
    here.submit(op);
    here_loop.run();
    EXPECT_EQ(op.result(), failure(std::errc::owner_dead));
}

}  // namespace
}  // namespace gyre
