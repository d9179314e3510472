// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/thread/thread_channel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "gyre/sim/world.hpp"
#include "gyre/task/core/frame_check.test.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task.hpp"
#include "gyre/task/core/task_world.test.hpp"
#include "gyre/task/thread/loop_thread.test.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;
using Item = std::unique_ptr<int>;

Item make(int value) {
    return std::make_unique<int>(value);
}

// Two loops on one thread, in virtual time; the seed decides which loop turns first.
class ThreadChannels : public testing::TestWithParam<std::uint64_t> {
protected:
    ~ThreadChannels() override { world.close(); }
    auto spawn_sender(int value) {
        return here.root().spawn(
            [this](int mine) -> Future<void> {
                co_await channel.send(make(mine));
                sent.push_back(mine);
            },
            value);
    }
    auto spawn_receiver() {
        return there.root().spawn([this]() -> Future<void> {
            const auto item = co_await channel.receive();
            received.push_back(item.has_value() ? **item : 0);
        });
    }
    void fill() {
        while (channel.try_send(make(++inside))) {
        }
        --inside;
    }
    void run_until_idle() { EXPECT_EQ(world.run(), sim::World::End::idle); }

    const FrameCheck frames;
    ThreadChannel<Item> channel{2};
    std::vector<int> sent;
    std::vector<int> received;
    int inside = 0;
    sim::VirtualClock clock;
    Executor here;
    Executor there;
    sim::World world{clock, {.seed = GetParam()}};
    Loop& here_loop = world.add_loop(here);
    Loop& there_loop = world.add_loop(there);
};
INSTANTIATE_TEST_SUITE_P(OfSeed, ThreadChannels, testing::Range<std::uint64_t>(1, 9));

TEST_P(ThreadChannels, bring_items_in_the_order_of_their_sends_and_end_when_closed) {
    constexpr int count = 100;
    here.root().spawn([this]() -> Future<void> {
        for (int i = 1; i <= count; ++i) co_await channel.send(make(i));
        channel.close();
    });
    there.root().spawn([this]() -> Future<void> {
        while (auto item = co_await channel.receive()) received.push_back(**item);
    });
    run_until_idle();
    ASSERT_EQ(received.size(), static_cast<std::size_t>(count));
    for (int i = 1; i <= count; ++i) EXPECT_EQ(received[static_cast<std::size_t>(i) - 1], i);
}

TEST_P(ThreadChannels, hold_a_sender_up_while_there_is_no_room) {
    for (int i = 1; i <= 5; ++i) spawn_sender(i);
    there.root().spawn([this]() -> Future<void> {
        co_await sleep(1ms);
        EXPECT_EQ(sent, (std::vector{1, 2}));
        for (int i = 1; i <= 5; ++i) EXPECT_EQ(**co_await channel.receive(), i);
    });
    run_until_idle();
    EXPECT_EQ(sent, (std::vector{1, 2, 3, 4, 5}));
}

TEST_P(ThreadChannels, serve_every_receiver_once) {
    for (int i = 0; i < 4; ++i) spawn_receiver();
    here.root().spawn([this]() -> Future<void> {
        co_await sleep(1ms);
        for (int i = 1; i <= 4; ++i) co_await channel.send(make(i));
    });
    run_until_idle();
    std::ranges::sort(received);
    EXPECT_EQ(received, (std::vector{1, 2, 3, 4}));
}

TEST_P(ThreadChannels, end_all_waits_when_closed) {
    for (int i = 0; i < 3; ++i) spawn_receiver();
    here.root().spawn([this]() -> Future<void> {
        co_await sleep(1ms);
        channel.close();
        channel.close();
        try {
            co_await channel.send(make(1));
            ADD_FAILURE();
        } catch (const ChannelClosed&) {
        }
    });
    run_until_idle();
    EXPECT_EQ(received, (std::vector{0, 0, 0}));
}

TEST_P(ThreadChannels, a_send_that_waits_fails_when_closed_and_its_item_is_not_inside) {
    fill();
    bool is_refused = false;
    here.root().spawn([&]() -> Future<void> {
        try {
            co_await channel.send(make(99));
        } catch (const ChannelClosed&) {
            is_refused = true;
        }
    });
    there.root().spawn([this]() -> Future<void> {
        co_await sleep(1ms);
        channel.close();
        while (auto item = co_await channel.receive()) received.push_back(**item);
    });
    run_until_idle();
    EXPECT_TRUE(is_refused);
    EXPECT_EQ(received.size(), static_cast<std::size_t>(inside));
}

TEST_P(ThreadChannels, a_cancelled_receive_leaves_the_item_to_the_next) {
    auto cancelled = spawn_receiver();
    spawn_receiver();
    there.root().spawn([&]() -> Future<void> {
        co_await sleep(1ms);
        cancelled.cancel();
    });
    here.root().spawn([this]() -> Future<void> {
        co_await sleep(2ms);
        co_await channel.send(make(1));
    });
    run_until_idle();
    EXPECT_EQ(received, (std::vector{1}));
    EXPECT_THROW(cancelled.outcome().take(), Cancelled);
}

