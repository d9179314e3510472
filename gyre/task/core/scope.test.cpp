// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/scope.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "gyre/base/log.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task_world.test.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

Future<void> sleep_and_note(Duration delay, std::vector<int>& notes, int note) {
    co_await sleep(delay);
    notes.push_back(note);
}

TEST(Scope, ends_when_the_last_of_its_tasks_has) {
    // clause: A23
    TaskWorld world;
    std::vector<int> notes;
    world.run([&]() -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn(sleep_and_note(2ms, notes, 2));
            scope.spawn(sleep_and_note(1ms, notes, 1));
            notes.push_back(0);
            co_return;
        });
        notes.push_back(3);
    });
    EXPECT_EQ(notes, (std::vector{0, 1, 2, 3}));
}

TEST(Scope, the_first_failure_cancels_the_others_and_is_thrown) {
    // clause: A23
    TaskWorld world;
    std::vector<int> notes;
    EXPECT_THROW(world.run([&]() -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn(sleep_and_note(1h, notes, 1));
            scope.spawn([]() -> Future<void> {
                co_await sleep(1ms);
                throw std::runtime_error("broken");
            });
            co_await sleep(2h);
            notes.push_back(2);
        });
    }),
                 std::runtime_error);
    EXPECT_TRUE(notes.empty());
    EXPECT_LT(world.clock.now(), Instant() + 1h);
}

TEST(Scope, an_error_of_a_task_is_a_failure_too) {
    // clause: A23
    TaskWorld world;
    std::vector<int> notes;
    const auto no_link = []() -> Future<int> {
        co_await fail(Error(std::errc::no_link));
        co_return 0;
    };
    const auto no_space = []() -> Future<void> {
        co_await fail(Error(std::errc::no_space_on_device));
    };
    world.run([&]() -> Future<void> {
        const auto first = [&](Scope& scope) -> Future<void> {
            scope.spawn(no_link);
            co_await sleep_and_note(1h, notes, 1);
        };
        const auto second = [&](Scope& scope) -> Future<void> {
            scope.spawn(no_space);
            co_await sleep_and_note(1h, notes, 2);
        };
        EXPECT_EQ(co_await try_(with_scope(first)), std::unexpected(Error(std::errc::no_link)));
        EXPECT_EQ(co_await try_(with_scope(second)),
                  std::unexpected(Error(std::errc::no_space_on_device)));
    });
    EXPECT_TRUE(notes.empty());
}

// Sleeps until it is cancelled; records that after its clean-up, which takes a while.
Future<void> note_when_cancelled(std::vector<int>& notes, int note) {
    std::exception_ptr cancel;
    try {
        co_await sleep(1h);
    } catch (const Cancelled&) {
        cancel = std::current_exception();
    }
    co_await sleep(1ms);
    notes.push_back(note);
    if (cancel != nullptr) std::rethrow_exception(cancel);
}

TEST(Scope, whose_body_fails_cancels_and_joins_its_tasks) {
    // clause: A23
    TaskWorld world;
    std::vector<int> notes;
    world.run([&]() -> Future<void> {
        const auto throws = [&](Scope& scope) -> Future<void> {
            scope.spawn(note_when_cancelled(notes, 1));
            co_await sleep(1ms);
            throw std::runtime_error("broken");
        };
        const auto fails = [&](Scope& scope) -> Future<void> {
            scope.spawn(note_when_cancelled(notes, 3));
            co_await sleep(1ms);
            co_await fail(Error(std::errc::no_link));
        };
        try {
            co_await with_scope(throws);
        } catch (const std::runtime_error&) {
            notes.push_back(2);
        }
        EXPECT_EQ(co_await try_(with_scope(fails)), std::unexpected(Error(std::errc::no_link)));
        notes.push_back(4);
    });
    EXPECT_EQ(notes, (std::vector{1, 2, 3, 4})) << "it ended before its tasks had";
    EXPECT_LT(world.clock.now(), Instant() + 1h) << "they were not cancelled";
}

