// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/run.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <vector>

#include "gyre/sim/platform.hpp"
#include "gyre/task/combine/shield.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/sleep.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;
using testing::ExitedWithCode;

// A simulated computer, and the standard error of a program on it.
struct Run : testing::Test {
    sim::VirtualClock clock;
    sim::SimPlatform platform{clock};
    std::string said;

    template <class F>
    auto run_and_listen(F main, RunOptions options = {}) {
        testing::internal::CaptureStderr();
        auto result = run(platform, std::move(main), std::move(options));
        said = testing::internal::GetCapturedStderr();
        return result;
    }
    [[nodiscard]] bool has_said(std::string_view text) const {
        return said.find(text) != std::string::npos;
    }
};
using RunDeathTest = Run;

Future<void> sleep_and_note(Duration delay, std::vector<int>& notes, int note) {
    co_await sleep(delay);
    notes.push_back(note);
}
Future<int> break_after(Duration delay) {
    co_await sleep(delay);
    throw std::runtime_error("broken");
}
Future<int> pass_on(Duration delay) {
    co_return co_await break_after(delay);
}

TEST_F(Run, gives_what_main_returns) {
    // clause: A12
    const auto text = run_and_listen([]() -> Future<std::string> {
        co_await sleep(1s);
        co_return "done";
    });
    EXPECT_EQ(text.end(), RunEnd::value);
    EXPECT_EQ(text.value(), "done");
    EXPECT_EQ(text.exit_code(), 0);
    EXPECT_EQ(run_and_listen([]() -> Future<void> { co_return; }).exit_code(), 0);
    EXPECT_EQ(run_and_listen([]() -> Future<int> { co_return 7; }).exit_code(), 7);
    EXPECT_EQ(said, "");
}

TEST_F(Run, ends_when_all_that_main_started_has_ended) {
    // clause: A12
    std::vector<int> notes;
    const auto result = run_and_listen([&](Scope& root) -> Future<int> {
        root.spawn(sleep_and_note(1h, notes, 2));
        notes.push_back(1);
        co_return 0;
    });
    EXPECT_EQ(result.exit_code(), 0);
    EXPECT_EQ(notes, (std::vector{1, 2}));
}

TEST_F(Run, a_main_that_fails_cancels_the_others_and_tells_the_chain_of_awaits) {
    std::vector<int> notes;
    const auto result = run_and_listen([&](Scope& root) -> Future<int> {
        root.spawn(sleep_and_note(1h, notes, 1));
        co_return co_await pass_on(1ms);
    });
    EXPECT_EQ(result.end(), RunEnd::failed);
    EXPECT_EQ(result.exit_code(), 1);
    EXPECT_THROW(std::rethrow_exception(result.failure()), std::runtime_error);
    EXPECT_TRUE(notes.empty());
    EXPECT_EQ(said.find("gyre: task 'main' failed: broken\n"), 0u) << said;
    const auto inner = said.find("break_after");
    const auto outer = said.find("pass_on");
    EXPECT_NE(outer, std::string::npos) << said;
    EXPECT_LT(inner, outer) << said;
    EXPECT_TRUE(has_said("run.test.cpp:")) << said;
}

TEST_F(Run, a_failure_in_a_scope_is_told_from_where_it_began) {
    const auto result = run_and_listen([]() -> Future<void> {
        co_await with_scope([](Scope& scope) -> Future<void> {
            scope.spawn([]() -> Future<void> { co_await pass_on(1ms); });
            co_await sleep(1h);
        });
    });
    EXPECT_EQ(result.exit_code(), 1);
    EXPECT_TRUE(has_said("break_after")) << said;
    EXPECT_TRUE(has_said("with_scope")) << said;
}

TEST_F(Run, a_task_of_the_root_scope_that_fails_ends_the_program) {
    bool is_cancelled = false;
    const auto result = run_and_listen([&](Scope& root) -> Future<int> {
        root.spawn(pass_on(1ms)).set_name("helper");
        try {
            co_await sleep(1h);
        } catch (const Cancelled&) {
            is_cancelled = true;
            throw;
        }
        co_return 0;
    });
    EXPECT_TRUE(is_cancelled);
    EXPECT_EQ(result.exit_code(), 1);
    EXPECT_EQ(said.find("gyre: task 'helper' failed: broken\n"), 0u) << said;
    EXPECT_FALSE(has_said("'main'")) << said;
}

TEST_F(Run, an_operating_error_is_a_failure) {
    const auto result =
        run_and_listen([]() -> Future<void> { co_await fail(Error(std::errc::no_link)); });
    EXPECT_EQ(result.exit_code(), 1);
    EXPECT_EQ(said.find("gyre: task 'main' failed: "), 0u) << said;
}

