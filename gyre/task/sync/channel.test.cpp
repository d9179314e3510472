// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/sync/channel.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "gyre/task/core/frame_check.test.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task.hpp"
#include "gyre/task/core/task_world.test.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;
using Item = std::unique_ptr<int>;

Item make(int value) {
    return std::make_unique<int>(value);
}

// With a move-only type, so that a copied or lost item is noticed.
class Channels : public testing::TestWithParam<std::size_t> {
protected:
    auto spawn_sender(int value) {
        return world.spawn(
            [this](int mine) -> Future<void> {
                co_await channel.send(make(mine));
                sent.push_back(mine);
            },
            value);
    }
    auto spawn_receiver() {
        return world.spawn([this]() -> Future<void> {
            const auto item = co_await channel.receive();
            received.push_back(item.has_value() ? **item : 0);
        });
    }
    Future<void> drain() {
        while (auto item = co_await channel.receive()) received.push_back(**item);
    }
    // Sends as many items as fit without a receiver.
    int fill() {
        int next = 0;
        while (channel.try_send(make(next + 1))) ++next;
        return next;
    }

    const FrameCheck frames;
    Channel<Item> channel{GetParam()};
    std::vector<int> sent;
    std::vector<int> received;
    TaskWorld world;
};
INSTANTIATE_TEST_SUITE_P(OfCapacity, Channels, testing::Values(0, 1, 3),
                         testing::PrintToStringParamName());

TEST_P(Channels, bring_items_in_the_order_of_their_sends) {
    for (int i = 1; i <= 20; ++i) spawn_sender(i);
    world.spawn([this]() -> Future<void> {
        co_await sleep(1ms);
        EXPECT_EQ(sent.size(), channel.capacity()) << "the others wait for room";
        for (int i = 0; i < 20; ++i) received.push_back(**co_await channel.receive());
    });
    static_cast<void>(world.loop.run());
    std::vector<int> expected;
    for (int i = 1; i <= 20; ++i) expected.push_back(i);
    EXPECT_EQ(received, expected);
    EXPECT_EQ(sent, expected);
}