TEST(Scope, joins_what_is_cancelled_before_it_throws) {
    // clause: A23
    TaskWorld world;
    std::vector<int> notes;
    world.run([&]() -> Future<void> {
        const auto body = [&](Scope& scope) -> Future<void> {
            scope.spawn(note_when_cancelled(notes, 1));
            scope.spawn([]() -> Future<void> {
                co_await sleep(1ms);
                throw std::runtime_error("broken");
            });
            co_await sleep(1h);
        };
        try {
            co_await with_scope(body);
        } catch (const std::runtime_error&) {
            notes.push_back(2);
        }
    });
    EXPECT_EQ(notes, (std::vector{1, 2}));
}

TEST(Scope, joins_what_its_tasks_spawn_when_its_body_has_ended) {
    // clause: A23
    TaskWorld world;
    std::vector<int> notes;
    world.run([&]() -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn([&]() -> Future<void> {
                co_await sleep(1ms);
                scope.spawn(sleep_and_note(1ms, notes, 1));
            });
            co_return;
        });
        notes.push_back(2);
    });
    EXPECT_EQ(notes, (std::vector{1, 2}));
}

TEST(Scope, that_does_not_cancel_on_failure_lets_the_others_go_on) {
    TaskWorld world;
    std::vector<int> notes;
    const int given = world.run([&]() -> Future<int> {
        const auto body = [&](Scope& scope) -> Future<int> {
            scope.spawn(sleep_and_note(2ms, notes, 1));
            const auto failing = scope.spawn([]() -> Future<void> {
                co_await sleep(1ms);
                throw std::runtime_error("broken");
            });
            co_await sleep(3ms);
            EXPECT_TRUE(failing.is_completed());
            co_return 7;
        };
        co_return co_await with_scope(body, {.cancels_on_failure = false});
    });
    EXPECT_EQ(notes, (std::vector{1}));
    EXPECT_EQ(given, 7);
}

TEST(Scope, moves_a_function_and_its_arguments_into_the_task) {
    TaskWorld world;
    const auto add = [](std::unique_ptr<int> one, std::unique_ptr<int> other) -> Future<int> {
        co_await sleep(1ms);
        co_return *one + *other;
    };
    auto handle =
        world.executor.root().spawn(add, std::make_unique<int>(3), std::make_unique<int>(4));
    (void)world.loop.run();
    EXPECT_EQ(handle.outcome().take(), 7);
}

TEST(Scope, that_is_full_lets_the_others_begin_in_order_as_room_comes) {
    TaskWorld world;
    std::vector<int> notes;
    const auto run = [&](int number) -> Future<void> {
        notes.push_back(number);
        co_await sleep(number == 1 ? 3ms : 1ms);
        notes.push_back(-number);
    };
    world.run([&]() -> Future<void> {
        const auto body = [&](Scope& scope) -> Future<void> {
            for (int i = 1; i <= 4; ++i) scope.spawn(run, i);
            co_return;
        };
        co_await with_scope(body, {.concurrency_max = 2});
    });
    EXPECT_EQ(notes, (std::vector{1, 2, -2, 3, -3, 4, -1, -4}));
}

TEST(Scope, does_not_count_its_body_against_the_limit) {
    TaskWorld world;
    const int given = world.run([]() -> Future<int> {
        const auto body = [](Scope& scope) -> Future<int> {
            auto first = scope.spawn([]() -> Future<int> {
                co_await sleep(1ms);
                co_return 3;
            });
            const int one = co_await first;
            auto second = scope.spawn([]() -> Future<int> { co_return 4; });
            co_return one + co_await second;
        };
        co_return co_await with_scope(body, {.concurrency_max = 1});
    });
    EXPECT_EQ(given, 7);
}

