// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/future.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task_world.test.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

Future<int> give(int value) {
    co_return value;
}
Future<int> give_later(int value) {
    co_await sleep(1ms);
    co_return value;
}
Future<int> count_down(int depth) {
    if (depth == 0) co_return 0;
    co_return 1 + co_await count_down(depth - 1);
}
Future<int> count_down_and_sleep(int depth) {
    if (depth == 0) co_return co_await give_later(0);
    co_return 1 + co_await count_down_and_sleep(depth - 1);
}
Future<int> throw_out() {
    throw std::runtime_error("out");
    co_return 0;
}
Future<int> fail_with(std::errc code) {
    co_await fail(Error(code));
    co_return 0;
}

TEST(Future, does_nothing_before_it_is_awaited) {
    // clause: A15
    TaskWorld world;
    bool has_run = false;
    const auto body = [&]() -> Future<void> {
        has_run = true;
        co_return;
    };
    world.run([&]() -> Future<void> {
        auto future = body();
        co_await sleep(1ms);
        EXPECT_FALSE(has_run);
        co_await std::move(future);
        EXPECT_TRUE(has_run);
    });
}

TEST(Future, dropped_before_it_began_never_runs) {
    TaskWorld world;
    bool has_run = false;
    const auto body = [&]() -> Future<void> {
        has_run = true;
        co_return;
    };
    world.run([&]() -> Future<void> {
        {
            auto dropped = body();
        }
        co_return;
    });
    EXPECT_FALSE(has_run);
}

TEST(Future, gives_its_value_at_once_or_later) {
    TaskWorld world;
    EXPECT_EQ(
        world.run([]() -> Future<int> { co_return co_await give(1) + co_await give_later(2); }), 3);
}

TEST(Future, what_is_ready_needs_no_frame_and_turns_into_a_future) {
    // clause: A21
    TaskWorld world;
    world.run([]() -> Future<void> {
        const auto frames = FramePool::live_count();
        EXPECT_EQ(co_await ready(3), 3);
        EXPECT_EQ(FramePool::live_count(), frames);
        Future<int> future = ready(4);
        EXPECT_EQ(co_await std::move(future), 4);
    });
}

TEST(Future, gives_a_reference_and_what_only_moves) {
    TaskWorld world;
    int place = 0;
    const auto refer = [&]() -> Future<int&> { co_return place; };
    const auto make = []() -> Future<std::unique_ptr<int>> { co_return std::make_unique<int>(7); };
    world.run([&]() -> Future<void> {
        (co_await refer()) = 5;
        EXPECT_EQ(*co_await make(), 7);
    });
    EXPECT_EQ(place, 5);
}

TEST(Future, a_million_deep_leaves_the_stack_alone) {
    TaskWorld world;
    EXPECT_EQ(world.run(count_down, 1'000'000), 1'000'000);
    EXPECT_EQ(world.run(count_down_and_sleep, 1'000'000), 1'000'000);
}

TEST(Future, a_million_awaits_in_a_loop_leave_the_stack_alone) {
    TaskWorld world;
    EXPECT_EQ(world.run([]() -> Future<int> {
        int total = 0;
        for (int i = 0; i < 1'000'000; ++i) total += co_await give(1);
        co_return total;
    }),
              1'000'000);
}

TEST(Future, throws_where_it_is_awaited) {
    // clause: A18
    TaskWorld world;
    world.run([]() -> Future<void> {
        bool is_caught = false;
        try {
            co_await throw_out();
        } catch (const std::runtime_error& e) {
            is_caught = true;
            EXPECT_STREQ(e.what(), "out");
        }
        EXPECT_TRUE(is_caught);
    });
}

template <class E>
Future<int> throw_at_once(E error) {
    throw error;
    co_return 0;
}
template <class E>
Future<int> throw_later(E error) {
    co_await sleep(1ms);
    throw error;
}
Future<int> pass_on(Future<int> future) {
    co_return co_await std::move(future);
}
struct TooFar : std::out_of_range {
    TooFar() : std::out_of_range("too far") {}
};
// The handler that catches the failure of the future.
Future<std::string> caught_by(Future<int> future) {
    try {
        static_cast<void>(co_await std::move(future));
    } catch (const std::out_of_range& e) {
        co_return std::string("out_of_range: ") + e.what();
    } catch (const std::logic_error& e) {
        co_return std::string("logic_error: ") + e.what();
    } catch (const std::system_error& e) {
        co_return e.code() == std::errc::no_link ? "system_error" : "another system_error";
    } catch (const std::exception& e) {
        co_return std::string("exception: ") + e.what();
    } catch (const int number) {
        co_return "int: " + std::to_string(number);
    }
    co_return "nothing";
}

