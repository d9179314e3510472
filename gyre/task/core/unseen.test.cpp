// SPDX-License-Identifier: Apache-2.0
// Failures that are neither thrown nor read through a handle: each is logged, and no others are.
#include <gtest/gtest.h>

#include "gyre/base/log.hpp"
#include "gyre/task/combine/all.hpp"
#include "gyre/task/combine/combinator_world.test.hpp"
#include "gyre/task/combine/race.hpp"
#include "gyre/task/combine/timeout.hpp"

namespace gyre {
namespace {

class UnseenFailures : public testing::Test {
protected:
    UnseenFailures() {
        lines.clear();
        set_log_level(LogLevel::warn);  // whatever the environment says
        set_log_sink([](LogLevel level, std::string_view line) {
            EXPECT_EQ(level, LogLevel::error);
            lines.emplace_back(line);
        });
    }
    ~UnseenFailures() override {
        set_log_sink(nullptr);
        set_log_level(level_before);
    }

    // Fails in its clean-up if it is cancelled.
    static Future<int> fail_when_cancelled(const char* text) {
        try {
            co_await sleep(1h);
        } catch (const Cancelled&) {
            throw std::runtime_error(text);
        }
        co_return 0;
    }

    static inline std::vector<std::string> lines;
    const LogLevel level_before = log_level();
    CombinatorWorld world;
};

TEST_F(UnseenFailures, of_a_second_task_of_a_scope_are_logged) {
    world.run([]() -> Future<void> {
        const auto body = [](Scope& scope) -> Future<void> {
            scope.spawn(fail_after, 1ms, "first");
            scope.spawn(fail_when_cancelled, "second").set_name("cleaner");
            scope.spawn(give_after, 1h, 1);
            co_return;
        };
        EXPECT_EQ(co_await failure_of(with_scope(body, {.name = "work"})), "first");
    });
    EXPECT_EQ(lines, (std::vector<std::string>{
                         "task 'cleaner' of scope work failed, which nothing else tells: second"}));
}

TEST_F(UnseenFailures, of_a_scope_that_goes_on_are_logged_unless_a_handle_is_there) {
    world.run([]() -> Future<void> {
        const auto body = [](Scope& scope) -> Future<void> {
            scope.spawn(fail_after, 1ms, "dropped").set_name("lonely");
            auto held = scope.spawn(fail_after, 2ms, "held");
            EXPECT_EQ(co_await failure_of(give_after(3ms, 1)), "");
            EXPECT_FALSE(held.outcome().has_value());
        };
        co_await with_scope(body, {.name = "work", .cancels_on_failure = false});
    });
    EXPECT_EQ(lines, (std::vector<std::string>{
                         "task 'lonely' of scope work failed, which nothing else tells: dropped"}));
}

TEST_F(UnseenFailures, that_a_body_passes_on_are_told_once) {
    world.run([]() -> Future<void> {
        const auto body = [](Scope& scope) -> Future<void> {
            auto task = scope.spawn(fail_after, 1ms, "broken");
            (void)co_await task;
        };
        EXPECT_EQ(co_await failure_of(with_scope(body)), "broken");
    });
    EXPECT_TRUE(lines.empty());
}

TEST_F(UnseenFailures, of_losers_are_logged) {
    world.run([]() -> Future<void> {
        EXPECT_EQ(co_await failure_of(all(fail_after(1ms, "first"), fail_when_cancelled("all"))),
                  "first");
        EXPECT_EQ(co_await race(give_after(1ms, 7), fail_when_cancelled("race")), 7);
        EXPECT_EQ(co_await any(fail_after(1us, "expected"), give_after(1ms, 7),
                               fail_when_cancelled("any")),
                  7);
    });
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_TRUE(lines[0].ends_with("of scope all failed, which nothing else tells: all"));
    EXPECT_TRUE(lines[1].ends_with("of scope race failed, which nothing else tells: race"));
    EXPECT_TRUE(lines[2].ends_with("of scope any failed, which nothing else tells: any"));
}

TEST_F(UnseenFailures, are_not_those_that_a_timeout_throws) {
    world.run([]() -> Future<void> {
        EXPECT_EQ(co_await failure_of(timeout(fail_when_cancelled("thrown"), 1ms)), "thrown");
        EXPECT_EQ(co_await race(give_after(1ms, 7), give_after(1h, 8)), 7);
    });
    EXPECT_TRUE(lines.empty());
}

TEST_F(UnseenFailures, are_not_those_of_tasks_that_were_cancelled_again) {
    auto waiter = world.spawn([&]() -> Future<int> {
        return race(world.note_end(give_after(1h, 1), 1), world.note_end(give_after(1h, 2), 2));
    });
    world.spawn([&]() -> Future<void> {
        co_await sleep(1ms);
        waiter.cancel();  // The winner of the race is cancelled, and so cancels the other again.
    });
    (void)world.loop.run();
    EXPECT_TRUE(waiter.was_cancelled());
    EXPECT_TRUE(lines.empty()) << lines.front();
}

}  // namespace
}  // namespace gyre