TEST(Scope, limits_how_many_run_side_by_side) {
    TaskWorld world;
    int running = 0;
    int most = 0;
    world.run([&]() -> Future<void> {
        co_await with_scope(
            [&](Scope& scope) -> Future<void> {
                for (int i = 0; i < 10; ++i) {
                    scope.spawn([&]() -> Future<void> {
                        most = std::max(most, ++running);
                        co_await sleep(1ms);
                        --running;
                    });
                }
                co_return;
            },
            {.concurrency_max = 3});
    });
    EXPECT_EQ(most, 3);
}

TEST(ScopeDeathTest, refuses_the_future_of_a_lambda_whose_captures_would_be_gone) {
#ifdef __clang__
    GTEST_SKIP() << "clang does not tell a promise which lambda it belongs to";
#endif
    TaskWorld world;
    int number = 1;
    EXPECT_DEATH(world.executor.root().spawn([number]() -> Future<int> { co_return number; }()),
                 "pass the lambda itself");
    // Lambdas without captures are accepted, and so are functions.
    world.executor.root().spawn([](int value) -> Future<int> { co_return value; }(number));
    (void)world.loop.run();
}

TEST(Scope, cancels_a_task_through_its_handle) {
    // clause: A22
    TaskWorld world;
    std::string why;
    world.run([&]() -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            auto handle = scope.spawn([&]() -> Future<void> {
                try {
                    co_await sleep(1h);
                } catch (const Cancelled& e) {
                    why = e.reason().why;
                    throw;
                }
            });
            co_await sleep(1ms);
            EXPECT_EQ(handle.state(), TaskState::waiting);
            handle.cancel("enough");
        });
    });
    EXPECT_EQ(why, "enough");
}

// Its body has ended; a task of it sleeps.
Future<int> leave_a_sleeper(std::vector<int>& notes) {
    co_return co_await with_scope([&](Scope& scope) -> Future<int> {
        scope.spawn(sleep_and_note(1h, notes, 1));
        co_return 7;
    });
}

TEST(Scope, whose_owner_is_cancelled_cancels_its_tasks_and_then_the_owner) {
    // clause: A22, A23
    TaskWorld world;
    std::vector<int> notes;
    auto owner = world.spawn([&] { return leave_a_sleeper(notes); });
    world.loop.turn();
    owner.cancel();
    (void)world.loop.run();
    EXPECT_TRUE(owner.was_cancelled());
    EXPECT_TRUE(notes.empty());
    EXPECT_LT(world.clock.now(), Instant() + 1h);
}

TEST(Scope, A23_a_cancel_of_its_owner_is_not_hidden_by_a_task_that_fails_then) {
    TaskWorld world;
    const auto fail_when_cancelled = []() -> Future<void> {
        bool is_cancelled = false;
        try {
            co_await sleep(1h);
        } catch (const Cancelled&) {
            is_cancelled = true;
        }
        if (is_cancelled) throw std::runtime_error("the clean-up fails");
    };
    auto owner = world.spawn([&]() -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn(fail_when_cancelled);
            co_return;
        });
    });
    world.loop.turn();
    owner.cancel("enough");
    (void)world.loop.run();
    EXPECT_TRUE(owner.was_cancelled());
    EXPECT_THROW(owner.outcome().take(), Cancelled);
}

TEST(Scope, whose_owner_was_cancelled_before_it_joins_cancels_its_tasks_too) {
    // clause: A22, A23
    TaskWorld world;
    std::vector<int> notes;
    std::optional<TaskHandle<int>> owner;
    owner = world.spawn([&]() -> Future<int> {
        owner->cancel();  // It runs: the request waits for its next await.
        co_return co_await leave_a_sleeper(notes);
    });
    (void)world.loop.run();
    EXPECT_TRUE(owner->was_cancelled());
    EXPECT_TRUE(notes.empty());
    EXPECT_LT(world.clock.now(), Instant() + 1h);
}

