// SPDX-License-Identifier: Apache-2.0
// The deque on real threads; its protocol is explored in tests/model/steal_deque.test.cpp.
#include "gyre/pool/detail/steal_deque.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "gyre/base/random.hpp"

namespace gyre::pool {
namespace {

TEST(StealDeque, gives_the_newest_to_its_owner_and_the_oldest_to_thieves) {
    StealDeque<int> deque(4);
    std::array<int, 3> items{};
    for (int& item : items) ASSERT_TRUE(deque.push(item));
    EXPECT_EQ(deque.steal(), &items[0]);
    EXPECT_EQ(deque.pop(), &items[2]);
    EXPECT_EQ(deque.pop(), &items[1]);
    EXPECT_EQ(deque.pop(), nullptr);
    EXPECT_EQ(deque.steal(), nullptr);
    EXPECT_TRUE(deque.looks_empty());
}

// clause: K14
TEST(StealDeque, refuses_what_it_has_no_room_for) {
    StealDeque<int> deque(2);
    std::array<int, 4> items{};
    ASSERT_TRUE(deque.push(items[0]));
    ASSERT_TRUE(deque.push(items[1]));
    EXPECT_FALSE(deque.push(items[2]));
    EXPECT_EQ(deque.steal(), &items[0]);
    EXPECT_TRUE(deque.push(items[2]));
    EXPECT_FALSE(deque.push(items[3]));
    EXPECT_EQ(deque.pop(), &items[2]);
    EXPECT_EQ(deque.pop(), &items[1]);
    EXPECT_EQ(deque.pop(), nullptr);
}

TEST(StealDeque, gives_each_item_to_one_thread) {
    constexpr std::size_t item_count = 60'000;
    struct Item {
        int value = 0;
        int taken = 0;  // Not atomic: the deque alone must prevent a race.
    };
    std::vector<Item> items(item_count);
    StealDeque<Item> deque(64);
    std::atomic<bool> is_over{false};
    std::atomic<std::size_t> stolen{0};
    const auto take = [](Item& item) {
        EXPECT_EQ(item.value, 1);
        ++item.taken;
    };
    std::vector<std::thread> thieves;
    for (int i = 0; i < 2; ++i) {
        thieves.emplace_back([&] {
            while (!is_over) {
                Item* item = deque.steal();
                if (item == nullptr) continue;
                take(*item);
                ++stolen;
            }
        });
    }
    Random random(7);
    std::size_t popped = 0;
    for (Item& item : items) {
        item.value = 1;
        while (!deque.push(item)) {
            if (Item* newest = deque.pop()) {
                take(*newest);
                ++popped;
            }
        }
        if (!random.one_in(3)) continue;
        if (Item* newest = deque.pop()) {
            take(*newest);
            ++popped;
        }
    }
    while (Item* newest = deque.pop()) {
        take(*newest);
        ++popped;
    }
    is_over = true;
    for (std::thread& thief : thieves) thief.join();
    EXPECT_EQ(popped + stolen, item_count);
    for (const Item& item : items) ASSERT_EQ(item.taken, 1);
}

}  // namespace
}  // namespace gyre::pool
