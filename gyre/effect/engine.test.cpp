// SPDX-License-Identifier: Apache-2.0
// What an engine needs of the scheduler: a tick that is bounded in time, guests that are stopped and
// go on, values that stay in the guest, and the scope of a run.
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>

#include "gyre/effect/effect_world.test.hpp"
#include "gyre/effect/lying_guest.test.hpp"
#include "tests/support/timed_platform.hpp"

namespace gyre::effect {
namespace {

using Act = std::function<Step(TaskHost&, Value)>;

// Calls a list of functions for each entry, one a step, and records what the scheduler tells it.
class TestEngine final : public Guest {
public:
    [[nodiscard]] std::span<const OpInfo> ops() const noexcept override { return ops_; }
    [[nodiscard]] bool is_engine() const noexcept override { return true; }
    void begin_run(RunId run) override {
        lines.push_back("begin " + std::to_string(run));
        if (fails_to_begin) throw ProtocolError(ErrorKind::memory_limit, "no room");
    }
    void end_run(RunId run) noexcept override { lines.push_back("end " + std::to_string(run)); }
    [[nodiscard]] Step start(std::string_view entry, Arguments /*arguments*/,
                             TaskHost& tasks) override {
        return go_on(new_strand(std::string(entry)), tasks, Value());
    }
    [[nodiscard]] Step resume(Continuation at, Value answer, TaskHost& tasks) override {
        return go_on(at, tasks, std::move(answer));
    }
    void release(Continuation at) noexcept override {
        lines.push_back("release " + strands_.at(at).entry);
        strands_.erase(at);
    }
    void drop(Held value) noexcept override { lines.push_back("drop " + std::to_string(value)); }

    Continuation new_strand(const std::string& entry) {
        strands_[++last_] = {entry, 0};
        return last_;
    }
    static Step preempted(TaskHost& /*tasks*/, const Value& /*answer*/) {
        Step step;
        step.status = StepStatus::preempted;
        return step;
    }

    std::map<std::string, std::vector<Act>> entries;
    Lines lines;
    bool fails_to_begin = false;

private:
    struct Strand {
        std::string entry;
        std::size_t at = 0;
    };
    // A step that does not end its function resumes where it was.
    Step go_on(Continuation at, TaskHost& tasks, Value answer) {
        Strand& strand = strands_.at(at);
        const std::vector<Act>& acts = entries.at(strand.entry);
        lines.push_back(strand.entry + " " + std::to_string(strand.at));
        const Act& act = acts.at(strand.at++);
        Step step = act(tasks, std::move(answer));
        if (step.status == StepStatus::value) {
            strands_.erase(at);
        } else {
            step.continuation = at;
        }
        return step;
    }

    std::vector<OpInfo> ops_ = async_ops();
    std::map<Continuation, Strand> strands_;
    Continuation last_ = 0;
};

Act give(Value value) {
    return [value](TaskHost&, const Value&) {
        Step step;
        step.value = value;
        return step;
    };
}
Act give_held(Held held) {
    return [held](TaskHost&, const Value&) {
        Step step;
        step.held = held;
        return step;
    };
}

struct TimedWorld {
    sim::VirtualClock clock;
    test::TimedPlatform platform{clock};
    Executor executor;
    Scheduler scheduler;
    Handlers handlers;
    TestEngine guest;
    Loop loop{platform, executor, {.spin_max = Duration(0)}};

    explicit TimedWorld(SchedulerOptions options = {}) : scheduler(executor, std::move(options)) {}
    ~TimedWorld() { loop.close(); }