TEST(Scope, that_is_cancelled_cancels_what_is_spawned_later_or_waits_for_room) {
    // clause: A23
    TaskWorld world;
    std::vector<int> notes;
    std::vector<TaskHandle<void>> tasks;
    world.run([&]() -> Future<void> {
        const auto body = [&](Scope& scope) -> Future<void> {
            for (int i = 1; i < 4; ++i) tasks.push_back(scope.spawn(sleep_and_note(1h, notes, i)));
            scope.cancel("enough");
            EXPECT_TRUE(scope.is_cancelled());
            tasks.push_back(scope.spawn(sleep_and_note(1h, notes, 4)));
            co_return;
        };
        co_await with_scope(body, {.concurrency_max = 2});
    });
    EXPECT_TRUE(notes.empty());
    for (const auto& task : tasks) EXPECT_TRUE(task.was_cancelled());
    EXPECT_LT(world.clock.now(), Instant() + 1h);
}

TEST(Scope, cleans_up_also_where_a_task_has_failed) {
    // clause: A25
    TaskWorld world;
    std::vector<int> notes;
    EXPECT_THROW(world.run([&]() -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.on_exit([&]() -> Future<void> { co_await sleep_and_note(1ms, notes, 1); });
            co_await sleep(1ms);
            throw std::runtime_error("broken");
        });
    }),
                 std::runtime_error);
    EXPECT_EQ(notes, (std::vector{1}));
}

TEST(Scope, cleans_up_once_its_tasks_have_ended_where_all_went_well) {
    // clause: A25
    TaskWorld world;
    std::vector<int> notes;
    world.run([&]() -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.on_exit([&]() -> Future<void> { co_await sleep_and_note(1ms, notes, 2); });
            scope.spawn(sleep_and_note(2ms, notes, 1));
            co_return;
        });
        notes.push_back(3);
    });
    EXPECT_EQ(notes, (std::vector{1, 2, 3}));
}

TEST(Scope, cleans_up_undisturbed_by_a_cancel_that_comes_meanwhile) {
    // clause: A25
    TaskWorld world;
    std::vector<int> notes;
    auto handle = world.spawn([&]() -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.on_exit([&]() -> Future<void> { co_await sleep_and_note(2ms, notes, 1); });
            co_return;
        });
        notes.push_back(99);
    });
    world.spawn([&]() -> Future<void> {
        co_await sleep(1ms);
        handle.cancel();
    });
    (void)world.loop.run();
    EXPECT_EQ(notes, (std::vector{1}));
    EXPECT_TRUE(handle.was_cancelled());
}

// Any type can be thrown: an int is not a std::exception.
TEST(Scope, a_clean_up_that_fails_is_thrown_and_keeps_no_other_from_running) {
    // clause: A25
    TaskWorld world;
    std::vector<int> notes;
    const LogLevel before = log_level();
    set_log_level(LogLevel::off);
    world.run([&]() -> Future<void> {
        const auto body = [&](Scope& scope) -> Future<void> {
            scope.on_exit([&]() -> Future<void> { co_await sleep_and_note(1ms, notes, 1); });
            scope.on_exit([]() -> Future<void> {
                co_await sleep(1ms);
                throw std::runtime_error("second");
            });
            scope.on_exit([]() -> Future<void> {
                co_await sleep(1ms);
                throw 5;
            });
            co_return;
        };
        try {
            co_await with_scope(body);
        } catch (const int number) {
            notes.push_back(number);
        }
    });
    set_log_level(before);
    EXPECT_EQ(notes, (std::vector{1, 5}));
}

TEST(Scope, runs_clean_up_that_awaits_last_registered_first) {
    // clause: A25
    TaskWorld world;
    std::vector<int> notes;
    auto handle = world.spawn([&]() -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.on_exit([&]() -> Future<void> { co_await sleep_and_note(1ms, notes, 2); });
            scope.on_exit([&]() -> Future<void> { co_await sleep_and_note(1ms, notes, 1); });
            co_await sleep(1h);
        });
    });
    world.spawn([&]() -> Future<void> {
        co_await sleep(1ms);
        handle.cancel();
    });
    (void)world.loop.run();
    EXPECT_EQ(notes, (std::vector{1, 2}));
    EXPECT_THROW(handle.outcome().take(), Cancelled);
}

}  // namespace
}  // namespace gyre
