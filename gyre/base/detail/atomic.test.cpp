// SPDX-License-Identifier: Apache-2.0
// Checks that Atomic costs nothing in a normal build. tests/model tests the memory orders, with the
// checker's atomics behind the same name.
#include "gyre/base/detail/atomic.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>

namespace gyre {
namespace {

TEST(Atomic, is_the_standard_one_in_a_normal_build) {
    static_assert(std::is_same_v<Atomic<std::uint64_t>, std::atomic<std::uint64_t>>);
    static_assert(Atomic<std::uint64_t>::is_always_lock_free);
    static_assert(Atomic<void*>::is_always_lock_free);
}

TEST(Atomic, reads_back_what_was_written) {
    Atomic<int> number{1};
    number.store(2);
    EXPECT_EQ(number.exchange(3), 2);
    EXPECT_EQ(number.fetch_add(4), 3);
    int expected = 6;
    EXPECT_FALSE(number.compare_exchange_strong(expected, 0));
    EXPECT_EQ(expected, 7);
    spin_pause();
    EXPECT_EQ(number.load(), 7);
}

}  // namespace
}  // namespace gyre