TEST_F(Run, says_who_waits_on_what_in_a_deadlock_and_lets_clean_ups_run) {
    Promise<int> never;
    std::vector<int> notes;
    const auto result = run_and_listen([&](Scope& root) -> Future<int> {
        root.on_exit([&]() -> Future<void> { co_await sleep_and_note(1ms, notes, 2); });
        try {
            co_return co_await never.future();
        } catch (const Cancelled& e) {
            EXPECT_EQ(e.reason().why, "deadlock");
            notes.push_back(1);
            throw;
        }
    });
    EXPECT_EQ(result.end(), RunEnd::deadlock);
    EXPECT_EQ(result.exit_code(), 3);
    EXPECT_EQ(notes, (std::vector{1, 2}));
    EXPECT_EQ(said.find("gyre: deadlock: "), 0u) << said;
    EXPECT_TRUE(has_said("task 1 'main': waiting on a promise for ")) << said;
    EXPECT_FALSE(has_said("did not end")) << said;
}

TEST_F(Run, tasks_left_behind_by_main_can_be_in_a_deadlock_too) {
    Promise<int> never;
    const auto result = run_and_listen([&](Scope& root) -> Future<int> {
        root.spawn([&]() -> Future<void> { co_await never.future(); }).set_name("left");
        co_return 0;
    });
    EXPECT_EQ(result.exit_code(), 3);
    EXPECT_TRUE(has_said("'left': waiting on a promise")) << said;
}

TEST_F(Run, a_deadlock_that_does_not_end_when_cancelled_is_said_and_left) {
    Promise<int> never;
    auto held = std::make_shared<int>(1);
    const auto wait_for = [](SharedFuture<int> future, std::shared_ptr<int>) -> Future<int> {
        co_return co_await future;
    };
    const auto result = run_and_listen(
        [&]() -> Future<int> { co_return co_await shield(wait_for(never.future(), held)); });
    EXPECT_EQ(result.exit_code(), 3);
    EXPECT_TRUE(has_said("not delivered: it is shielded")) << said;
    EXPECT_EQ(held.use_count(), 1);
}

TEST_F(Run, runs_the_clean_ups_of_the_root_scope_last) {
    std::vector<int> notes;
    const auto result = run_and_listen([&](Scope& root) -> Future<int> {
        root.on_exit([&]() -> Future<void> { co_await sleep_and_note(1ms, notes, 2); });
        root.spawn(sleep_and_note(1s, notes, 1));
        co_return 0;
    });
    EXPECT_EQ(result.exit_code(), 0);
    EXPECT_EQ(notes, (std::vector{1, 2}));
}

TEST_F(Run, a_clean_up_that_fails_is_a_failure) {
    const auto result = run_and_listen([&](Scope& root) -> Future<int> {
        root.on_exit([]() -> Future<void> { co_await break_after(1ms); });
        co_return 0;
    });
    EXPECT_EQ(result.exit_code(), 1);
}

TEST_F(Run, ctrl_c_cancels_the_root_scope_and_names_the_signal) {
    CancelReason reason;
    std::vector<int> notes;
    const auto result = run_and_listen([&](Scope& root) -> Future<int> {
        // There is time to clean up.
        root.on_exit([&]() -> Future<void> { co_await sleep_and_note(9s, notes, 1); });
        platform.raise(SIGINT);
        try {
            co_await sleep(1h);
        } catch (const Cancelled& e) {
            reason = e.reason();
            throw;
        }
        co_return 0;
    });
    EXPECT_EQ(reason.why, "SIGINT");
    EXPECT_EQ(reason.who, "a signal");
    EXPECT_EQ(notes, (std::vector{1}));
    EXPECT_EQ(result.exit_code(), 4);
}

TEST_F(Run, sigterm_ends_the_program_as_cancelled) {
    const auto result = run_and_listen([&]() -> Future<int> {
        platform.raise(SIGTERM);
        co_await sleep(1h);
        co_return 0;
    });
    EXPECT_EQ(result.end(), RunEnd::cancelled);
    EXPECT_EQ(result.exit_code(), 4);
    EXPECT_EQ(said.find("gyre: task 'main' was cancelled: SIGTERM, by a signal"), 0u) << said;
}

TEST_F(Run, a_main_that_ends_well_after_a_signal_keeps_its_value) {
    const auto result = run_and_listen([&]() -> Future<int> {
        platform.raise(SIGTERM);
        try {
            co_await sleep(1h);
        } catch (const Cancelled&) {
        }
        co_return 5;
    });
    EXPECT_EQ(result.exit_code(), 5);
}

