// SPDX-License-Identifier: Apache-2.0
// Work on other threads, as libuv's test-threadpool.c and test-threadpool-cancel.c pin it. Each test
// names the one it restates.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "gyre/handle/request.hpp"
#include "gyre/handle/timer.hpp"
#include "tests/support/handle_world.hpp"

namespace gyre::handle {
namespace {

using namespace std::chrono_literals;

GYRE_HANDLES_EVERYWHERE(UvWork);
GYRE_HANDLES_FOR_REAL(UvRealWork);

// test-threadpool.c: threadpool_queue_work_simple
TEST_P(UvWork, runs_and_calls_back_with_its_status) {
    int worked = 0;
    int done = 0;
    Work work(loop);
    EXPECT_TRUE(work.queue([&] { ++worked; },
                           [&](Work& self, Status status) {
                               EXPECT_EQ(&self, &work);
                               EXPECT_TRUE(status.has_value());
                               EXPECT_FALSE(self.is_active());
                               ++done;
                           })
                    .get());
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(worked, 1);
    EXPECT_EQ(done, 1);
}

// test-threadpool.c: threadpool_queue_work_einval
TEST_P(UvWork, without_a_function_is_refused) {
    Work work(loop);
    EXPECT_EQ(work.queue({}, [](Work&, Status) { FAIL(); }).get().error().code(),
              std::errc::invalid_argument);
    EXPECT_FALSE(loop.is_alive());
}

// test-threadpool.c: the thread of the callback
// clause: L19
TEST_P(UvRealWork, runs_on_another_thread_and_calls_back_on_the_loops) {
    const auto here = std::this_thread::get_id();
    std::thread::id worker;
    Work work(loop);
    work.queue([&] { worker = std::this_thread::get_id(); },
               [&](Work&, Status) { EXPECT_EQ(std::this_thread::get_id(), here); });
    loop.run();
    EXPECT_NE(worker, here);
}

// Keeps the pool's threads busy until it is opened.
struct Gate {
    std::mutex mutex;
    std::condition_variable changed;
    int waiting = 0;
    bool is_open = false;

    void pass() {
        std::unique_lock lock(mutex);
        ++waiting;
        changed.notify_all();
        changed.wait(lock, [this] { return is_open; });
    }
    void wait_for(int count) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return waiting == count; });
    }
    void open() {
        const std::lock_guard lock(mutex);
        is_open = true;
        changed.notify_all();
    }
};

// test-threadpool-cancel.c: threadpool_cancel_work
// clause: L19 L25
TEST_P(UvRealWork, that_is_queued_can_be_cancelled_and_never_runs) {
    Gate gate;
    Work busy_1(loop);
    Work busy_2(loop);
    Work queued(loop);
    Status outcome;
    busy_1.queue([&] { gate.pass(); }, [](Work&, Status) {});
    busy_2.queue([&] { gate.pass(); }, [](Work&, Status) {});
    loop.run(RunMode::no_wait);
    gate.wait_for(2);
    queued.queue([] { FAIL(); }, [&](Work&, Status status) { outcome = status; });
    loop.run(RunMode::no_wait);
    EXPECT_TRUE(queued.cancel().get());
    EXPECT_TRUE(queued.is_active());  // The callback comes later.
    gate.open();
    EXPECT_FALSE(loop.run());
    ASSERT_FALSE(outcome.has_value());
    EXPECT_EQ(outcome.error().code(), std::errc::operation_canceled);
}

// test-threadpool-cancel.c: threadpool_cancel_single (busy)
// clause: L19
TEST_P(UvRealWork, that_has_begun_says_busy_and_finishes) {
    Gate gate;
    Work work(loop);
    bool is_done = false;
    work.queue([&] { gate.pass(); },
               [&](Work&, Status status) {
                   EXPECT_TRUE(status.has_value());
                   is_done = true;
               });
    loop.run(RunMode::no_wait);
    gate.wait_for(1);
    EXPECT_EQ(work.cancel().get().error().code(), std::errc::device_or_resource_busy);
    gate.open();
    EXPECT_FALSE(loop.run());
    EXPECT_TRUE(is_done);
}

// test-threadpool-cancel.c: cancel before it has begun: simulated work begins in a later iteration
TEST(UvSimulatedWork, cancelled_at_once_never_runs) {
    test::HandleWorld world;
    Work work(world.loop());
    Status outcome;
    work.queue([] { FAIL(); }, [&](Work&, Status status) { outcome = status; });
    EXPECT_TRUE(work.cancel().get());
    EXPECT_FALSE(world.loop().run());
    EXPECT_EQ(outcome.error().code(), std::errc::operation_canceled);
}

// test-threadpool-cancel.c: cancel of what is done
TEST_P(UvWork, that_is_done_cannot_be_cancelled) {
    Work work(loop);
    EXPECT_FALSE(work.cancel().get());
    work.queue([] {}, [](Work&, Status) {});
    loop.run();
    EXPECT_EQ(work.cancel().get().error().code(), std::errc::invalid_argument);
}

// test-threadpool.c: a request queued again by its callback
TEST_P(UvWork, can_be_queued_again_by_its_callback) {
    int runs = 0;
    Work work(loop);
    std::function<void(Work&, Status)> again = [&](Work& self, Status) {
        if (runs < 3) self.queue([&] { ++runs; }, again);
    };
    work.queue([&] { ++runs; }, again);
    loop.run();
    EXPECT_EQ(runs, 3);
}

// test-threadpool.c: work that throws has no counterpart in C
// clause: L25
TEST_P(UvWork, that_throws_arrives_as_an_error) {
    Work work(loop);
    Status outcome;
    work.queue([] { throw std::runtime_error("no"); },
               [&](Work&, Status status) { outcome = status; });
    loop.run();
    EXPECT_EQ(outcome.error().code(), std::errc::state_not_recoverable);
    EXPECT_THROW(std::rethrow_exception(work.exception()), std::runtime_error);
}

}  // namespace
}  // namespace gyre::handle
