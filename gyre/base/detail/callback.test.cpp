// SPDX-License-Identifier: Apache-2.0
#include "gyre/base/detail/callback.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

namespace gyre {
namespace {

TEST(Callback, is_three_words) {
    EXPECT_EQ(sizeof(Callback<int>), 3 * sizeof(void*));
}

TEST(Callback, calls_what_is_small_and_what_is_large) {
    int sum = 0;
    Callback<int> small = [&sum](int value) { sum += value; };
    const std::array<int, 16> large_state{5};
    Callback<int> large = [&sum, large_state](int value) { sum += value * large_state[0]; };
    small(1);
    large(2);
    large(2);
    EXPECT_EQ(sum, 21);
}

TEST(Callback, that_is_empty_does_nothing) {
    Callback<int> none;
    EXPECT_FALSE(none);
    none(1);
}

TEST(Callback, frees_what_it_holds_once) {
    struct Counter {
        explicit Counter(int& at) : frees(&at) {}
        Counter(Counter&& other) noexcept : frees(std::exchange(other.frees, nullptr)) {}
        ~Counter() {
            if (frees != nullptr) ++*frees;
        }
        void operator()() {}
        int* frees;
    };
    int frees = 0;
    {
        Callback<> first = Counter(frees);
        Callback<> second = std::move(first);
        second();
        EXPECT_EQ(frees, 0);
    }
    EXPECT_EQ(frees, 1);
}

// Regression: a large callback that cleared its own slot reappeared in it after the call.
TEST(Callback, replaced_while_it_runs_stays_replaced_also_by_nothing) {
    std::string trace;
    const std::string large(64, 'x');
    Callback<> slot;
    slot = Callback<>([&slot, &trace, large] {
        slot = Callback<>();
        trace += large.substr(0, 1);
    });
    slot();
    slot();
    EXPECT_FALSE(slot);
    EXPECT_EQ(trace, "x");
    slot = Callback<>([&slot, &trace, large] { slot = Callback<>([&trace] { trace += 'b'; }); });
    slot();
    slot();
    EXPECT_EQ(trace, "xb");
}

TEST(Callback, that_throws_can_be_called_again) {
    int calls = 0;
    const std::array<int, 16> large_state{};
    Callback<> large = [&calls, large_state] { throw calls += 1 + large_state[0]; };
    EXPECT_THROW(large(), int);
    EXPECT_THROW(large(), int);
    EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace gyre
