// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/thread/on.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>

#include "gyre/sim/world.hpp"
#include "gyre/task/core/frame_check.test.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task.hpp"
#include "gyre/task/core/task_world.test.hpp"
#include "gyre/task/thread/loop_thread.test.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

// Two loops on one thread, in virtual time.
class OnAnotherLoop : public testing::Test {
protected:
    ~OnAnotherLoop() override { world.close(); }
    template <class F>
    auto run(F function) {
        auto task = home.root().spawn(std::move(function));
        EXPECT_EQ(world.run(), sim::World::End::idle);
        return task.outcome().take();
    }

    const FrameCheck frames;
    sim::VirtualClock clock;
    Executor home;
    Executor there;
    sim::World world{clock};
    Loop& home_loop = world.add_loop(home);
    Loop& there_loop = world.add_loop(there);
};

TEST_F(OnAnotherLoop, a_function_runs_there_and_its_value_comes_back) {
    run([&]() -> Future<void> {
        const auto where = [](int value) -> Future<std::pair<Executor*, int>> {
            Executor* at = &(co_await this_task()).executor();
            co_await sleep(1ms);
            co_return std::pair(at, value);
        };
        const auto [at, value] = co_await on(there, where, 7);
        EXPECT_EQ(at, &there);
        EXPECT_EQ(value, 7);
        EXPECT_EQ(&(co_await this_task()).executor(), &home);
        const auto [again, ignored] = co_await on(home, where, 1);
        EXPECT_EQ(again, &home) << "one's own loop will do";
    });
}

TEST_F(OnAnotherLoop, arguments_are_moved_over_and_so_is_the_value) {
    run([&]() -> Future<void> {
        const auto add_one = [](std::unique_ptr<int> of) -> Future<std::unique_ptr<int>> {
            ++*of;
            co_return of;
        };
        auto one = std::make_unique<int>(1);
        const auto two = co_await on(there_loop.app_ref(), add_one, std::move(one));
        EXPECT_EQ(*two, 2);
    });
}

TEST_F(OnAnotherLoop, failures_come_back_and_leave_that_loop_alone) {
    run([&]() -> Future<void> {
        bool is_caught = false;
        try {
            co_await on(there, []() -> Future<void> {
                co_await sleep(1ms);
                throw std::out_of_range("too far");
            });
        } catch (const std::out_of_range&) {
            is_caught = true;
        }
        EXPECT_TRUE(is_caught);
        try {
            co_await on(there, []() -> Future<void> { co_await fail(Error(std::errc::no_link)); });
        } catch (const std::system_error& e) {
            EXPECT_EQ(e.code(), std::errc::no_link);
        }
    });
    EXPECT_FALSE(there.root().is_cancelled());
}

TEST_F(OnAnotherLoop, the_trace_goes_along) {
    // clause: K23
    home.root().spawn([]() -> Future<void> { co_return; });  // Task ids differ between the loops.
    run([&]() -> Future<void> {
        const auto trace = []() -> Future<std::uint64_t> {
            co_return (co_await this_task()).trace_id();
        };
        const std::uint64_t mine = co_await trace();
        EXPECT_EQ(co_await on(there, trace), mine);
    });
}

TEST_F(OnAnotherLoop, a_cancel_is_carried_over_and_the_clean_up_there_is_awaited) {
    bool is_cleaned_up = false;
    auto task = home.root().spawn([&]() -> Future<void> {
        co_await on(there, [&]() -> Future<void> {
            try {
                co_await sleep(1h);
            } catch (const Cancelled&) {
            }
            co_await sleep(5ms);
            is_cleaned_up = true;
            (co_await this_task()).cancel("again");
            co_await cancel_point();
        });
    });
    run([&]() -> Future<void> {
        co_await sleep(1ms);
        task.cancel("enough");
        co_await sleep(1ms);
        EXPECT_FALSE(task.is_completed());
    });
    EXPECT_TRUE(is_cleaned_up);
    try {
        task.outcome().take();
        ADD_FAILURE();
    } catch (const Cancelled& e) {
        EXPECT_EQ(e.reason().why, "enough") << "the reason is the one given at home";
    }
    EXPECT_LT(clock.now(), Instant() + 1h);
}

TEST_F(OnAnotherLoop, what_a_function_gives_in_spite_of_a_cancel_stands) {
    int value = 0;
    auto task = home.root().spawn([&]() -> Future<void> {
        value = co_await on(there, []() -> Future<int> {
            try {
                co_await sleep(1h);
            } catch (const Cancelled&) {
            }
            co_return 8;
        });
    });
    run([&]() -> Future<void> {
        co_await sleep(1ms);
        task.cancel();
    });
    EXPECT_EQ(value, 8);
}