TEST(Future, is_caught_by_the_type_of_what_it_failed_with) {
    // clause: A18
    TaskWorld world;
    world.run([]() -> Future<void> {
        const std::out_of_range far("far");
        const std::length_error size("long");
        const std::runtime_error broken("broken");
        EXPECT_EQ(co_await caught_by(throw_at_once(far)), "out_of_range: far");
        EXPECT_EQ(co_await caught_by(throw_later(far)), "out_of_range: far");
        EXPECT_EQ(co_await caught_by(throw_later(TooFar())), "out_of_range: too far");
        EXPECT_EQ(co_await caught_by(throw_at_once(size)), "logic_error: long");
        EXPECT_EQ(co_await caught_by(throw_later(size)), "logic_error: long");
        EXPECT_EQ(co_await caught_by(throw_later(broken)), "exception: broken");
        EXPECT_EQ(co_await caught_by(throw_at_once(5)), "int: 5");
        EXPECT_EQ(co_await caught_by(throw_later(5)), "int: 5");
        EXPECT_EQ(co_await caught_by(fail_with(std::errc::no_link)), "system_error");
        EXPECT_EQ(co_await caught_by(pass_on(pass_on(throw_later(far)))), "out_of_range: far");
        EXPECT_EQ(co_await caught_by(pass_on(throw_at_once(5))), "int: 5");
        EXPECT_EQ(co_await caught_by(give_later(1)), "nothing");
    });
}

TEST(Future, passes_by_a_handler_of_another_type_on_its_way_to_one_of_its_own) {
    // clause: A18
    TaskWorld world;
    std::vector<std::string> notes;
    const auto inner = [&](Future<int> future) -> Future<int> {
        try {
            co_return co_await std::move(future);
        } catch (const std::length_error&) {
            notes.emplace_back("inner");
        }
        co_return 0;
    };
    const auto outer = [&](Future<int> future) -> Future<void> {
        try {
            static_cast<void>(co_await inner(std::move(future)));
            notes.emplace_back("went on");
        } catch (const std::out_of_range&) {
            notes.emplace_back("outer");
        }
    };
    world.run([&]() -> Future<void> {
        co_await outer(throw_later(std::out_of_range("far")));
        co_await outer(throw_later(std::length_error("long")));
    });
    EXPECT_EQ(notes, (std::vector<std::string>{"outer", "inner", "went on"}));
}

TEST(Future, fails_with_an_error_without_a_throw) {
    // clause: A19
    TaskWorld world;
    world.run([]() -> Future<void> {
        const Result<int> failed = co_await try_(fail_with(std::errc::no_link));
        EXPECT_EQ(failed, std::unexpected(Error(std::errc::no_link)));
        const Result<int> good = co_await try_(give_later(4));
        EXPECT_EQ(good, 4);
    });
}

// Like `?` in Rust: the value, or the caller fails with the Error.
Future<int> twice(Future<int> future, bool& has_gone_on) {
    const Result<int> result = co_await try_(std::move(future));
    if (!result) co_await fail(result.error());
    has_gone_on = true;
    co_return 2 * *result;
}

TEST(Future, passes_an_error_on_from_one_to_the_next_and_skips_what_follows) {
    // clause: A19
    TaskWorld world;
    const auto no_link_later = []() -> Future<int> {
        co_await sleep(1ms);
        co_await fail(Error(std::errc::no_link));
        co_return 0;
    };
    world.run([&]() -> Future<void> {
        bool is_past_inner = false;
        bool is_past_outer = false;
        auto lost = twice(twice(no_link_later(), is_past_inner), is_past_outer);
        EXPECT_EQ(co_await try_(std::move(lost)), std::unexpected(Error(std::errc::no_link)));
        EXPECT_FALSE(is_past_inner);
        EXPECT_FALSE(is_past_outer);
        auto good = twice(twice(give_later(3), is_past_inner), is_past_outer);
        EXPECT_EQ(co_await try_(std::move(good)), 12);
        EXPECT_TRUE(is_past_outer);
    });
}

TEST(Future, tried_gives_an_operating_error_as_one_and_throws_the_rest) {
    // clause: A19
    TaskWorld world;
    const auto close_it = [](bool is_broken) -> Future<void> {
        co_await sleep(1ms);
        if (is_broken) co_await fail(Error(std::errc::broken_pipe));
    };
    world.run([&]() -> Future<void> {
        EXPECT_EQ(co_await try_(close_it(true)), std::unexpected(Error(std::errc::broken_pipe)));
        EXPECT_EQ(co_await try_(close_it(false)), Result<void>());
        const std::system_error thrown(std::make_error_code(std::errc::no_link));
        EXPECT_EQ(co_await try_(throw_later(thrown)), std::unexpected(Error(std::errc::no_link)));
        bool is_thrown = false;
        try {
            static_cast<void>(co_await try_(throw_later(std::out_of_range("far"))));
        } catch (const std::out_of_range&) {
            is_thrown = true;
        }
        EXPECT_TRUE(is_thrown) << "it is no operating error";
    });
}

TEST(Future, an_error_is_thrown_where_nobody_tries) {
    TaskWorld world;
    EXPECT_THROW(world.run(fail_with, std::errc::no_link), std::system_error);
}

TEST(Future, a_failing_body_destroys_what_it_holds) {
    TaskWorld world;
    auto held = std::make_shared<int>(1);
    const auto body = [](std::shared_ptr<int> mine) -> Future<void> {
        const auto again = mine;
        co_await fail(Error(std::errc::no_link));
    };
    world.run([&]() -> Future<void> { (void)co_await try_(body(held)); });
    EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace gyre