TEST_P(Channels, serve_receivers_in_the_order_they_came) {
    std::vector<int> order;
    for (int i = 1; i <= 3; ++i) {
        world.spawn([&, i]() -> Future<void> {
            EXPECT_EQ(**co_await channel.receive(), 10 * i);
            order.push_back(i);
        });
    }
    world.run([&]() -> Future<void> {
        for (int i = 1; i <= 3; ++i) EXPECT_TRUE(channel.try_send(make(10 * i)));
        EXPECT_EQ(channel.count(), 0u) << "handed over, not queued";
        co_return;
    });
    EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

TEST_P(Channels, try_send_leaves_the_item_with_the_caller_where_there_is_no_room) {
    fill();
    Item item = make(9);
    EXPECT_FALSE(channel.try_send(item));
    ASSERT_NE(item, nullptr);
    channel.close();
    EXPECT_FALSE(channel.try_send(item));
    EXPECT_EQ(*item, 9);
}

TEST_P(Channels, try_receive_takes_what_is_inside_and_then_what_waits) {
    const int inside = fill();
    spawn_sender(inside + 1);
    world.run([&]() -> Future<void> {
        for (int i = 1; i <= inside + 1; ++i) {
            auto item = channel.try_receive();
            EXPECT_TRUE(item.has_value());
            EXPECT_EQ(item.has_value() ? **item : 0, i);
        }
        EXPECT_FALSE(channel.try_receive().has_value());
        co_return;
    });
    EXPECT_EQ(sent, (std::vector{inside + 1}));
}

TEST_P(Channels, that_are_closed_give_what_is_inside_and_then_nothing) {
    const int inside = fill();
    channel.close();
    channel.close();
    world.run([this]() -> Future<void> { co_await drain(); });
    EXPECT_EQ(received.size(), static_cast<std::size_t>(inside));
}

TEST_P(Channels, that_are_closed_give_what_is_inside_to_who_does_not_wait_too) {
    const int inside = fill();
    channel.close();
    EXPECT_TRUE(channel.is_closed());
    for (int i = 1; i <= inside; ++i) EXPECT_EQ(**channel.try_receive(), i);
    EXPECT_FALSE(channel.try_receive().has_value());
    EXPECT_EQ(channel.count(), 0u);
}

TEST_P(Channels, serve_senders_in_the_order_they_came_when_one_gives_up) {
    const int inside = fill();
    std::vector<TaskHandle<void>> senders;
    for (int i = 1; i <= 4; ++i) senders.push_back(spawn_sender(10 * i));
    world.run([&]() -> Future<void> {
        co_await sleep(1ms);
        senders[1].cancel();
        for (int i = 0; i < inside + 3; ++i) {
            auto item = co_await channel.receive();
            received.push_back(**item);
        }
    });
    const std::vector<int> last(received.end() - 3, received.end());
    EXPECT_EQ(last, (std::vector{10, 30, 40}));
    EXPECT_EQ(sent, (std::vector{10, 30, 40}));
}

TEST(Channel, the_item_of_a_cancelled_send_goes_with_it) {
    TaskWorld world;
    Channel<std::shared_ptr<int>> channel(0);
    auto item = std::make_shared<int>(1);
    auto sender = world.spawn(
        [&](std::shared_ptr<int> mine) -> Future<void> { co_await channel.send(std::move(mine)); },
        item);
    world.loop.turn();
    EXPECT_EQ(item.use_count(), 2);
    sender.cancel();
    (void)world.loop.run();
    EXPECT_EQ(item.use_count(), 1);
}

TEST_P(Channels, end_the_waits_on_both_sides_when_closed) {
    auto first = spawn_receiver();
    auto second = spawn_receiver();
    world.run([this]() -> Future<void> {
        channel.close();
        co_return;
    });
    EXPECT_EQ(received, (std::vector{0, 0}));
    EXPECT_THROW(world.run([this]() -> Future<void> { co_await channel.send(make(1)); }),
                 ChannelClosed);
}

TEST_P(Channels, a_send_that_waits_for_room_fails_when_closed_and_its_item_is_not_inside) {
    const int inside = fill();
    bool is_refused = false;
    world.spawn([&]() -> Future<void> {
        try {
            co_await channel.send(make(99));
        } catch (const ChannelClosed&) {
            is_refused = true;
        }
    });
    world.run([&]() -> Future<void> {
        co_await sleep(1ms);
        channel.close();
        co_await drain();
    });
    EXPECT_TRUE(is_refused);
    EXPECT_EQ(received.size(), static_cast<std::size_t>(inside));
}

TEST_P(Channels, a_cancelled_receive_leaves_the_item_to_the_next) {
    auto cancelled = spawn_receiver();
    spawn_receiver();
    world.run([&]() -> Future<void> {
        cancelled.cancel();
        co_await channel.send(make(1));
    });
    EXPECT_EQ(received, (std::vector{1}));
    EXPECT_THROW(cancelled.outcome().take(), Cancelled);
}

TEST_P(Channels, an_item_that_was_handed_over_before_the_cancel_is_received) {
    auto receiver = spawn_receiver();
    world.run([&]() -> Future<void> {
        co_await channel.send(make(1));
        receiver.cancel();
    });
    EXPECT_EQ(received, (std::vector{1}));
}

TEST_P(Channels, a_cancelled_send_did_nothing) {
    const int inside = fill();
    auto cancelled = spawn_sender(98);
    spawn_sender(99);
    world.run([&]() -> Future<void> {
        co_await sleep(1ms);
        cancelled.cancel();
        for (int i = 1; i <= inside; ++i) EXPECT_EQ(**co_await channel.receive(), i);
        EXPECT_EQ(**co_await channel.receive(), 99);
        EXPECT_FALSE(channel.try_receive().has_value());
    });
    EXPECT_EQ(sent, (std::vector{99}));
    EXPECT_THROW(cancelled.outcome().take(), Cancelled);
}

TEST_P(Channels, a_send_whose_item_was_taken_before_the_cancel_is_done) {
    const int inside = fill();
    auto sender = spawn_sender(inside + 1);
    world.run([&]() -> Future<void> {
        co_await sleep(1ms);
        while (channel.try_receive()) received.push_back(0);
        sender.cancel();
    });
    EXPECT_EQ(sent, (std::vector{inside + 1}));
    EXPECT_EQ(received.size(), static_cast<std::size_t>(inside) + 1);
}

TEST_P(Channels, neither_end_begins_where_a_cancel_is_due) {
    const int inside = fill();
    auto receiver = world.spawn([this]() -> Future<void> {
        (co_await this_task()).cancel("by itself");
        auto item = co_await channel.receive();
        ADD_FAILURE();
    });
    auto sender = world.spawn([this]() -> Future<void> {
        static_cast<void>(channel.try_receive());
        (co_await this_task()).cancel("by itself");
        co_await channel.send(make(99));
        ADD_FAILURE();
    });
    static_cast<void>(world.loop.run());
    EXPECT_THROW(receiver.outcome().take(), Cancelled);
    EXPECT_THROW(sender.outcome().take(), Cancelled);
    EXPECT_EQ(channel.count(), static_cast<std::size_t>(inside > 0 ? inside - 1 : 0));
}

TEST_P(Channels, tasks_that_never_have_to_wait_let_the_others_go_first) {
    bool is_over = false;
    if (channel.capacity() == 0) return;
    world.spawn([&]() -> Future<void> {
        while (!is_over) {
            co_await channel.send(make(1));
            auto back = co_await channel.receive();
            EXPECT_TRUE(back.has_value());
        }
    });
    world.run([&]() -> Future<void> {
        co_await yield();
        is_over = true;
    });
    EXPECT_TRUE(is_over);
}

TEST_P(Channels, an_item_survives_the_turn_that_its_receiver_waits_for_the_others) {
    if (channel.capacity() == 0) return;
    TaskWorld strict(ExecutorOptions{.ready_awaits_max = 0});
    std::vector<int> notes;
    const auto body = [&](int mine) -> Future<void> {
        co_await channel.send(make(mine));
        notes.push_back(**co_await channel.receive());
    };
    strict.spawn(body, 1);
    static_cast<void>(strict.loop.run());
    EXPECT_EQ(notes, (std::vector{1}));
}

TEST_P(Channels, items_left_inside_go_with_the_channel) {
    fill();  // The leak check of the sanitizer looks at the rest.
    EXPECT_EQ(channel.count(), channel.capacity());
}

TEST(ChannelDeathTest, has_room_for_a_number_of_items_that_can_be_allocated) {
    EXPECT_DEATH(Channel<int>(static_cast<std::size_t>(-1)), "it allocates room for all");
}

}  // namespace
}  // namespace gyre
