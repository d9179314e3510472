// SPDX-License-Identifier: Apache-2.0
#include "gyre/job/detail/job.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace gyre::job {
namespace {

TEST(JobPool, an_id_names_its_job_until_that_is_put_back_and_nothing_after) {
    JobPool pool;
    Job& job = *pool.take(Job::Kind::timeout);
    const JobId id = JobPool::id_of(job);
    EXPECT_EQ(pool.find(id), &job);
    pool.put_back(job);
    EXPECT_EQ(pool.find(id), nullptr);
    Job& next = *pool.take(Job::Kind::timeout);
    EXPECT_EQ(&next, &job);
    EXPECT_EQ(pool.find(id), nullptr);
    EXPECT_NE(JobPool::id_of(next), id);
    pool.put_back(next);
}

TEST(JobPool, no_id_comes_twice_even_when_a_slot_is_used_up) {
    JobPool pool(JobPool::slot_count_max, 3);
    std::set<JobId> seen;
    for (int i = 0; i < 10'000; ++i) {
        Job& job = *pool.take(Job::Kind::immediate);
        EXPECT_TRUE(seen.insert(JobPool::id_of(job)).second);
        pool.put_back(job);
    }
}

TEST(JobPool, ids_fit_a_number_of_javascript) {
    Job job;
    job.slot = (1u << JobPool::slot_bits) - 1;
    job.generation = (1u << JobPool::generation_bits) - 1;
    EXPECT_LT(JobPool::id_of(job), JobId{1} << 53u);
    EXPECT_EQ(JobPool().find(0), nullptr);
    EXPECT_EQ(JobPool().find(JobPool::id_of(job)), nullptr);
}

TEST(JobRing, leaves_a_job_that_runs_where_it_is_while_it_grows) {
    JobRing ring(1024);
    std::vector<int> seen;
    const auto push = [&](int number) {
        ring.push([&seen, number] { seen.push_back(number); }, nullptr);
    };
    ring.push(
        [&, keeps = std::string("a callback that is allocated, and must stay")] {
            for (int i = 0; i < 300; ++i) push(i);
            EXPECT_EQ(keeps.size(), 43u);
        },
        nullptr);
    JobCallback& first = ring.first();
    first.callback.call_unshared();
    ring.drop_first(first);
    EXPECT_EQ(ring.size(), 300u);
    while (!ring.empty()) ring.pop().callback();
    for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], static_cast<int>(i));
    EXPECT_EQ(seen.size(), 300u);
}

TEST(JobRing, a_small_job_that_runs_keeps_what_it_was_made_with_over_growth) {
    JobRing ring(1024);
    int ran = 0;
    // Before it runs the ring has grown twice, and twice more while it does.
    ring.push(
        [&ring, &ran] {
            for (int i = 0; i < 300; ++i) ring.push([] {}, nullptr);
            ++ran;
            EXPECT_EQ(ring.size(), 401u);
        },
        nullptr);
    for (int i = 0; i < 100; ++i) ring.push([] {}, nullptr);
    JobCallback& first = ring.first();
    first.callback.call_unshared();
    ring.drop_first(first);
    EXPECT_EQ(ran, 1);
    EXPECT_EQ(ring.size(), 400u);
    while (!ring.empty()) ring.pop().callback();
}

TEST(JobRing, keeps_its_order_over_growth_and_says_its_limit) {
    JobRing ring(128);
    std::vector<int> seen;
    int next = 0;
    const auto push = [&] { ring.push([&seen, number = next++] { seen.push_back(number); }, {}); };
    for (int i = 0; i < 40; ++i) push();
    for (int i = 0; i < 30; ++i) ring.pop().callback();
    for (int i = 0; i < 118; ++i) push();
    EXPECT_EQ(ring.size(), 128u);
    EXPECT_THROW(push(), LimitError);
    while (!ring.empty()) ring.pop().callback();
    ASSERT_EQ(seen.size(), 158u);
    for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], static_cast<int>(i));
}

}  // namespace
}  // namespace gyre::job