TEST_P(ThreadChannels, a_cancelled_send_did_nothing) {
    fill();
    auto cancelled = spawn_sender(98);
    here.root().spawn([&]() -> Future<void> {
        co_await sleep(1ms);
        cancelled.cancel();
    });
    run_until_idle();
    EXPECT_THROW(cancelled.outcome().take(), Cancelled);
    for (int i = 1; i <= inside; ++i) EXPECT_EQ(**channel.try_receive(), i);
    EXPECT_FALSE(channel.try_receive().has_value());
}

TEST_P(ThreadChannels, a_cancel_that_races_an_item_loses_none) {
    // The item and the cancel come at the same instant: in both orders the item is received or
    // stays in the channel.
    auto receiver = spawn_receiver();
    there.root().spawn([&]() -> Future<void> {
        co_await sleep(1ms);
        receiver.cancel();
    });
    here.root().spawn([this]() -> Future<void> {
        co_await sleep(1ms);
        co_await channel.send(make(1));
    });
    run_until_idle();
    EXPECT_TRUE(receiver.is_completed());
    const bool is_left = channel.try_receive().has_value();
    EXPECT_EQ(received.empty(), is_left);
}

TEST_P(ThreadChannels, a_cancel_that_races_room_sends_or_does_not) {
    fill();
    auto sender = spawn_sender(99);
    here.root().spawn([&]() -> Future<void> {
        co_await sleep(1ms);
        sender.cancel();
    });
    there.root().spawn([this]() -> Future<void> {
        co_await sleep(1ms);
        EXPECT_EQ(**co_await channel.receive(), 1);
    });
    run_until_idle();
    EXPECT_TRUE(sender.is_completed());
    EXPECT_EQ(**channel.try_receive(), 2);
    EXPECT_EQ(channel.try_receive().has_value(), !sent.empty());
}

TEST_P(ThreadChannels, neither_end_begins_where_a_cancel_is_due) {
    static_cast<void>(channel.try_send(make(1)));
    auto receiver = there.root().spawn([this]() -> Future<void> {
        (co_await this_task()).cancel("by itself");
        static_cast<void>(co_await channel.receive());
        ADD_FAILURE();
    });
    auto sender = here.root().spawn([this]() -> Future<void> {
        (co_await this_task()).cancel("by itself");
        co_await channel.send(make(2));
        ADD_FAILURE();
    });
    run_until_idle();
    EXPECT_THROW(receiver.outcome().take(), Cancelled);
    EXPECT_THROW(sender.outcome().take(), Cancelled);
    EXPECT_EQ(**channel.try_receive(), 1);
    EXPECT_FALSE(channel.try_receive().has_value());
}

TEST_P(ThreadChannels, tasks_that_never_have_to_wait_let_the_others_go_first) {
    bool is_over = false;
    here.root().spawn([&]() -> Future<void> {
        while (!is_over) {
            co_await channel.send(make(1));
            static_cast<void>(co_await channel.receive());
        }
    });
    here.root().spawn([&]() -> Future<void> {
        co_await yield();
        is_over = true;
    });
    run_until_idle();
    EXPECT_TRUE(is_over);
}

TEST_P(ThreadChannels, a_loop_that_closes_first_leaves_the_channel_whole) {
    auto receiver = spawn_receiver();
    here.root().spawn([this]() -> Future<void> {
        co_await sleep(1ms);
        world.stop();
    });
    EXPECT_EQ(world.run(), sim::World::End::stopped);
    // Called and cancelled at once: the loop closes while the message is in its inbox.
    static_cast<void>(channel.try_send(make(1)));
    there_loop.close();
    EXPECT_TRUE(receiver.is_completed());
    const auto left = channel.try_receive();
    EXPECT_EQ(received.empty(), left.has_value());
}

TEST_P(ThreadChannels, a_wait_that_nothing_can_end_is_found) {
    spawn_receiver();
    EXPECT_EQ(world.run(), sim::World::End::stuck);
}

// On real threads, in real time.
TEST(ThreadChannelsOfThreads, bring_a_stream_over_and_back) {
    // clause: K24
    constexpr int count = 20'000;
    ThreadChannel<int> over(64);
    ThreadChannel<int> back(64);
    std::atomic<int> echoed{0};
    std::promise<void> done;
    {
        LoopThread there({.thread_id = 2}, [&](Executor& executor) {
            executor.root().spawn([&]() -> Future<void> {
                while (auto item = co_await over.receive()) {
                    co_await back.send(*item);
                    ++echoed;
                }
                back.close();
            });
        });
        LoopThread here({.thread_id = 1}, [&](Executor& executor) {
            executor.root().spawn([&]() -> Future<void> {
                for (int i = 1; i <= count; ++i) co_await over.send(i);
                over.close();
            });
            executor.root().spawn([&]() -> Future<void> {
                int next = 1;
                while (auto item = co_await back.receive()) EXPECT_EQ(*item, next++);
                EXPECT_EQ(next, count + 1);
                done.set_value();
            });
        });
        done.get_future().wait();
    }
    EXPECT_EQ(echoed.load(), count);
}

