// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/detail/task_report.hpp"

#include <gtest/gtest.h>

#include <array>
#include <regex>

#include "gyre/task/combine/shield.hpp"
#include "gyre/task/core/internal/function_name.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task_world.test.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

Future<void> inner(SharedFuture<int> future) {
    co_await future;
}
Future<void> outer(SharedFuture<int> future) {
    co_await inner(std::move(future));
}
Future<void> nap(Duration delay) {
    co_await sleep(delay);
}

// Without folders, line numbers and functions, which depend on the compiler and on this file.
std::string bare(const std::string& dump) {
    const std::string places = std::regex_replace(
        dump, std::regex("at [^\n]*?([a-z_]+(\\.test)?\\.[ch]pp):[0-9]+ [^\n]*"), "at $1");
    return std::regex_replace(places, std::regex("\\([^\n]*?([a-z_]+(\\.test)?\\.cpp):[0-9]+\\)"),
                              "($1)");
}

TEST(TaskStatus, counts_how_long_it_waited_where_its_milliseconds_begin_again) {
    constexpr std::uint64_t begins_again_ms = std::uint64_t{1} << 30U;
    const Instant before((begins_again_ms - 5) * 1'000'000);
    const TaskStatus waiting = TaskStatus::waiting_since(before);
    EXPECT_EQ(waiting.state(), TaskState::waiting);
    EXPECT_EQ(waiting.waited_ms(before), 0u);
    EXPECT_EQ(waiting.waited_ms(before + 12ms), 12u);
    EXPECT_EQ(TaskStatus::waiting_since(Instant()).waited_ms(before), begins_again_ms - 5);
    EXPECT_TRUE(TaskStatus(TaskState::completed).is_completed());
    EXPECT_FALSE(TaskStatus::waiting_since(before).is_completed());
}

TEST(TaskReport, shows_the_tree_of_tasks_and_where_each_waits) {
    TaskWorld world;
    Promise<int> promise;
    std::string dump;
    auto main = world.spawn([&]() -> Future<void> {
        co_await with_scope(
            [&](Scope& scope) -> Future<void> {
                auto waits = scope.spawn(outer(promise.future()));
                scope.spawn(nap(1h)).set_name("napper");
                scope.spawn(nap(1h));
                co_await waits;
            },
            {.name = "workers", .concurrency_max = 2});
    });
    main.set_name("main");
    world.spawn([&]() -> Future<void> {
        co_await sleep(1500ms);
        world.spawn(nap, 0ns);
        dump = world.executor.dump_tasks();
        promise.resolve(1);
    });
    (void)world.loop.run();
    EXPECT_EQ(bare(dump),
              "scope root: 3 tasks\n"
              "  task 1 'main': waiting on the tasks of a scope for 1.5 s\n"
              "    at scope.cpp\n"
              "    at scope.hpp\n"
              "    at task_report.test.cpp\n"
              "    scope workers: 4 tasks\n"
              "      task 3: waiting on the end of a task for 1.5 s\n"
              "        at task_report.test.cpp\n"
              "      task 4: waiting on a promise for 1.5 s\n"
              "        at task_report.test.cpp\n"
              "        at task_report.test.cpp\n"
              "        awaited by task 3\n"
              "      task 5 'napper': waiting on sleep (op 1099511627778, timer) for 1.5 s\n"
              "        at task_report.test.cpp\n"
              "      task 6: waiting for room in its scope\n"
              "        at task_report.test.cpp\n"
              "  task 2: running\n"
              "    at task_report.test.cpp\n"
              "  task 7: ready, not begun\n"
              "    at task_report.test.cpp\n");
    EXPECT_EQ(world.executor.dump_tasks(), "scope root: 0 tasks\n");
}