TEST_F(OnAnotherLoop, a_cancel_before_the_start_means_that_nothing_runs) {
    bool has_run = false;
    const auto body = [&]() -> Future<void> {
        has_run = true;
        co_return;
    };
    auto due = home.root().spawn([&]() -> Future<void> {
        (co_await this_task()).cancel("by itself");
        co_await on(there, body);
    });
    auto on_its_way = home.root().spawn([&]() -> Future<void> { co_await on(there, body); });
    home.root().spawn([&]() -> Future<void> {
        on_its_way.cancel();
        co_return;
    });
    EXPECT_EQ(world.run(), sim::World::End::idle);
    EXPECT_THROW(due.outcome().take(), Cancelled);
    EXPECT_THROW(on_its_way.outcome().take(), Cancelled);
    EXPECT_FALSE(has_run);
}

TEST_F(OnAnotherLoop, a_cancel_in_any_turn_ends_the_call_once) {
    // Cancels after each number of turns: on the way there, on the other loop, on the way back.
    for (int turns = 0; turns < 12; ++turns) {
        int begun = 0;
        int ended = 0;
        bool is_over = false;
        auto task = home.root().spawn([&]() -> Future<void> {
            try {
                co_await on(there, [&]() -> Future<void> {
                    ++begun;
                    try {
                        co_await sleep(1us);
                    } catch (...) {
                        ++ended;
                        throw;
                    }
                    ++ended;
                });
            } catch (const Cancelled&) {
            }
            is_over = true;
        });
        home.root().spawn(
            [&](int count) -> Future<void> {
                for (int i = 0; i < count; ++i) co_await sleep(200ns);
                task.cancel();
            },
            turns);
        EXPECT_EQ(world.run(), sim::World::End::idle);
        EXPECT_TRUE(is_over) << turns;
        EXPECT_EQ(begun, ended) << turns;
    }
}

TEST_F(OnAnotherLoop, a_loop_that_has_closed_refuses) {
    there_loop.close();
    run([&]() -> Future<void> {
        bool is_refused = false;
        try {
            co_await on(there, []() -> Future<void> { co_return; });
        } catch (const std::system_error& e) {
            is_refused = e.code() == std::errc::owner_dead;
        }
        EXPECT_TRUE(is_refused);
    });
}

TEST_F(OnAnotherLoop, a_loop_that_closes_first_ends_what_runs_there) {
    bool is_over = false;
    home.root().spawn([&]() -> Future<void> {
        try {
            co_await on(there, []() -> Future<void> { co_await sleep(1h); });
        } catch (const Cancelled& e) {
            EXPECT_EQ(e.reason().why, "the loop closes");
            is_over = true;
        }
    });
    home.root().spawn([&]() -> Future<void> {
        co_await sleep(1ms);
        world.stop();
    });
    EXPECT_EQ(world.run(), sim::World::End::stopped);
    there_loop.close();
    EXPECT_EQ(world.run(), sim::World::End::idle);
    EXPECT_TRUE(is_over);
}

TEST_F(OnAnotherLoop, a_caller_whose_loop_closes_awaits_the_end_there) {
    bool is_cleaned_up = false;
    home.root().spawn([&]() -> Future<void> {
        co_await on(there, [&]() -> Future<void> {
            try {
                co_await sleep(1h);
            } catch (const Cancelled&) {
                is_cleaned_up = true;
                throw;
            }
        });
    });
    home.root().spawn([&]() -> Future<void> {
        co_await sleep(1ms);
        world.stop();
    });
    EXPECT_EQ(world.run(), sim::World::End::stopped);
    world.close();
    EXPECT_TRUE(is_cleaned_up);
}

TEST(OnAnotherThread, calls_go_there_and_back) {
    // clause: K24
    Peers peers(2);
    test::ThreadPlatform platform;
    Executor home;
    Loop loop(platform, home, {.thread_id = 1, .peers = &peers});
    LoopThread other({.thread_id = 2, .peers = &peers});
    const MachineRef there = other.app_ref();
    int total = 0;
    int cancels = 0;
    home.root().spawn([&]() -> Future<void> {
        const auto id = std::this_thread::get_id();
        for (int i = 0; i < 200; ++i) {
            const auto add = [](std::string text) -> Future<std::string> {
                co_await yield();
                co_return text + std::to_string(text.size());
            };
            std::string text(static_cast<std::size_t>(i), 'x');
            const std::string back = co_await on(there, add, std::move(text));
            total += back.empty() ? 0 : 1;
            EXPECT_EQ(std::this_thread::get_id(), id);
        }
        for (int i = 0; i < 100; ++i) {
            co_await with_scope([&](Scope& scope) -> Future<void> {
                auto task = scope.spawn([&]() -> Future<void> {
                    co_await on(there, []() -> Future<void> { co_await sleep(1h); });
                });
                for (int k = 0; k < i % 7; ++k) co_await yield();
                task.cancel();
                try {
                    co_await task;
                } catch (const Cancelled&) {
                    ++cancels;
                }
            });
        }
    });
    static_cast<void>(loop.run());
    EXPECT_EQ(total, 200);
    EXPECT_EQ(cancels, 100);
    loop.close();
}

TEST(OnDeathTest, an_empty_machine_ref_is_refused) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto nothing = []() -> Future<void> { co_return; };
    EXPECT_DEATH(static_cast<void>(on(MachineRef(), nothing)), "this MachineRef is empty");
}

}  // namespace
}  // namespace gyre
