// SPDX-License-Identifier: Apache-2.0
// The events of tasks that the loop's observer gets.
#include <gtest/gtest.h>

#include "gyre/kernel/observer.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task_world.test.hpp"
#include "gyre/task/thread/waker.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

class TaskNotes : public Observer {
public:
    void on_task(TaskEvent event, std::uint64_t task_id, std::string_view name) noexcept override {
        static constexpr const char* words[] = {"named", "started", "suspended", "resumed",
                                                "ended"};
        std::string note = std::to_string(task_id);
        note.append(" ").append(words[static_cast<int>(event)]);
        if (!name.empty()) note.append(" ").append(name);
        notes.push_back(std::move(note));
    }
    void on_submit(const Op& op, const Machine& /*by*/) noexcept override {
        traces.push_back(op.trace_id());
    }
    void on_task_waits(std::uint64_t task_id, std::string_view what,
                       const std::source_location& where) noexcept override {
        waits.push_back(std::to_string(task_id).append(" ").append(what));
        lines.push_back(where.line());
    }
    std::vector<std::string> notes;
    std::vector<std::string> waits;
    std::vector<std::uint_least32_t> lines;
    std::vector<TraceId> traces;
};

struct Observed {
    TaskNotes notes;
    sim::VirtualClock clock;
    sim::SimPlatform platform{clock};
    Executor executor;
    Loop loop{platform, executor, {.observer = &notes}};
    ~Observed() { loop.close(); }
};

TEST(ObservedTask, is_seen_from_its_start_to_its_end) {
    Observed world;
    auto handle = world.executor.root().spawn([]() -> Future<void> { co_await sleep(1ms); });
    handle.set_name("napper");
    (void)world.loop.run();
    EXPECT_EQ(world.notes.notes, (std::vector<std::string>{"1 started napper", "1 suspended",
                                                           "1 resumed", "1 ended"}));
}

TEST(ObservedTask, that_is_suspended_says_what_it_waits_for_and_where) {
    Observed world;
    const auto line = std::source_location::current().line();
    world.executor.root().spawn([]() -> Future<void> {
        co_await sleep(1ms);
        co_await yield();
    });
    (void)world.loop.run();
    EXPECT_EQ(world.notes.waits, (std::vector<std::string>{"1 sleep", "1 its turn"}));
    EXPECT_EQ(world.notes.lines, (std::vector<std::uint_least32_t>{line + 2, line + 3}));
}

TEST(ObservedTask, that_is_named_late_is_named_once_more) {
    Observed world;
    world.executor.root().spawn([&]() -> Future<void> { (co_await this_task()).set_name("late"); });
    (void)world.loop.run();
    EXPECT_EQ(world.notes.notes,
              (std::vector<std::string>{"1 started task 1", "1 named late", "1 ended"}));
}

TEST(ObservedTask, of_a_polled_future_is_seen_inside_the_one_that_polls) {
    Observed world;
    const auto nap = []() -> Future<int> {
        co_await sleep(1ms);
        co_return 7;
    };
    world.executor.root().spawn([&]() -> Future<void> {
        auto future = nap();
        const auto poll = [&](const Waker& waker) { return future.poll(waker); };
        EXPECT_EQ(co_await poll_with(poll), 7);
    });
    (void)world.loop.run();
    EXPECT_EQ(
        world.notes.notes,
        (std::vector<std::string>{"1 started task 1", "2 started task 2", "2 suspended",
                                  "1 suspended", "1 resumed", "2 resumed", "2 ended", "1 ended"}));
}

TEST(ObservedTask, gives_its_trace_to_its_ops_and_to_the_tasks_it_spawns) {
    Observed world;
    world.executor.root().spawn([]() -> Future<void> { co_return; });
    world.executor.root().spawn([]() -> Future<void> {
        co_await with_scope([](Scope& scope) -> Future<void> {
            scope.spawn([]() -> Future<void> { co_await sleep(1ms); });
            co_await sleep(2ms);
        });
    });
    (void)world.loop.run();
    EXPECT_EQ(world.notes.traces, (std::vector<TraceId>{2, 2}));
}

}  // namespace
}  // namespace gyre
