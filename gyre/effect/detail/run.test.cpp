// SPDX-License-Identifier: Apache-2.0
// Run: one outcome, one step at a time, one answer per request; late and second answers are
// dropped.
#include "gyre/effect/detail/run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "gyre/effect/effect_world.test.hpp"
#include "gyre/task/core/frame_check.test.hpp"

namespace gyre::effect {
namespace {

using script::give;
using script::give_last;
using script::perform;

TEST(Run, ends_in_exactly_one_outcome_and_the_first_one_stays) {
    // clause: V01, V02
    EffectWorld world;
    std::vector<Reply> replies;
    world.handlers.on(Async::await, [&](Reply reply, int) { replies.push_back(std::move(reply)); });
    ScriptedGuest guest(async_ops());
    guest.add("main", {perform(0, {1}), give(40)}).add("fails", {script::fail("broken")});

    auto valued = world.scheduler.start<int>(guest, world.handlers, "main");
    auto failed = world.scheduler.start<int>(guest, world.handlers, "fails");
    auto cancelled = world.scheduler.start<int>(guest, world.handlers, "main");
    world.loop.turn();
    EXPECT_FALSE(valued.is_terminal());
    EXPECT_TRUE(cancelled.cancel("first"));
    EXPECT_TRUE(replies.at(0).answer(resume(2)));
    EXPECT_FALSE(replies.at(1).answer(resume(2)));  // its run is over
    static_cast<void>(world.loop.run());
    EXPECT_EQ(valued.outcome().kind(), RunEndKind::value);
    EXPECT_EQ(failed.outcome().kind(), RunEndKind::failed);
    EXPECT_EQ(cancelled.outcome().kind(), RunEndKind::cancelled);

    // Later answers change nothing.
    EXPECT_FALSE(valued.cancel("late"));
    EXPECT_FALSE(failed.cancel("late"));
    EXPECT_FALSE(cancelled.cancel("second"));
    EXPECT_EQ(valued.outcome().value(), 40);
    EXPECT_EQ(failed.outcome().error().message, "broken");
    EXPECT_EQ(cancelled.outcome().reason().why, "first");
    std::size_t settled = 0;
    for (const std::string& line : world.observer.lines) {
        settled += line.find("settled") != std::string::npos ? 1 : 0;
    }
    EXPECT_EQ(settled, 3u);
}

TEST(Run, that_is_cancelled_inside_its_own_step_keeps_that_outcome_whatever_the_step_gives) {
    // clause: V01, V02
    const FrameCheck frames;
    EffectWorld world;
    int asked = 0;
    world.handlers.on(Async::await, [&asked](int n) {
        ++asked;
        return resume(n);
    });
    RunId id = 0;
    CoroutineGuest guest;
    guest.add("gives", [&]() -> Effectful<int> {
        world.scheduler.cancel(id, "inside");
        co_return 1;
    });
    guest.add("throws", [&]() -> Effectful<int> {
        world.scheduler.cancel(id, "inside");
        throw std::runtime_error("too late");
        co_return 1;
    });
    guest.add("asks", [&]() -> Effectful<int> {
        world.scheduler.cancel(id, "inside");
        co_return co_await perform(Async::await, 1);
    });
    for (const char* entry : {"gives", "throws", "asks"}) {
        auto run = world.scheduler.start<int>(guest, world.handlers, entry);
        id = run.id();
        static_cast<void>(world.loop.run());
        ASSERT_TRUE(run.is_terminal()) << entry;
        ASSERT_EQ(run.outcome().kind(), RunEndKind::cancelled) << entry;
        EXPECT_EQ(run.outcome().reason().why, "inside") << entry;
    }
    EXPECT_EQ(asked, 0);
    EXPECT_EQ(world.failures, Lines{});
    EXPECT_EQ(std::ranges::count_if(
                  world.observer.lines,
                  [](const std::string& line) { return line.find("settled") != line.npos; }),
              3);
}

TEST(Run, keeps_failed_and_cancelled_apart_also_where_calls_throw) {
    // clause: V03, V34
    EffectWorld world;
    world.handlers.on(Async::await, [](int n) -> Future<Answer> {
        if (n == 1) throw std::runtime_error("refused");
        co_await sleep(1s);
        co_return resume(n);
    });
    ScriptedGuest guest(async_ops());
    guest.add("fails", {perform(0, {1}), give(1)}).add("waits", {perform(0, {2}), give(7)});
    Lines lines;
    struct Calls {
        // Awaiting a run returns its outcome and never throws it.
        static Future<void> look(EffectWorld& world, Guest& guest, const char* entry,
                                 Lines& lines) {
            auto run = world.scheduler.start<int>(guest, world.handlers, entry);
            const RunOutcome<int> outcome = co_await run;
            lines.push_back(std::string("outcome ") + name_of(outcome.kind()));
        }
        static Future<void> make(EffectWorld& world, Guest& guest, const char* entry,
                                 Lines& lines) {
            try {
                const int value = co_await world.scheduler.call<int>(guest, world.handlers, entry);
                lines.push_back("value " + std::to_string(value));
            } catch (const RunFailed& failed) {
                lines.push_back(std::string("failed ") + failed.what());
            } catch (const RunCancelled& cancelled) {
                lines.push_back("cancelled " + cancelled.reason().why);
            }
        }
    };
    const auto spawn = [&](const char* entry) {
        world.executor.root().spawn(Calls::look(world, guest, entry, lines));
        world.executor.root().spawn(Calls::make(world, guest, entry, lines));
    };
    spawn("fails");
    spawn("waits");
    world.loop.turn();
    world.scheduler.cancel_all("enough");
    static_cast<void>(world.loop.run());
    spawn("waits");
    static_cast<void>(world.loop.run());
    EXPECT_EQ(lines, (Lines{"outcome failed", "failed refused", "outcome cancelled",
                            "cancelled enough", "outcome value", "value 7"}));
}

TEST(Run, a_call_whose_task_is_cancelled_cancels_its_run) {
    // clause: V03
    EffectWorld world;
    world.handlers.on(Async::await, [](int n) -> Future<Answer> {
        co_await sleep(1h);
        co_return resume(n);
    });
    ScriptedGuest guest(async_ops());
    guest.add("main", {perform(0, {2}), give(7)});
    auto call =
        world.executor.root().spawn(world.scheduler.call<int>(guest, world.handlers, "main"));
    world.loop.turn();
    EXPECT_EQ(world.scheduler.run_count(), 1u);
    call.cancel("enough");
    static_cast<void>(world.loop.run());
    EXPECT_TRUE(call.was_cancelled());
    EXPECT_EQ(world.observer.lines.back(),
              "run 1: settled cancelled: the call for it was cancelled");
    EXPECT_EQ(world.failures, Lines{});
    EXPECT_EQ(world.scheduler.run_count(), 0u);
    EXPECT_LT(world.passed_ms(), 1'000);
}

TEST(Run, has_one_step_at_a_time_and_its_handlers_one_after_the_other) {
    // clause: V04, V05, V14
    EffectWorld world;
    int inside = 0;
    int most = 0;
    Lines asked;
    world.handlers.on(Async::await, [&](int n) -> Future<Answer> {
        most = std::max(most, ++inside);
        asked.push_back(std::to_string(n));
        co_await sleep(std::chrono::milliseconds(10 - n));
        --inside;
        co_return resume(n);
    });
    ScriptedGuest guest(async_ops());
    std::vector<script::Action> actions;
    for (int n = 1; n < 6; ++n) actions.push_back(perform(0, {n}));
    guest.add("main", std::move(actions));
    EXPECT_TRUE(world.run(guest).has_value());
    EXPECT_EQ(most, 1);
    EXPECT_EQ(asked, (Lines{"1", "2", "3", "4", "5"}));
    EXPECT_EQ(guest.calls(),
              (Lines{"start main()", "resume 1", "resume 2", "resume 3", "resume 4", "resume 5"}));
}

// A guest with two tasks that make one request each. Counts the calls that run inside it at once.
class NestingGuest final : public Guest {
public:
    [[nodiscard]] std::span<const OpInfo> ops() const noexcept override { return ops_; }
    [[nodiscard]] Step start(std::string_view, Arguments, TaskHost& tasks) override {
        const Visit visit(*this);
        static_cast<void>(tasks.spawn(TaskHost::Spawn::attached, new_place()));
        return request();
    }
    [[nodiscard]] Step resume(Continuation at, Value answer, TaskHost&) override {
        const Visit visit(*this);
        held.erase(at);
        if (answer.is(Value::Kind::nothing)) return request();
        if (when_answered) std::exchange(when_answered, nullptr)();
        return {};
    }
    void release(Continuation at) noexcept override { held.erase(at); }

    std::function<void()> when_answered;  // inside the first step that has an answer
    std::set<Continuation> held;
    int inside = 0;
    int most = 0;
    int steps = 0;

private:
    struct Visit {
        explicit Visit(NestingGuest& of) : guest(of) {
            ++guest.steps;
            guest.most = std::max(guest.most, ++guest.inside);
        }
        ~Visit() { --guest.inside; }
        NestingGuest& guest;
    };
    [[nodiscard]] Continuation new_place() {
        held.insert(++last_);
        return last_;
    }
    [[nodiscard]] Step request() {
        Step step;
        step.status = StepStatus::effect;
        step.op = ops_.data();
        step.kind = step.op->kind;
        step.arguments = {1};
        step.continuation = new_place();
        return step;
    }
    std::vector<OpInfo> ops_ = async_ops();
    Continuation last_ = 0;
};

TEST(Run, enters_its_guest_for_one_task_after_the_other_also_where_one_answers_another) {
    // clause: V04, V05, V12
    EffectWorld world;
    std::vector<Reply> replies;
    world.handlers.on(Async::await, [&](Reply reply, int) { replies.push_back(std::move(reply)); });
    NestingGuest guest;
    auto run = world.scheduler.start(guest, world.handlers, "main");
    static_cast<void>(world.loop.run());
    ASSERT_EQ(replies.size(), 2u);
    EXPECT_EQ(guest.steps, 2);
    guest.when_answered = [&] {
        EXPECT_TRUE(replies.at(1).answer(resume(1)));
        EXPECT_EQ(guest.inside, 1);
    };
    EXPECT_TRUE(replies.at(0).answer(resume(1)));
    EXPECT_EQ(guest.steps, 2);
    static_cast<void>(world.loop.run());
    EXPECT_EQ(guest.steps, 4);
    EXPECT_EQ(guest.most, 1);
    EXPECT_TRUE(run.outcome().has_value());
    EXPECT_TRUE(guest.held.empty());
}

// Three runs that wait for answers, which the test gives.
struct ThreeWaiting {
    ThreeWaiting() {
        world.handlers.on(Async::await,
                          [this](Reply reply, int) { replies.push_back(std::move(reply)); });
        guest.add("main", {perform(0, {1}), give_last()});
        for (int i = 0; i < 3; ++i) {
            runs.push_back(world.scheduler.start<int>(guest, world.handlers, "main"));
        }
        static_cast<void>(world.loop.run());
    }
    EffectWorld world;
    std::vector<Reply> replies;
    ScriptedGuest guest{async_ops()};
    std::vector<RunHandle<int>> runs;
};

TEST(Run, is_answered_and_cancelled_from_another_thread_and_steps_only_on_its_own) {
    // clause: V05, V06, V11, V20
    ThreeWaiting waiting;
    auto& [world, replies, guest, runs] = waiting;
    ASSERT_EQ(replies.size(), 3u);
    const std::vector<RunId> ids = {runs[0].id(), runs[1].id()};
    std::thread([&] {
        replies.at(0).answer(resume(7));
        for (int i = 0; i < 2; ++i) world.scheduler.cancel(ids.at(1), "from afar");
        world.scheduler.cancel(~RunId{0}, "nobody");
    }).join();
    // The other thread only posts: the loop of the runs applies the answer and the cancel.
    EXPECT_EQ(guest.calls().size(), 3u);
    EXPECT_EQ(guest.held_count(), 3u);
    static_cast<void>(world.loop.run());
    ASSERT_TRUE(runs[0].is_terminal());
    EXPECT_EQ(runs[0].outcome().value(), 7);
    ASSERT_TRUE(runs[1].is_terminal());
    EXPECT_EQ(runs[1].outcome().reason().why, "from afar");
    EXPECT_EQ(runs[2].state(), RunState::waiting);
    world.scheduler.cancel_all("the test is over");
}

TEST(Run, goes_on_when_its_handler_returns_and_not_when_what_that_waits_for_happens) {
    // clause: V06
    EffectWorld world;
    Event first;
    Event second;
    world.handlers.on(Async::await, [&](int n) -> Future<Answer> {
        co_await first.wait();
        co_await second.wait();
        co_return resume(n + 1);
    });
    ScriptedGuest guest(async_ops());
    guest.add("main", {perform(0, {6}), give_last()});
    auto run = world.scheduler.start<int>(guest, world.handlers, "main");
    static_cast<void>(world.loop.run());
    first.set();
    static_cast<void>(world.loop.run());
    EXPECT_EQ(guest.calls(), (Lines{"start main()"}));
    EXPECT_EQ(run.state(), RunState::waiting);
    second.set();
    static_cast<void>(world.loop.run());
    EXPECT_EQ(guest.calls(), (Lines{"start main()", "resume 7"}));
    EXPECT_EQ(run.outcome().value(), 7);
}

TEST(Run, goes_on_only_when_its_handler_has_answered) {
    // clause: V06, V33
    ThreeWaiting waiting;
    auto& [world, replies, guest, runs] = waiting;
    Event happened;
    happened.set();  // An external event without an answer.
    static_cast<void>(world.loop.run());
    EXPECT_EQ(guest.calls().size(), 3u);
    // Answers are applied in the order in which they came.
    replies.at(2).answer(resume(2));
    replies.at(0).answer(resume(0));
    replies.at(1).answer(resume(1));
    EXPECT_EQ(guest.calls().size(), 3u);  // not inside the call
    static_cast<void>(world.loop.run());
    EXPECT_EQ(Lines(guest.calls().begin() + 3, guest.calls().end()),
              (Lines{"resume 2", "resume 0", "resume 1"}));
}

TEST(Run, takes_one_answer_a_request_and_rejects_a_second) {
    // clause: V16
    EffectWorld world;
    std::vector<Reply> replies;
    world.handlers.on(Async::await, [&](Reply reply, int) {
        EXPECT_TRUE(reply.answer(resume(1)));
        EXPECT_FALSE(reply.answer(resume(2)));
        EXPECT_FALSE(reply.answer(end(3)));
        EXPECT_FALSE(reply.fail(std::make_exception_ptr(std::runtime_error("no"))));
        replies.push_back(std::move(reply));
    });
    ScriptedGuest guest(async_ops());
    guest.add("main", {perform(0, {1}), perform(0, {2}), give_last()});
    EXPECT_EQ(world.run<int>(guest).value(), 1);
    EXPECT_FALSE(replies.at(0).answer(resume(4)));
    EXPECT_EQ(world.scheduler.counts().rejected_answers, 7u);
    EXPECT_EQ(guest.calls(), (Lines{"start main()", "resume 1", "resume 1"}));
}

TEST(Run, a_reply_that_is_dropped_fails_it) {
    EffectWorld world;
    world.handlers.on(Async::await, [](Reply, int) {});
    ScriptedGuest guest(async_ops());
    guest.add("main", {perform(0, {1}), give(1)});
    const RunOutcome<Value> outcome = world.run(guest);
    ASSERT_EQ(outcome.kind(), RunEndKind::failed);
    EXPECT_EQ(outcome.error().kind, ErrorKind::handler_failed);
}

TEST(Run, takes_an_answer_from_outside_in_a_tick_and_a_cancel_without_one) {
    // clause: V12
    EffectWorld world;
    std::vector<Reply> replies;
    world.handlers.on(Async::await, [&](Reply reply, int) { replies.push_back(std::move(reply)); });
    ScriptedGuest guest(async_ops());
    guest.add("main", {perform(0, {1}), perform(0, {2}), give(1)});
    auto run = world.scheduler.start(guest, world.handlers, "main");
    static_cast<void>(world.loop.run());
    ASSERT_EQ(replies.size(), 1u);
    EXPECT_EQ(world.scheduler.counts().steps, 1u);
    EXPECT_TRUE(replies.at(0).answer(resume(1)));
    // The answer is not applied, and the next handler is not called.
    EXPECT_EQ(guest.calls(), (Lines{"start main()"}));
    EXPECT_EQ(replies.size(), 1u);
    EXPECT_EQ(world.scheduler.counts().steps, 1u);
    static_cast<void>(world.loop.run());
    EXPECT_EQ(guest.calls(), (Lines{"start main()", "resume 1"}));
    EXPECT_EQ(replies.size(), 2u);
    EXPECT_EQ(world.scheduler.counts().steps, 2u);
    EXPECT_TRUE(run.cancel("enough"));
    EXPECT_TRUE(run.is_terminal());
    static_cast<void>(world.loop.run());
    EXPECT_EQ(world.scheduler.counts().steps, 2u);
}

TEST(Run, starts_queued_and_not_inside_the_call) {
    // clause: V12
    EffectWorld world;
    ScriptedGuest guest(async_ops());
    guest.add("main", {script::fail("at once")});
    auto run = world.scheduler.start(guest, world.handlers, "main");
    EXPECT_TRUE(guest.calls().empty());
    EXPECT_EQ(run.state(), RunState::ready);
    EXPECT_TRUE(run.cancel());  // before its first step, which then never runs
    static_cast<void>(world.loop.run());
    EXPECT_TRUE(guest.calls().empty());
    EXPECT_EQ(run.outcome().kind(), RunEndKind::cancelled);
}

}  // namespace
}  // namespace gyre::effect