TEST(ThreadChannelsOfThreads, many_senders_and_receivers_lose_and_double_nothing) {
    // clause: K24
    constexpr int per_task = 500;
    constexpr int tasks = 4;
    ThreadChannel<int> channel(4);
    std::vector<std::atomic<int>> seen(2 * tasks * per_task);
    std::atomic<int> senders_left{2 * tasks};
    std::atomic<int> receivers_left{2 * tasks};
    std::promise<void> done;
    const auto begin = [&](int thread) {
        return [&, thread](Executor& executor) {
            for (int t = 0; t < tasks; ++t) {
                executor.root().spawn(
                    [&](int base) -> Future<void> {
                        for (int i = 0; i < per_task; ++i) co_await channel.send(base + i);
                        if (--senders_left == 0) channel.close();
                    },
                    (thread * tasks + t) * per_task);
                executor.root().spawn([&]() -> Future<void> {
                    while (auto item = co_await channel.receive()) {
                        ++seen[static_cast<std::size_t>(*item)];
                    }
                    if (--receivers_left == 0) done.set_value();
                });
            }
        };
    };
    {
        LoopThread one({.thread_id = 1}, begin(0));
        LoopThread two({.thread_id = 2}, begin(1));
        done.get_future().wait();
    }
    for (const auto& times : seen) ASSERT_EQ(times.load(), 1);
}

TEST(ThreadChannelsOfThreads, cancels_in_the_middle_lose_nothing) {
    // clause: K24
    constexpr int count = 2'000;
    ThreadChannel<int> channel(2);
    std::vector<std::atomic<int>> seen(count);
    std::promise<void> done;
    {
        // Each receiver is cancelled soon, in any state, and the next receiver follows it.
        LoopThread there({.thread_id = 2}, [&](Executor& executor) {
            executor.root().spawn([&]() -> Future<void> {
                bool is_over = false;
                for (int round = 0; !is_over; ++round) {
                    co_await with_scope([&](Scope& scope) -> Future<void> {
                        auto task = scope.spawn([&]() -> Future<void> {
                            while (auto item = co_await channel.receive()) {
                                ++seen[static_cast<std::size_t>(*item)];
                            }
                            is_over = true;
                        });
                        for (int i = 0; i < round % 5; ++i) co_await yield();
                        task.cancel();
                    });
                }
                done.set_value();
            });
        });
        LoopThread here({.thread_id = 1}, [&](Executor& executor) {
            executor.root().spawn([&]() -> Future<void> {
                for (int i = 0; i < count; ++i) {
                    bool is_sent = false;
                    for (int attempt = 0; !is_sent; ++attempt) {
                        co_await with_scope([&](Scope& scope) -> Future<void> {
                            auto task = scope.spawn([&]() -> Future<void> {
                                co_await channel.send(i);
                                is_sent = true;
                            });
                            for (int k = 0; k < attempt % 5; ++k) co_await yield();
                            task.cancel();
                        });
                    }
                }
                channel.close();
            });
        });
        done.get_future().wait();
    }
    for (const auto& times : seen) ASSERT_EQ(times.load(), 1);
}

TEST(ThreadChannelsOfThreads, a_thread_without_a_loop_may_send_and_close) {
    // clause: K24
    ThreadChannel<int> channel(2);
    int total = 0;
    std::promise<void> done;
    {
        LoopThread there({.thread_id = 1}, [&](Executor& executor) {
            executor.root().spawn([&]() -> Future<void> {
                while (auto item = co_await channel.receive()) total += *item;
                done.set_value();
            });
        });
        for (int i = 1; i <= 1000; ++i) {
            while (!channel.try_send(i)) std::this_thread::yield();
        }
        channel.close();
        done.get_future().wait();
    }
    EXPECT_EQ(total, 500'500);
}

void destroy_while_waiting(bool is_full) {
    sim::VirtualClock clock;
    Executor executor;
    sim::World world{clock};
    world.add_loop(executor);
    auto channel = std::make_unique<ThreadChannel<int>>(2);
    while (is_full && channel->try_send(1)) {
    }
    executor.root().spawn([&]() -> Future<void> {
        if (is_full) {
            co_await channel->send(2);
        } else {
            static_cast<void>(co_await channel->receive());
        }
    });
    static_cast<void>(world.run());
    channel.reset();
}

TEST(ThreadChannelDeathTest, destroyed_while_a_task_waits_says_to_join_it) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(destroy_while_waiting(false), "is destroyed while tasks wait for items");
    EXPECT_DEATH(destroy_while_waiting(true), "is destroyed while tasks wait to send");
}

}  // namespace
}  // namespace gyre