TEST_F(Run, signals_can_be_left_alone) {
    const auto result = run_and_listen(
        [&]() -> Future<int> {
            platform.raise(SIGTERM);
            co_await sleep(1h);
            co_return 5;
        },
        {.handles_signals = false});
    EXPECT_EQ(result.exit_code(), 5);
}

TEST_F(Run, sigquit_says_what_the_program_waits_for_and_it_goes_on) {
    const auto result = run_and_listen([&](Scope& root) -> Future<int> {
        root.spawn([]() -> Future<void> { co_await sleep(1h); }).set_name("sleeper");
        co_await sleep(1ms);
        platform.raise(SIGQUIT);
        co_await sleep(1s);
        platform.raise(SIGQUIT);
        co_await sleep(1ms);
        co_return 5;
    });
    EXPECT_EQ(result.exit_code(), 5);
    const auto first = said.find("gyre: what the program waits for:\nscope root: 2 tasks\n");
    ASSERT_EQ(first, 0u) << said;
    EXPECT_NE(said.find("what the program waits for", first + 10), std::string::npos) << said;
    EXPECT_TRUE(
        has_said("\nthe loop is alive because of\n"
                 "  task 1 'main': timer in 1.0 s\n"
                 "  task 2 'sleeper': timer in 3599.9 s\n"))
        << said;
}

TEST_F(Run, the_first_ctrl_c_says_it_too_if_it_is_asked_to) {
    const auto interrupted = [&]() -> Future<int> {
        platform.raise(SIGINT);
        co_await sleep(1h);
        co_return 0;
    };
    EXPECT_EQ(run_and_listen(interrupted, {.reports_on_interrupt = true}).exit_code(), 4);
    EXPECT_EQ(said.find("gyre: what the program waits for:\n"), 0u) << said;
    EXPECT_TRUE(has_said("task 'main' was cancelled: SIGINT")) << said;
    EXPECT_EQ(run_and_listen(interrupted).exit_code(), 4);
    EXPECT_FALSE(has_said("waits for")) << said;
}

TEST_F(Run, a_failure_keeps_the_name_of_the_task_it_came_from) {
    const auto nested = []() -> Future<void> {
        co_await with_scope([](Scope& scope) -> Future<void> {
            scope.spawn(break_after(1ms)).set_name("worker");
            co_await sleep(1h);
        });
    };
    EXPECT_EQ(run_and_listen(nested).exit_code(), 1);
    EXPECT_EQ(said.find("gyre: task 'main' failed: broken, from task 'worker'\n"), 0u) << said;
    const auto awaited = []() -> Future<void> {
        co_await with_scope(
            [](Scope& scope) -> Future<void> {
                auto worker = scope.spawn(pass_on(1ms));
                worker.set_name("worker");
                static_cast<void>(co_await worker);
            },
            {.cancels_on_failure = false});
    };
    EXPECT_EQ(run_and_listen(awaited).exit_code(), 1);
    EXPECT_EQ(said.find("gyre: task 'main' failed: broken, from task 'worker'\n"), 0u) << said;
    EXPECT_LT(said.find("break_after"), said.find("with_scope")) << said;
}

TEST_F(Run, a_loop_that_is_stopped_cancels_the_program) {
    const auto result = run_and_listen([&](Scope& root) -> Future<int> {
        root.executor().loop().stop();
        co_await sleep(1h);
        co_return 5;
    });
    EXPECT_EQ(result.exit_code(), 4);
    EXPECT_TRUE(has_said("the loop was stopped")) << said;
}

TEST_F(RunDeathTest, a_second_signal_ends_the_process_at_once) {
    EXPECT_EXIT(run(platform,
                    [&]() -> Future<void> {
                        platform.raise(SIGINT);
                        try {
                            co_await sleep(1h);
                        } catch (const Cancelled&) {
                        }
                        platform.raise(SIGTERM);
                        co_await sleep(1s);
                        std::exit(99);
                    }),
                ExitedWithCode(128 + SIGTERM), "");
}

TEST_F(RunDeathTest, what_takes_too_long_after_a_signal_is_told_and_left) {
    EXPECT_EXIT(run(platform,
                    [&]() -> Future<void> {
                        platform.raise(SIGINT);
                        const auto body = []() -> Future<void> { co_await sleep(1h); };
                        co_await shield(body());
                        std::exit(99);
                    },
                    {.stop_within = 1min}),
                ExitedWithCode(4), "did not end in time.*\n.*\n.*'main': waiting on sleep");
}

}  // namespace
}  // namespace gyre
