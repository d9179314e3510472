// SPDX-License-Identifier: Apache-2.0
#include "gyre/base/detail/scope_exit.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace gyre {
namespace {

TEST(ScopeExit, calls_its_function_when_the_scope_is_left) {
    int calls = 0;
    {
        const ScopeExit leave([&calls] { ++calls; });
        EXPECT_EQ(calls, 0);
    }
    EXPECT_EQ(calls, 1);
}

TEST(ScopeExit, calls_its_function_when_an_exception_leaves_the_scope) {
    int calls = 0;
    const auto fail = [&calls] {
        const ScopeExit leave([&calls] { ++calls; });
        throw std::runtime_error("on purpose");
    };
    EXPECT_THROW(fail(), std::runtime_error);
    EXPECT_EQ(calls, 1);
}

TEST(ScopeExit, of_several_the_last_is_called_first) {
    std::vector<int> order;
    {
        const ScopeExit first([&order] { order.push_back(1); });
        const ScopeExit second([&order] { order.push_back(2); });
    }
    EXPECT_EQ(order, (std::vector<int>{2, 1}));
}

}  // namespace
}  // namespace gyre
