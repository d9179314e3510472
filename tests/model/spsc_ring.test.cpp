// SPDX-License-Identifier: Apache-2.0
// gyre/base/spsc_ring.hpp under the model checker: more items than the ring holds, so that both
// sides meet it full and empty. Planted bugs as in inbox.test.cpp.
#include "gyre/base/spsc_ring.hpp"

#include <gtest/gtest.h>

#include <string>

#include "model.hpp"

namespace {

using Ring = gyre::SpscRing<model::Shared<int>>;

void push_all(Ring& ring, int first, int last) {
    for (int i = first; i <= last; ++i) {
        while (!ring.push(model::Shared<int>(i))) gyre::spin_pause();
    }
}

int pop_one(Ring& ring) {
    while (true) {
        if (auto item = ring.pop()) return item->get();
        gyre::spin_pause();
    }
}

model::Outcome one_producer(const model::Options& options) {
    return model::explore(options, [](model::Run& run) {
        Ring ring(2);
        run.name(ring, "ring");
        run.thread("producer", [&] { push_all(ring, 1, 4); });
        run.thread("consumer", [&] {
            for (int i = 1; i <= 4; ++i) model::require(pop_one(ring) == i, "in order, each once");
        });
        run.start_and_join();
        model::require(!ring.pop().has_value(), "nothing left over");
    });
}

TEST(SpscRingModel, keeps_order_and_loses_nothing_and_shares_no_slot) {
    // clause: K13, K24
    const auto outcome = one_producer({});
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
    RecordProperty("schedules", std::to_string(outcome.schedules_explored));
}

TEST(SpscRingModel, orders_that_are_too_weak_are_found) {
    const auto outcome = one_producer({.weaken = model::Weaken::everything_to_relaxed});
    EXPECT_TRUE(outcome.schedule.starts_with("data race on ")) << outcome.schedule;
}

TEST(SpscRingModel, a_second_producer_is_found) {
    const auto outcome = model::explore({}, [](model::Run& run) {
        Ring ring(2);
        run.name(ring, "ring");
        run.thread("producer", [&] { push_all(ring, 1, 1); });
        run.thread("second producer", [&] { push_all(ring, 2, 2); });
        run.start_and_join();
        model::require(pop_one(ring) + pop_one(ring) == 3, "both arrive");
    });
    EXPECT_FALSE(outcome.ok);
}

}  // namespace
