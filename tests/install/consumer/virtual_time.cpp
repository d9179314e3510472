// SPDX-License-Identifier: Apache-2.0
// A stranger's test: a day of retries, in no time at all.
#include "gyre/testing/virtual_time.hpp"

using namespace std::chrono_literals;
using Retries = gyre::testing::VirtualTimeTest;

namespace {

// Tries again after 1, 2, 4 hours and so on.
gyre::Future<int> try_until(int wanted) {
    int tries = 1;
    for (gyre::Duration pause = 1h; tries < wanted; pause *= 2) {
        co_await gyre::sleep(pause);
        ++tries;
    }
    co_return tries;
}

TEST_F(Retries, wait_twice_as_long_each_time) {
    EXPECT_EQ(run(try_until, 5), 5);
    EXPECT_EQ(elapsed(), 15h);
}

TEST_F(Retries, that_are_cancelled_stop_at_once) {
    auto retries = spawn(try_until, 1000);
    advance(90min);
    retries.cancel("no longer wanted");
    run_all();
    EXPECT_THROW(retries.outcome().take(), gyre::Cancelled);
    EXPECT_EQ(elapsed(), 90min);
}

}  // namespace
