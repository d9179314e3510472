// SPDX-License-Identifier: Apache-2.0
// What a run is: one outcome, one step at a time, one answer a request, and what becomes of the
// rest.
#include "gyre/effect/run.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "gyre/effect/effect_world.test.hpp"
#include "gyre/effect/lying_guest.test.hpp"
#include "gyre/task/shield.hpp"

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

    // Whatever comes later changes nothing.
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
        return world.executor.root().spawn(Calls::make(world, guest, entry, lines));
    };
    auto fails = spawn("fails");
    auto waits = spawn("waits");
    world.loop.turn();
    world.scheduler.cancel_all("enough");
    static_cast<void>(world.loop.run());
    auto gives = spawn("waits");
    static_cast<void>(world.loop.run());
    EXPECT_EQ(lines, (Lines{"failed refused", "cancelled enough", "value 7"}));
}

TEST(Run, a_call_whose_task_is_cancelled_cancels_its_run) {
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

TEST(Run, goes_on_only_when_its_handler_has_answered) {
    // clause: V06, V33
    EffectWorld world;
    std::vector<Reply> replies;
    Event happened;
    world.handlers.on(Async::await, [&](Reply reply, int) { replies.push_back(std::move(reply)); });
    ScriptedGuest guest(async_ops());
    guest.add("main", {perform(0, {1}), give_last()});
    std::vector<RunHandle<int>> runs;
    for (int i = 0; i < 3; ++i) {
        runs.push_back(world.scheduler.start<int>(guest, world.handlers, "main"));
    }
    static_cast<void>(world.loop.run());
    happened.set();  // Something happened outside; nobody has answered.
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

TEST(Run, starts_queued_and_not_inside_the_call) {
    // clause: V12
    EffectWorld world;
    ScriptedGuest guest(async_ops());
    guest.add("main", {script::fail("at once")});
    auto run = world.scheduler.start(guest, world.handlers, "main");
    EXPECT_TRUE(guest.calls().empty());
    EXPECT_EQ(run.state(), RunState::ready);
    EXPECT_TRUE(run.cancel());  // before its first step: nothing of it ever runs
    static_cast<void>(world.loop.run());
    EXPECT_TRUE(guest.calls().empty());
    EXPECT_EQ(run.outcome().kind(), RunEndKind::cancelled);
}

TEST(Run, cancelling_one_leaves_the_others_alone_and_again_does_nothing) {
    // clause: V20
    EffectWorld world;
    world.handlers.on(Async::await, [](int n) -> Future<Answer> {
        co_await sleep(1ms);
        co_return resume(n);
    });
    ScriptedGuest guest(async_ops());
    guest.add("main", {perform(0, {1}), give(1)});
    auto first = world.scheduler.start(guest, world.handlers, "main");
    auto second = world.scheduler.start(guest, world.handlers, "main");
    world.loop.turn();
    for (int i = 0; i < 3; ++i) world.scheduler.cancel(first.id(), "once");
    world.scheduler.cancel(0);
    world.scheduler.cancel(~RunId{0});
    const RunId old = first.id();
    static_cast<void>(world.loop.run());
    EXPECT_EQ(first.outcome().kind(), RunEndKind::cancelled);
    EXPECT_EQ(second.outcome().kind(), RunEndKind::value);
    // A name is never used again: it reaches no later run in the same place.
    auto third = world.scheduler.start(guest, world.handlers, "main");
    auto fourth = world.scheduler.start(guest, world.handlers, "main");
    world.scheduler.cancel(old);
    static_cast<void>(world.loop.run());
    EXPECT_EQ(third.outcome().kind(), RunEndKind::value);
    EXPECT_EQ(fourth.outcome().kind(), RunEndKind::value);
}

TEST(Run, all_of_them_are_cancelled_where_that_is_asked) {
    // clause: V20
    EffectWorld world;
    std::vector<Reply> replies;
    world.handlers.on(Async::await, [&](Reply reply, int) { replies.push_back(std::move(reply)); });
    ScriptedGuest guest(async_ops());
    guest.add("main", {perform(0, {1}), give(1)});
    auto first = world.scheduler.start(guest, world.handlers, "main");
    auto second = world.scheduler.start(guest, world.handlers, "main");
    auto task = world.executor.root().spawn([&]() -> Future<void> {
        co_await sleep(1ms);
        world.scheduler.cancel_all("enough");
    });
    task.set_name("the one who has enough");
    static_cast<void>(world.loop.run());
    for (const auto* run : {&first, &second}) {
        ASSERT_TRUE(run->is_terminal());
        EXPECT_EQ(run->outcome().reason().why, "enough");
        EXPECT_EQ(run->outcome().reason().who, "the one who has enough");
    }
}

TEST(Run, gives_back_what_it_held_and_keeps_what_an_operation_still_uses) {
    // clause: V19
    EffectWorld world;
    bool is_handler_gone = false;
    struct Buffer {
        bool* is_gone;
        ~Buffer() { *is_gone = true; }
    };
    world.handlers.on(Async::await, [&](int n) -> Future<Answer> {
        const Buffer buffer{&is_handler_gone};
        struct Slow {
            static Future<void> close() { co_await sleep(3ms); }
        };
        co_await shield(Slow::close());  // an operation that has the buffer until it returns
        co_return resume(n);
    });
    ScriptedGuest guest(async_ops());
    guest.add("main", {perform(0, {1}), give(1)});
    auto run = world.scheduler.start(guest, world.handlers, "main");
    world.loop.turn();
    run.cancel();
    EXPECT_EQ(guest.held_count(), 0u);
    EXPECT_FALSE(is_handler_gone);
    static_cast<void>(world.loop.run());
    EXPECT_TRUE(is_handler_gone);
    EXPECT_EQ(world.passed_ms(), 3);
    EXPECT_EQ(guest.calls(), (Lines{"start main()", "release"}));
}

TEST(Run, a_delayed_answer_of_a_cancelled_run_is_withdrawn) {
    EffectWorld world;
    world.handlers.on(Async::await, [](int n) { return resume(n).after(1h); });
    ScriptedGuest guest(async_ops());
    guest.add("main", {perform(0, {1}), give(1)});
    auto run = world.scheduler.start(guest, world.handlers, "main");
    world.loop.turn();
    run.cancel();
    static_cast<void>(world.loop.run());
    EXPECT_EQ(world.passed_ms(), 0);
    EXPECT_EQ(world.scheduler.counts().late_completions, 1u);
}

TEST(Run, runs_its_clean_ups_once_on_every_way_to_its_end) {
    // clause: V21
    EffectWorld world;
    Lines lines;
    world.handlers.on(Async::await, [&](Context& context, int n) -> Answer {
        context.on_end([&lines] { lines.emplace_back("first"); });
        context.on_end([] { throw std::runtime_error("clean-up"); });
        context.on_end([&lines] { lines.emplace_back("last"); });
        if (n == 2) throw std::runtime_error("refused");
        if (n == 3) return resume(n).after(1h);
        return n == 4 ? end(n) : resume(n);
    });
    ScriptedGuest guest(async_ops());
    for (int n = 1; n < 5; ++n) guest.add(std::to_string(n), {perform(0, {n}), give(n)});
    const Lines wanted = {"last", "first"};
    for (const auto& [entry, end] : {std::pair("1", RunEndKind::value),
                                     {"2", RunEndKind::failed},
                                     {"3", RunEndKind::cancelled},
                                     {"4", RunEndKind::value}}) {
        lines.clear();
        auto run = world.scheduler.start(guest, world.handlers, entry);
        world.loop.turn();
        if (end == RunEndKind::cancelled) {
            run.cancel();
            run.cancel();
        }
        static_cast<void>(world.loop.run());
        EXPECT_EQ(run.outcome().kind(), end) << entry;
        EXPECT_EQ(lines, wanted) << entry;
    }
}

TEST(Run, runs_a_clean_up_at_once_where_it_is_over) {
    EffectWorld world;
    Lines lines;
    world.handlers.on(Async::await, [&](Context& context, int n) -> Future<Answer> {
        try {
            co_await sleep(1s);
        } catch (const Cancelled&) {
            context.on_end([&lines] { lines.emplace_back("clean"); });
            lines.emplace_back("registered");
        }
        co_return resume(n);
    });
    ScriptedGuest guest(async_ops());
    guest.add("main", {perform(0, {1}), give(1)});
    auto run = world.scheduler.start(guest, world.handlers, "main");
    world.loop.turn();
    run.cancel();
    static_cast<void>(world.loop.run());
    EXPECT_EQ(lines, (Lines{"clean", "registered"}));
}

TEST(Run, a_plain_handler_that_throws_fails_it_with_that_reason) {
    // clause: V23
    EffectWorld world;
    world.handlers.on(Async::await, [](int) -> Answer { throw std::out_of_range("too far"); });
    world.handlers.on(Async::other, [](int) -> Future<int> {
        co_await gyre::fail(Error(std::errc::no_such_file_or_directory));
        co_return 0;
    });
    ScriptedGuest guest(async_ops());
    guest.add("throws", {perform(0, {1}), give(1)}).add("errs", {perform(1, {1}), give(1)});
    const RunOutcome<Value> thrown = world.run(guest, "throws");
    ASSERT_EQ(thrown.kind(), RunEndKind::failed);
    EXPECT_EQ(thrown.error().kind, ErrorKind::handler_failed);
    EXPECT_EQ(thrown.error().message, "too far");
    EXPECT_THROW(std::rethrow_exception(thrown.error().cause), std::out_of_range);
    const RunOutcome<Value> error = world.run(guest, "errs");
    ASSERT_EQ(error.kind(), RunEndKind::failed);
    EXPECT_EQ(error.error().kind, ErrorKind::handler_failed);
}

TEST(Run, that_failed_is_never_resumed_and_asks_nobody_else) {
    // clause: V25
    EffectWorld world;
    int calls = 0;
    std::vector<Reply> replies;
    world.handlers.on(Async::await, [&](Reply reply, int) {
        ++calls;
        replies.push_back(std::move(reply));
    });
    world.handlers.on("com.example.async", "await", any_signature, [&](Context&, const Arguments&) {
        ADD_FAILURE() << "a fallback was asked";
        return resume(0);
    });
    ScriptedGuest guest(async_ops());
    guest.add("main", {perform(0, {1}), perform(0, {2}), give(1)});
    auto run = world.scheduler.start(guest, world.handlers, "main");
    static_cast<void>(world.loop.run());
    EXPECT_TRUE(replies.at(0).fail(std::make_exception_ptr(std::runtime_error("no"))));
    static_cast<void>(world.loop.run());
    EXPECT_EQ(run.outcome().kind(), RunEndKind::failed);
    EXPECT_FALSE(replies.at(0).answer(resume(1)));
    static_cast<void>(world.loop.run());
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(guest.calls(), (Lines{"start main()", "release"}));
}

TEST(Run, failures_reach_the_sink_which_cannot_change_them) {
    // clause: V26
    Lines told;
    Scheduler* scheduler = nullptr;
    SchedulerOptions options;
    options.failure_sink = [&](RunId id, const RunError& error) {
        told.push_back(error.message);
        scheduler->cancel(id, "by the sink");
        throw std::runtime_error("the sink is full");
    };
    EffectWorld world(std::move(options));
    scheduler = &world.scheduler;
    ScriptedGuest guest(async_ops());
    guest.add("main", {script::fail("broken")}).add("fine", {give(1)});
    const RunOutcome<Value> outcome = world.run(guest);
    ASSERT_EQ(outcome.kind(), RunEndKind::failed);
    EXPECT_EQ(outcome.error().message, "broken");
    EXPECT_TRUE(world.run(guest, "fine").has_value());
    EXPECT_EQ(told, (Lines{"broken"}));
}

TEST(Run, a_handler_may_cancel_its_own_run_and_start_another) {
    EffectWorld world;
    ScriptedGuest guest(async_ops());
    guest.add("main", {perform(0, {1}), give(1)}).add("other", {give(2)});
    std::optional<RunHandle<int>> other;
    world.handlers.on(Async::await, [&](Context& context, int n) {
        world.scheduler.cancel(context.run_id(), "by its handler");
        other.emplace(world.scheduler.start<int>(guest, world.handlers, "other"));
        return resume(n);
    });
    const RunOutcome<Value> outcome = world.run(guest);
    EXPECT_EQ(outcome.kind(), RunEndKind::cancelled);
    EXPECT_EQ(other->outcome().value(), 2);
    EXPECT_EQ(guest.held_count(), 0u);
}

TEST(Run, ends_when_its_loop_closes) {
    ScriptedGuest guest(async_ops());
    guest.add("main", {perform(0, {1}), give(1)});
    std::optional<RunHandle<Value>> run;
    std::vector<Reply> replies;
    EffectWorld world;
    world.handlers.on(Async::await, [&](Reply reply, int) { replies.push_back(std::move(reply)); });
    run.emplace(world.scheduler.start(guest, world.handlers, "main"));
    world.loop.turn();
    world.loop.close();
    EXPECT_EQ(run->outcome().kind(), RunEndKind::cancelled);
    EXPECT_EQ(guest.held_count(), 0u);
    EXPECT_FALSE(replies.at(0).answer(resume(1)));
    replies.clear();
    run.reset();
}

}  // namespace
}  // namespace gyre::effect
