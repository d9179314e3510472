// SPDX-License-Identifier: Apache-2.0
#include "gyre/base/bounded_pool.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gyre {
namespace {

TEST(BoundedPool, gives_out_each_object_once_until_it_is_put_back) {
    BoundedPool<int> pool(3);
    std::set<int*> taken;
    for (int i = 0; i < 3; ++i) {
        const auto item = pool.take();
        ASSERT_TRUE(item.has_value());
        taken.insert(*item);
    }
    EXPECT_EQ(taken.size(), 3u);
    EXPECT_EQ(pool.in_use(), 3u);
    for (int* item : taken) pool.put_back(*item);
    EXPECT_EQ(pool.in_use(), 0u);
}

TEST(BoundedPool, that_is_exhausted_is_an_error_and_not_a_larger_pool) {
    // clause: K14
    BoundedPool<int> pool(1);
    int* item = pool.take().value();
    for (int i = 0; i < 3; ++i) {
        const auto more = pool.take();
        ASSERT_FALSE(more.has_value());
        EXPECT_EQ(more.error().code(), std::errc::not_enough_memory);
    }
    EXPECT_EQ(pool.capacity(), 1u);
    pool.put_back(*item);
    EXPECT_EQ(pool.take().value(), item);
    pool.put_back(*item);
}

TEST(BoundedPool, of_none_is_always_exhausted) {
    BoundedPool<int> pool(0);
    EXPECT_FALSE(pool.take().has_value());
}

TEST(BoundedPoolDeathTest, destroyed_with_objects_in_use_says_how_many) {
    EXPECT_DEATH(
        {
            BoundedPool<int> pool(2);
            (void)pool.take();
        },
        "1 objects of the pool are still in use: put them back first");
}

TEST(BoundedPoolDeathTest, more_put_back_than_taken_is_caught) {
    BoundedPool<int> pool(2);
    int stranger = 0;
    EXPECT_DEATH(pool.put_back(stranger), "more objects put back than were taken");
}

}  // namespace
}  // namespace gyre