    // The longest time between two turns of a task that sleeps for a millisecond each time.
    Duration longest_gap(int run_count) {
        Duration longest{0};
        std::vector<RunHandle<Value>> runs;
        for (int i = 0; i < run_count; ++i)
            runs.push_back(scheduler.start(guest, handlers, "main"));
        auto neighbour = executor.root().spawn([&]() -> Future<void> {
            Instant last = clock.peek();
            while (scheduler.run_count() > 0) {
                co_await sleep(1ms);
                longest = std::max(longest, clock.peek() - last);
                last = clock.peek();
            }
        });
        static_cast<void>(loop.run());
        for (const auto& run : runs) EXPECT_TRUE(run.outcome().has_value());
        return longest;
    }
    // Steps that take this long each.
    void slow_entry(int count, Duration each) {
        guest.entries["main"].assign(static_cast<std::size_t>(count),
                                     [this, each](auto& host, const auto& answer) {
                                         clock.advance(each);
                                         return TestEngine::preempted(host, answer);
                                     });
        guest.entries["main"].push_back(give(1));
    }
};

TEST(EffectTime, a_slow_guest_delays_a_timer_by_at_most_the_budget_and_one_preemption) {
    // clause: V36
    TimedWorld slow;
    slow.slow_entry(200, 3ms);
    EXPECT_LE(slow.longest_gap(4), 1ms + 2ms + 3ms);
    EXPECT_EQ(slow.scheduler.counts().preemptions, 800u);
    TimedWorld many;
    many.slow_entry(20, 100us);
    EXPECT_LE(many.longest_gap(100), 1ms + 2ms + 100us);
    TimedWorld longer({.time_per_tick_max = 20ms});
    longer.slow_entry(20, 1ms);
    EXPECT_GE(longer.longest_gap(4), 20ms);
}

TEST(EffectTime, a_step_as_long_as_the_last_begins_only_if_half_of_it_fits) {
    // clause: V36
    TimedWorld mostly({.time_per_tick_max = 2ms});
    mostly.slow_entry(20, 1500us);
    EXPECT_LE(mostly.longest_gap(4), 1ms + 1500us);
    TimedWorld twice({.time_per_tick_max = 2ms});
    twice.slow_entry(20, 1200us);
    EXPECT_GE(twice.longest_gap(4), 2400us);
}

TEST(EffectTime, a_budget_of_time_lets_the_loop_turn_and_not_only_go_one_round) {
    // clause: V36
    TimedWorld world;
    world.slow_entry(40, 3ms);
    auto run = world.scheduler.start(world.guest, world.handlers, "main");
    for (int turn = 1; turn <= 40; ++turn) {
        world.loop.turn();
        EXPECT_EQ(world.scheduler.counts().steps, static_cast<std::uint64_t>(turn));
    }
}

TEST(EffectTime, steps_alone_count_in_virtual_time) {
    // clause: V36
    EffectWorld world({.steps_per_tick_max = 10});
    TestEngine guest;
    guest.entries["main"].assign(99, [&](TaskHost&, const Value&) {
        world.clock.advance(1s);
        Step step;
        step.status = StepStatus::yield;
        return step;
    });
    guest.entries["main"].push_back(give(1));
    EXPECT_TRUE(world.run(guest).has_value());
    EXPECT_EQ(world.scheduler.counts().ticks, 10u);
}

TEST(EffectTime, a_guest_that_is_stopped_again_and_again_leaves_the_turn_after_a_few_times) {
    // clause: V36
    EffectWorld world({.preemptions_per_tick_max = 3});
    TestEngine guest;
    guest.entries["main"].assign(90, &TestEngine::preempted);
    guest.entries["main"].push_back(give(1));
    // Another machine of the loop has its turn each time.
    std::vector<std::uint64_t> seen;
    auto run = world.scheduler.start(guest, world.handlers, "main");
    auto neighbour = world.executor.root().spawn([&]() -> Future<void> {
        while (!run.is_terminal()) {
            seen.push_back(world.scheduler.counts().preemptions);
            co_await sleep(Duration(0));
        }
    });
    for (int turn = 1; turn <= 30; ++turn) {
        world.loop.turn();
        EXPECT_EQ(world.scheduler.counts().preemptions, 3u * static_cast<unsigned>(turn));
    }
    static_cast<void>(world.loop.run());
    EXPECT_TRUE(run.outcome().has_value());
    EXPECT_GE(seen.size(), 30u);
    // None and zero are at least one.
    EffectWorld least({.preemptions_per_tick_max = 0});
    guest.entries["few"] = {&TestEngine::preempted, &TestEngine::preempted, give(1)};
    EXPECT_TRUE(least.run(guest, "few").has_value());
    EXPECT_EQ(least.scheduler.counts().ticks, 3u);
}

TEST(Preemption, the_same_task_goes_on_before_its_siblings_and_after_other_runs) {
    // clause: V36, V07, V18
    EffectWorld world;
    TestEngine guest;
    guest.entries["main"] = {
        [&](TaskHost& tasks, const Value& answer) {
            static_cast<void>(tasks.spawn(TaskHost::Spawn::attached, guest.new_strand("child")));
            return TestEngine::preempted(tasks, answer);
        },
        &TestEngine::preempted, give(7)};
    guest.entries["child"] = {give(1)};
    guest.entries["other"] = {&TestEngine::preempted, give(8)};
    auto main = world.scheduler.start<int>(guest, world.handlers, "main");
    auto other = world.scheduler.start<int>(guest, world.handlers, "other");
    static_cast<void>(world.loop.run());
    EXPECT_EQ(guest.lines, (Lines{"begin 1", "main 0", "begin 2", "other 0", "main 1", "other 1",
                                  "end 2", "main 2", "child 0", "end 1"}));
    EXPECT_EQ(main.outcome().value(), 7);
    EXPECT_EQ(other.outcome().value(), 8);
}

TEST(Preemption, is_no_event_and_no_entry_of_a_journal) {
    // clause: V36
    const auto lines_of = [](int preemptions, MemoryJournal& journal) {
        EffectWorld world;
        world.handlers.on(Async::await, [](int n) { return resume(n + 1); });
        TestEngine guest;
        auto& main = guest.entries["main"];
        main.assign(static_cast<std::size_t>(preemptions), &TestEngine::preempted);
        main.push_back([&guest](TaskHost&, const Value&) {
            Step step;
            step.status = StepStatus::effect;
            step.op = guest.ops().data();
            step.arguments = {1};
            return step;
        });
        main.insert(main.end(), static_cast<std::size_t>(preemptions), &TestEngine::preempted);
        main.push_back(give(5));
        EXPECT_TRUE(world.run(guest, "main", {}, {.journal = &journal}).has_value());
        return world.observer.lines;
    };
    MemoryJournal journal;
    const Lines plain = lines_of(0, journal);
    EXPECT_EQ(journal.entries().size(), 1u);
    journal.rewind();
    EXPECT_EQ(lines_of(3, journal), plain);
    EXPECT_EQ(journal.entries().size(), 1u);
}

TEST(Preemption, a_stopped_guest_can_be_cancelled_and_can_fail) {
    // clause: V36
    EffectWorld world;
    TestEngine guest;
    guest.entries["main"] = {&TestEngine::preempted, &TestEngine::preempted};
    guest.entries["late"] = {&TestEngine::preempted, [](TaskHost&, const Value&) -> Step {
                                 throw ProtocolError(ErrorKind::time_limit, "too long");
                             }};
    EffectWorld bounded({.steps_per_tick_max = 1});
    auto run = bounded.scheduler.start(guest, bounded.handlers, "main");
    bounded.loop.turn();
    EXPECT_TRUE(run.cancel("enough"));
    EXPECT_EQ(guest.lines, (Lines{"begin 1", "main 0", "release main", "end 1"}));
    const auto late = world.run(guest, "late");
    ASSERT_EQ(late.kind(), RunEndKind::failed);
    EXPECT_EQ(late.error().kind, ErrorKind::time_limit);
    LyingGuest lying(async_ops());
    lying.steps.emplace_back([](LyingGuest&, TaskHost& tasks) {
        return TestEngine::preempted(tasks, Value());  // without a continuation
    });
    EXPECT_EQ(world.run(lying).error().kind, ErrorKind::invalid_request);
}

TEST(HeldValue, is_given_to_the_one_who_joins) {
    // clause: V37
    EffectWorld world;
    TestEngine guest;
    Capability child = 0;
    Held taken = 0;
    guest.entries["main"] = {
        [&](TaskHost& tasks, const Value&) {
            child = tasks.spawn(TaskHost::Spawn::attached, guest.new_strand("child"));
            Step step;
            step.status = StepStatus::wait;
            step.capability = child;
            return step;
        },
        [&](TaskHost& tasks, const Value&) {
            taken = tasks.take_held(child);
            EXPECT_THROW(static_cast<void>(tasks.take_held(child)), ProtocolError);
            return Step();
        }};
    guest.entries["child"] = {give_held(44)};
    EXPECT_TRUE(world.run(guest).has_value());
    EXPECT_EQ(taken, 44u);
    EXPECT_EQ(std::ranges::count(guest.lines, "drop 44"), 0);
}

TEST(HeldValue, is_dropped_once_and_before_the_run_leaves_when_nobody_takes_it) {
    // clause: V37
    for (const bool is_cancelled : {false, true}) {
        EffectWorld world;
        world.handlers.on(Async::await, [](int n) { return resume(n).after(1s); });
        TestEngine guest;
        guest.entries["main"] = {
            [&](TaskHost& tasks, const Value&) {
                for (const auto how : {TaskHost::Spawn::attached, TaskHost::Spawn::detached}) {
                    static_cast<void>(tasks.spawn(how, guest.new_strand("child")));
                }
                Step step;
                step.status = StepStatus::effect;
                step.op = guest.ops().data();
                step.arguments = {1};
                return step;
            },
            give_held(9)};  // the root has none: dropped at once
        guest.entries["child"] = {give_held(44)};
        auto run = world.scheduler.start(guest, world.handlers, "main");
        world.loop.turn();
        if (is_cancelled) run.cancel();
        static_cast<void>(world.loop.run());
        EXPECT_EQ(std::ranges::count(guest.lines, "drop 44"), 2);
        EXPECT_EQ(std::ranges::count(guest.lines, "drop 9"), is_cancelled ? 0 : 1);
        EXPECT_EQ(guest.lines.back(), "end 1");
        EXPECT_EQ(std::ranges::count(guest.lines, "end 1"), 1);
    }
}

TEST(HeldValue, of_a_task_that_was_cancelled_while_it_ran_is_dropped) {
    // clause: V37
    EffectWorld world;
    TestEngine guest;
    Capability child = 0;
    guest.entries["main"] = {[&](TaskHost& tasks, const Value&) {
        child = tasks.spawn(TaskHost::Spawn::detached, guest.new_strand("child"));
        return Step();
    }};
    guest.entries["child"] = {[&](TaskHost& tasks, const Value& answer) {
        EXPECT_TRUE(tasks.cancel(child));
        EXPECT_FALSE(tasks.cancel(child));
        EXPECT_FALSE(tasks.cancel(child + 1));  // a capability of no task
        return give_held(5)(tasks, answer);
    }};
    EXPECT_TRUE(world.run(guest).has_value());
    EXPECT_EQ(guest.lines.back(), "end 1");
    EXPECT_EQ(std::ranges::count(guest.lines, "drop 5"), 1);
}

TEST(RunScope, release_may_come_while_the_guest_is_inside_a_call_and_the_end_never) {
    EffectWorld world;
    world.handlers.on(Async::await, [](int n) { return resume(n).after(1s); });
    TestEngine guest;
    std::optional<RunHandle<Value>> run;
    Capability sibling = 0;
    guest.entries["main"] = {[&](TaskHost& tasks, const Value&) {
                                 sibling = tasks.spawn(TaskHost::Spawn::attached,
                                                       guest.new_strand("sibling"));
                                 Step step;
                                 step.status = StepStatus::yield;
                                 return step;
                             },
                             [&](TaskHost& tasks, const Value&) {
                                 EXPECT_TRUE(tasks.cancel(sibling));
                                 EXPECT_EQ(guest.lines.back(), "release sibling");
                                 run->cancel("from inside");
                                 guest.lines.emplace_back("still inside");
                                 return Step();
                             }};
    guest.entries["sibling"] = {[&](TaskHost&, const Value&) {
        Step step;
        step.status = StepStatus::effect;
        step.op = guest.ops().data();
        step.arguments = {1};
        return step;
    }};
    run.emplace(world.scheduler.start(guest, world.handlers, "main"));
    static_cast<void>(world.loop.run());
    EXPECT_EQ(run->outcome().kind(), RunEndKind::cancelled);
    const Lines last(guest.lines.end() - 2, guest.lines.end());
    EXPECT_EQ(last, (Lines{"still inside", "end 1"}));
}

TEST(RunScope, a_run_that_never_began_does_not_end_and_one_that_cannot_begin_fails) {
    EffectWorld world;
    TestEngine guest;
    guest.entries["main"] = {give(1)};
    auto early = world.scheduler.start(guest, world.handlers, "main");
    early.cancel();
    EXPECT_EQ(guest.lines, Lines());
    guest.fails_to_begin = true;
    const auto outcome = world.run(guest);
    ASSERT_EQ(outcome.kind(), RunEndKind::failed);
    EXPECT_EQ(outcome.error().kind, ErrorKind::memory_limit);
    EXPECT_EQ(guest.lines, (Lines{"begin 2"}));
}

TEST(TaskHost, the_failure_message_of_a_cancelled_task_is_refused) {
    EffectWorld world;
    TestEngine guest;
    Capability child = 0;
    guest.entries["main"] = {[&](TaskHost& tasks, const Value&) {
        child = tasks.spawn(TaskHost::Spawn::attached, guest.new_strand("child"));
        EXPECT_TRUE(tasks.cancel(child));
        EXPECT_EQ(tasks.run(), 1u);
        static_cast<void>(tasks.failure_message(child));
        return Step();
    }};
    guest.entries["child"] = {give(1)};
    const auto outcome = world.run(guest);
    ASSERT_EQ(outcome.kind(), RunEndKind::failed);
    EXPECT_EQ(outcome.error().kind, ErrorKind::stale_task);
}

}  // namespace
}  // namespace gyre::effect