TEST(TaskReport, shows_who_is_cancelled_why_and_whether_it_knows) {
    TaskWorld world;
    std::string dump;
    auto shielded = world.spawn([]() -> Future<void> { co_await shield(nap(1h)); });
    auto cleaning = world.spawn([]() -> Future<void> {
        try {
            co_await sleep(1h);
        } catch (const Cancelled&) {
        }
        co_await sleep(2s);
    });
    world
        .spawn([&]() -> Future<void> {
            co_await sleep(1s);
            shielded.cancel("enough");
            cleaning.cancel("enough");
            co_await sleep(1s);
            dump = world.executor.dump_tasks();
        })
        .set_name("boss");
    (void)world.loop.run();
    EXPECT_EQ(bare(dump),
              "scope root: 3 tasks\n"
              "  task 1: waiting on sleep (op 1099511627777, timer) for 2.0 s\n"
              "    at task_report.test.cpp\n"
              "    at task_report.test.cpp\n"
              "    cancelled: enough, by boss (task_report.test.cpp), not delivered: it is "
              "shielded\n"
              "  task 2: waiting on sleep (op 1099511627781, timer) for 1.0 s\n"
              "    at task_report.test.cpp\n"
              "    cancelled: enough, by boss (task_report.test.cpp), delivered\n"
              "  task 3 'boss': running\n"
              "    at task_report.test.cpp\n");
}

TEST(TaskReport, counts_the_tasks_beyond_a_limit) {
    TaskWorld world;
    for (std::size_t i = 0; i < TaskReport::tasks_of_scope_max + 7; ++i) world.spawn(nap, 1s);
    const std::string dump = world.executor.dump_tasks();
    EXPECT_TRUE(bare(dump).ends_with(
        "task 100: ready, not begun\n    at task_report.test.cpp\n  and 7 more\n"))
        << dump;
}

TEST(TaskReport, of_the_loop_names_the_tasks_behind_its_ops) {
    TaskWorld world;
    world.spawn(nap, 1s).set_name("napper");
    world.loop.turn();
    EXPECT_NE(world.loop.describe_ops().find("'napper': waiting on sleep"), std::string::npos);
}

TEST(TaskReport, names_the_task_that_runs_without_allocating) {
    TaskWorld world;
    std::array<char, 256> text{};
    const auto now_running = [&] {
        return std::string(text.data(), TaskReport::running(world.executor, text));
    };
    EXPECT_EQ(now_running(), "no task");
    world.run([&]() -> Future<void> {
        // g++ gives no place for a lambda with captures before its first await.
        EXPECT_TRUE(now_running().starts_with("task 1"));
        co_await sleep(1ms);
        EXPECT_TRUE(now_running().starts_with("task 1, which runs since "));
        EXPECT_NE(now_running().find("task_report.test.cpp:"), std::string::npos);
    });
    auto named = world.spawn([&]() -> Future<void> {
        EXPECT_TRUE(now_running().starts_with("task 2 'busy'"));
        std::array<char, 8> small{};
        EXPECT_EQ(TaskReport::running(world.executor, small), small.size());
        co_return;
    });
    named.set_name("busy");
    (void)world.loop.run();
}

TEST(TaskReport, of_a_failure_says_what_is_no_exception_too) {
    EXPECT_EQ(TaskReport::text_of(std::make_exception_ptr(1)),
              "with something that is no std::exception");
}

TEST(PlainFunctionName, is_the_same_whatever_the_compiler_adds) {
    EXPECT_EQ(plain_function_name("void app::serve(serve(Socket)::_ZN3app5serveE.Frame*)"),
              "app::serve");
    EXPECT_EQ(plain_function_name("Future<void> app::serve(Socket)"), "app::serve");
    EXPECT_EQ(plain_function_name("gyre::Future<T> app::give(T) [with T = int]"), "app::give");
    EXPECT_EQ(
        plain_function_name("Future<std::pair<int, int>> (anonymous namespace)::f(int) const"),
        "(anonymous namespace)::f");
    EXPECT_EQ(plain_function_name("void app::run()::<lambda(int)>::operator()(int) const"),
              "app::run()::<lambda(int)>");
    EXPECT_EQ(plain_function_name("main"), "main");
    EXPECT_EQ(plain_function_name(""), "");
    EXPECT_EQ(plain_function_name("broken)"), "broken)");
}

}  // namespace
}  // namespace gyre
