// SPDX-License-Identifier: Apache-2.0
#include "gyre/base/detail/mpmc_ring.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace gyre {
namespace {

using Ring = MpmcRing<std::unique_ptr<int>>;

bool push(Ring& ring, int value) {
    auto item = std::make_unique<int>(value);
    const bool is_done = ring.push(item) == Ring::Pushed::done;
    EXPECT_EQ(item == nullptr, is_done) << "an item that is refused stays with the caller";
    return is_done;
}
int pop(Ring& ring) {
    std::optional<std::unique_ptr<int>> item;
    return ring.pop(item) == Ring::Popped::done ? **item : 0;
}

TEST(MpmcRing, gives_back_in_order_over_many_rounds) {
    Ring ring(4);
    for (int round = 0; round < 10; ++round) {
        for (int i = 1; i <= 3; ++i) EXPECT_TRUE(push(ring, 10 * round + i));
        for (int i = 1; i <= 3; ++i) EXPECT_EQ(pop(ring), 10 * round + i);
    }
}

TEST(MpmcRing, refuses_when_full_and_gives_nothing_when_empty) {
    Ring ring(2);
    EXPECT_EQ(pop(ring), 0);
    EXPECT_FALSE(ring.may_pop());
    EXPECT_TRUE(push(ring, 1));
    EXPECT_TRUE(push(ring, 2));
    EXPECT_FALSE(ring.may_push());
    EXPECT_FALSE(push(ring, 3));
    EXPECT_EQ(pop(ring), 1);
    EXPECT_TRUE(ring.may_push());
}

TEST(MpmcRing, that_is_closed_takes_nothing_and_gives_what_is_inside) {
    Ring ring(2);
    EXPECT_TRUE(push(ring, 1));
    ring.close();
    auto item = std::make_unique<int>(2);
    EXPECT_EQ(ring.push(item), Ring::Pushed::closed);
    EXPECT_EQ(pop(ring), 1);
    std::optional<std::unique_ptr<int>> none;
    EXPECT_EQ(ring.pop(none), Ring::Popped::closed);
    EXPECT_TRUE(ring.may_pop()) << "the answer is another than empty";
    EXPECT_TRUE(ring.may_push());
}

TEST(MpmcRing, loses_and_doubles_nothing_between_many_threads) {
    // clause: K24
    constexpr int per_thread = 20'000;
    constexpr int thread_count = 3;
    Ring ring(8);
    std::vector<std::atomic<int>> seen(per_thread * thread_count + 1);
    std::vector<std::thread> pushers;
    std::vector<std::thread> poppers;
    for (int t = 0; t < thread_count; ++t) {
        pushers.emplace_back([&ring, t] {
            for (int i = 1; i <= per_thread; ++i) {
                auto item = std::make_unique<int>(t * per_thread + i);
                while (ring.push(item) != Ring::Pushed::done) std::this_thread::yield();
            }
        });
        poppers.emplace_back([&ring, &seen] {
            std::vector<int> last(thread_count, 0);
            for (;;) {
                std::optional<std::unique_ptr<int>> item;
                const auto popped = ring.pop(item);
                if (popped == Ring::Popped::closed) return;
                if (popped == Ring::Popped::empty) {
                    std::this_thread::yield();
                    continue;
                }
                const int value = **item;
                ++seen[static_cast<std::size_t>(value)];
                int& before = last[static_cast<std::size_t>((value - 1) / per_thread)];
                EXPECT_LT(before, value) << "items of one pusher come in order";
                before = value;
            }
        });
    }
    for (auto& thread : pushers) thread.join();
    ring.close();
    for (auto& thread : poppers) thread.join();
    for (std::size_t i = 1; i < seen.size(); ++i) ASSERT_EQ(seen[i].load(), 1) << i;
}

}  // namespace
}  // namespace gyre
