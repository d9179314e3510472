// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/internal/wait_graph.hpp"

#include <gtest/gtest.h>

#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task_world.test.hpp"
#include "gyre/task/sync/channel.hpp"
#include "gyre/task/sync/event.hpp"
#include "gyre/task/sync/semaphore.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

// The objects outlive the tasks that are left waiting for them.
struct WaitGraphs : testing::Test {
    std::string cycles_when_nothing_moves() {
        EXPECT_NE(world.loop.run(), Loop::End::stopped);
        return WaitGraph(world.executor).cycles();
    }
    void TearDown() override {
        world.executor.root().cancel("the test ends");
        (void)world.loop.run();
    }
    Future<void> lock_both(Mutex& first, Mutex& second) {
        const MutexGuard one = co_await first.lock();
        co_await sleep(1ms);
        const MutexGuard two = co_await second.lock();
    }

    Mutex m1{"m1"};
    Mutex m2{"m2"};
    Semaphore permits{2, "permits"};
    Channel<int> requests{0, "requests"};
    Channel<int> answers{0};
    Event never;
    TaskWorld world;
};

TEST_F(WaitGraphs, tell_who_holds_the_mutex_that_another_waits_for) {
    world.spawn([this] { return lock_both(m1, m2); }).set_name("a");
    world.spawn([this] { return lock_both(m2, m1); }).set_name("b");
    EXPECT_EQ(cycles_when_nothing_moves(),
              "these tasks wait for each other:\n"
              "  'a' holds mutex 'm1' and waits for mutex 'm2', held by 'b'\n"
              "  'b' holds mutex 'm2' and waits for mutex 'm1', held by 'a'\n");
}

TEST_F(WaitGraphs, a_task_that_locks_twice_waits_for_itself) {
    world.spawn([this] { return lock_both(m1, m1); });
    EXPECT_EQ(cycles_when_nothing_moves(),
              "these tasks wait for each other:\n"
              "  task 1 holds mutex 'm1' and waits for mutex 'm1', held by task 1\n");
}

TEST_F(WaitGraphs, a_lock_that_was_handed_over_has_another_holder) {
    const auto pass_on = [this]() -> Future<void> {
        const MutexGuard guard = co_await m1.lock();
        co_await sleep(1ms);
    };
    world.spawn(pass_on).set_name("before");
    world.spawn([this] { return lock_both(m1, m1); }).set_name("after");
    EXPECT_EQ(cycles_when_nothing_moves(),
              "these tasks wait for each other:\n"
              "  'after' holds mutex 'm1' and waits for mutex 'm1', held by 'after'\n");
}

TEST_F(WaitGraphs, go_through_the_end_of_a_task_and_of_a_scope) {
    const auto owner = [this]() -> Future<void> {
        const MutexGuard guard = co_await m1.lock();
        co_await with_scope([this](Scope& scope) -> Future<void> {
            const auto lock = [this]() -> Future<void> {
                const MutexGuard inner = co_await m1.lock();
            };
            auto child = scope.spawn(lock);
            child.set_name("child");
            co_await child;
        });
    };
    world.spawn(owner).set_name("owner");
    EXPECT_EQ(cycles_when_nothing_moves(),
              "these tasks wait for each other:\n"
              "  'owner' holds mutex 'm1' and waits for the end of task 2\n"
              "  task 2 waits for the end of 'child'\n"
              "  'child' waits for mutex 'm1', held by 'owner'\n");
}

TEST_F(WaitGraphs, name_the_last_tasks_at_semaphores_and_channels) {
    const auto client = [this]() -> Future<void> {
        const Permits mine = co_await permits.acquire(2);
        while (co_await answers.receive()) {
            const Permits more = co_await permits.acquire();
        }
    };
    const auto server = [this]() -> Future<void> {
        (void)co_await answers.send(1);
        co_await sleep(1ms);
        const Permits mine = co_await permits.acquire();
    };
    world.spawn(client).set_name("client");
    world.spawn(server).set_name("server");
    EXPECT_EQ(cycles_when_nothing_moves(),
              "these tasks wait for each other:\n"
              "  'client' acquired semaphore 'permits' and waits for semaphore 'permits', last "
              "acquired by 'client'\n");
    EXPECT_NE(world.executor.dump_tasks().find("task 2 'server': waiting on semaphore 'permits', "
                                               "last acquired by task 1 'client', for "),
              std::string::npos)
        << world.executor.dump_tasks();
}

TEST_F(WaitGraphs, two_channels_that_wait_for_each_other) {
    // Each has waited for an item before, so the channels know them.
    const auto node = [](Channel<int>* in, Channel<int>* out, bool begins) -> Future<void> {
        if (begins) co_await out->send(1);
        while (co_await in->receive()) {
            co_await sleep(1ms);
            co_await out->send(1);
        }
    };
    const auto begin_other = [](Channel<int>* out) -> Future<void> { co_await out->send(1); };
    world.spawn(node, &requests, &answers, false).set_name("one");
    world.spawn(node, &answers, &requests, false).set_name("two");
    world.spawn(begin_other, &requests);
    world.spawn(begin_other, &answers);
    EXPECT_EQ(cycles_when_nothing_moves(),
              "these tasks wait for each other:\n"
              "  'one' receives from channel 'requests' and waits for room in a channel, last "
              "received from by 'two'\n"
              "  'two' receives from a channel and waits for room in channel 'requests', last "
              "received from by 'one'\n");
}

TEST_F(WaitGraphs, say_nothing_about_tasks_that_something_else_may_wake) {
    const auto holder = [this]() -> Future<void> {
        const MutexGuard guard = co_await m1.lock();
        co_await never;
    };
    const auto wait = [this]() -> Future<void> { const MutexGuard guard = co_await m1.lock(); };
    world.spawn(holder).set_name("holder");
    world.spawn(wait);
    EXPECT_EQ(cycles_when_nothing_moves(), "");
}

TEST_F(WaitGraphs, a_holder_that_has_ended_is_told) {
    MutexGuard kept;
    const auto holder = [this, &kept]() -> Future<void> { kept = co_await m1.lock(); };
    const auto wait = [this]() -> Future<void> { const MutexGuard guard = co_await m1.lock(); };
    world.spawn(holder);
    world.spawn(wait);
    EXPECT_EQ(cycles_when_nothing_moves(), "");
    EXPECT_NE(world.executor.dump_tasks().find(
                  "waiting on mutex 'm1', held by task 1 (which has ended), for "),
              std::string::npos);
    kept.release();
}

TEST_F(WaitGraphs, a_chain_of_many_waits_is_followed_without_the_threads_stack) {
    constexpr int count = 100'000;
    world.spawn([&]() -> Future<void> {
        TaskHandle<void> last = world.spawn([this]() -> Future<void> { co_await never; });
        for (int i = 0; i < count; ++i) {
            last = world.spawn(
                [](TaskHandle<void> before) -> Future<void> { co_await std::move(before); },
                std::move(last));
        }
        co_await never;
    });
    EXPECT_EQ(cycles_when_nothing_moves(), "");
}

}  // namespace
}  // namespace gyre
