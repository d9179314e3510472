// SPDX-License-Identifier: Apache-2.0
// The job queue: order, capacity, withdrawal.
#include "gyre/pool/internal/job_queue.hpp"

#include <gtest/gtest.h>

#include <array>

namespace gyre::pool {
namespace {

WorkOp::Function nothing = [](WorkOp&) noexcept -> std::int32_t { return 0; };

class JobQueues : public testing::Test {
protected:
    bool push(std::size_t i) { return queue.push({.op = &ops[i]}); }
    Op* pop() {
        const auto job = queue.pop();
        return job ? job->op : nullptr;
    }

    std::array<WorkOp, 4> ops{WorkOp(nothing), WorkOp(nothing), WorkOp(nothing), WorkOp(nothing)};
    JobQueue queue{3};
};

TEST_F(JobQueues, give_the_oldest_first) {
    for (int round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < 3; ++i) ASSERT_TRUE(push(i));
        for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(pop(), &ops[i]);
        EXPECT_EQ(pop(), nullptr);
    }
}

// clause: K14
TEST_F(JobQueues, refuse_more_than_they_hold) {
    for (std::size_t i = 0; i < 3; ++i) ASSERT_TRUE(push(i));
    EXPECT_FALSE(push(3));
    EXPECT_EQ(queue.count(), 3u);
    EXPECT_EQ(pop(), &ops[0]);
    EXPECT_TRUE(push(3));
    while (pop() != nullptr) {
    }
}

TEST_F(JobQueues, take_back_from_the_middle_and_only_once) {
    EXPECT_FALSE(queue.withdraw(ops[0]));
    for (std::size_t i = 0; i < 3; ++i) ASSERT_TRUE(push(i));
    EXPECT_TRUE(queue.withdraw(ops[1]));
    EXPECT_FALSE(queue.withdraw(ops[1]));
    EXPECT_FALSE(queue.withdraw(ops[3]));
    EXPECT_TRUE(push(3));
    EXPECT_EQ(pop(), &ops[0]);
    EXPECT_EQ(pop(), &ops[2]);
    EXPECT_EQ(pop(), &ops[3]);
    EXPECT_EQ(queue.count(), 0u);
}

}  // namespace
}  // namespace gyre::pool
