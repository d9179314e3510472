// SPDX-License-Identifier: Apache-2.0
// The ring on one thread, and with two real threads; tests/model tries every interleaving of two.
#include "gyre/base/spsc_ring.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace gyre {
namespace {

TEST(SpscRing, gives_out_first_what_came_in_first) {
    SpscRing<int> ring(4);
    EXPECT_EQ(ring.capacity(), 4u);
    EXPECT_EQ(ring.pop(), std::nullopt);
    EXPECT_TRUE(ring.push(1));
    EXPECT_TRUE(ring.push(2));
    EXPECT_EQ(ring.pop(), 1);
    EXPECT_EQ(ring.pop(), 2);
    EXPECT_EQ(ring.pop(), std::nullopt);
}

TEST(SpscRing, holds_exactly_its_capacity_and_refuses_more) {
    // clause: K14
    SpscRing<int> ring(4);
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(ring.push(i));
    EXPECT_FALSE(ring.push(4));
    EXPECT_EQ(ring.pop(), 0);
    EXPECT_TRUE(ring.push(5));
    EXPECT_FALSE(ring.push(6));
    for (const int expected : {1, 2, 3, 5}) EXPECT_EQ(ring.pop(), expected);
    EXPECT_EQ(ring.pop(), std::nullopt);
}

TEST(SpscRing, of_one_slot_works) {
    SpscRing<int> ring(1);
    for (int i = 0; i < 10; ++i) {
        EXPECT_TRUE(ring.push(i));
        EXPECT_FALSE(ring.push(i));
        EXPECT_EQ(ring.pop(), i);
    }
}

TEST(SpscRing, a_refused_item_stays_with_its_caller_and_an_item_moves_through) {
    SpscRing<std::unique_ptr<int>> ring(1);
    EXPECT_TRUE(ring.push(std::make_unique<int>(1)));
    auto second = std::make_unique<int>(2);
    EXPECT_FALSE(ring.push(std::move(second)));
    ASSERT_NE(second, nullptr);
    EXPECT_EQ(**ring.pop(), 1);
    EXPECT_TRUE(ring.push(std::move(second)));
    EXPECT_EQ(**ring.pop(), 2);
}

TEST(SpscRing, two_threads_lose_nothing_and_keep_the_order) {
    // clause: K13
    constexpr int count = 100'000;
    SpscRing<int> ring(64);
    std::thread producer([&ring] {
        for (int i = 0; i < count;) {
            if (ring.push(i)) {
                ++i;
            } else {
                std::this_thread::yield();
            }
        }
    });
    int mismatches = 0;
    for (int expected = 0; expected < count;) {
        const auto item = ring.pop();
        if (!item) {
            std::this_thread::yield();
            continue;
        }
        mismatches += *item == expected ? 0 : 1;
        ++expected;
    }
    producer.join();
    EXPECT_EQ(mismatches, 0);
    EXPECT_EQ(ring.pop(), std::nullopt);
}

TEST(SpscRingDeathTest, a_capacity_that_is_no_power_of_two_is_refused) {
    EXPECT_DEATH(SpscRing<int>(3), "capacity 3 is no power of two");
}

}  // namespace
}  // namespace gyre
