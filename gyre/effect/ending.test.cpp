// SPDX-License-Identifier: Apache-2.0
// How runs end: cancellation, failure, clean-ups, and the release of their resources.
#include <gtest/gtest.h>

#include <stdexcept>
#include <system_error>

#include "gyre/base/log.hpp"
#include "gyre/effect/effect_world.test.hpp"
#include "gyre/task/combine/shield.hpp"

namespace gyre::effect {
namespace {

using script::give;
using script::perform;

TEST(Ending, of_one_run_leaves_the_others_alone_and_comes_once) {
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

TEST(Ending, of_all_of_them_comes_where_that_is_asked) {
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

TEST(Ending, V20_of_all_of_them_passes_over_a_run_that_another_end_has_ended) {
    // clause: V20
    EffectWorld world;
    world.handlers.on(Async::await, [](int n) { return resume(n).after(1h); });
    ScriptedGuest guest(async_ops());
    guest.add("main", {perform(0, {1}), give(1)});
    auto first = world.scheduler.start(guest, world.handlers, "main");
    auto second = world.scheduler.start(guest, world.handlers, "main");
    // Whichever ends first takes the other one with it.
    first.on_closed([&] { second.cancel("with the first"); });
    second.on_closed([&] { first.cancel("with the second"); });
    world.loop.turn();
    world.scheduler.cancel_all("enough");
    EXPECT_EQ(first.outcome().kind(), RunEndKind::cancelled);
    EXPECT_EQ(second.outcome().kind(), RunEndKind::cancelled);
    EXPECT_EQ(world.scheduler.run_count(), 0u);
    static_cast<void>(world.loop.run());
}

TEST(Ending, by_a_handler_that_throws_takes_back_the_reply_that_it_kept) {
    // clause: V17
    EffectWorld world;
    std::vector<Reply> kept;
    world.handlers.on(Async::await, [&](Reply reply, int) {
        kept.push_back(std::move(reply));
        throw std::runtime_error("after it kept the reply");
    });
    ScriptedGuest guest(async_ops());
    guest.add("main", {perform(0, {1}), give(1)});
    const auto outcome = world.run(guest);
    ASSERT_EQ(outcome.kind(), RunEndKind::failed);
    EXPECT_EQ(outcome.error().kind, ErrorKind::handler_failed);
    ASSERT_EQ(kept.size(), 1u);
    EXPECT_FALSE(kept.front().answer(resume(1))) << "the exception was the answer";
    kept.clear();
}

TEST(Ending, gives_back_what_the_run_held_and_keeps_what_an_operation_still_uses) {
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

TEST(Ending, leaves_no_queue_with_the_run_in_it_and_nothing_of_what_it_began_with) {
    // clause: V19
    EffectWorld world;
    std::vector<Reply> replies;
    world.handlers.on(Async::await, [&](Reply reply, int) { replies.push_back(std::move(reply)); });
    ScriptedGuest guest(async_ops());
    guest.add("main", {perform(0, {1}), give(1)});
    // Before its first step: only the run and its outcome are kept, for its handle.
    const std::int64_t before = FramePool::live_count();
    {
        auto early =
            world.scheduler.start(guest, world.handlers, "main", {std::string(1'000, 'x'), 2, 3});
        EXPECT_TRUE(early.cancel("early"));
        EXPECT_EQ(FramePool::live_count(), before + 2);
        EXPECT_EQ(world.scheduler.run_count(), 0u);
    }
    EXPECT_EQ(FramePool::live_count(), before);
    static_cast<void>(world.loop.run());
    EXPECT_EQ(guest.calls(), Lines{});

    // With an answer that has arrived and is not applied yet.
    auto answered = world.scheduler.start(guest, world.handlers, "main");
    world.loop.turn();
    EXPECT_TRUE(replies.at(0).answer(resume(1)));
    EXPECT_TRUE(answered.cancel("in between"));
    EXPECT_EQ(guest.held_count(), 0u);
    EXPECT_EQ(world.scheduler.run_count(), 0u);
    static_cast<void>(world.loop.run());
    EXPECT_EQ(guest.calls(), (Lines{"start main()", "release"}));
    EXPECT_EQ(world.scheduler.counts().late_completions, 1u);

    // An answer after the end of the run is dropped.
    auto late = world.scheduler.start(guest, world.handlers, "main");
    world.loop.turn();
    EXPECT_TRUE(late.cancel("too soon"));
    EXPECT_FALSE(replies.at(1).answer(resume(1)));
    static_cast<void>(world.loop.run());
    EXPECT_EQ(guest.held_count(), 0u);
    EXPECT_EQ(world.scheduler.counts().late_completions, 2u);
    EXPECT_EQ(late.outcome().reason().why, "too soon");
}

TEST(Ending, withdraws_a_delayed_answer) {
    // clause: V19
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

TEST(Ending, runs_the_clean_ups_once_on_every_way_to_it) {
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

TEST(Ending, runs_a_clean_up_at_once_where_it_has_come) {
    // clause: V21
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

TEST(Ending, in_failure_has_the_reason_that_a_plain_handler_threw) {
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
    try {
        std::rethrow_exception(error.error().cause);
    } catch (const std::system_error& refusal) {
        EXPECT_TRUE(refusal.code() == std::errc::no_such_file_or_directory);
        EXPECT_EQ(error.error().message, refusal.what());
    }
}

TEST(Ending, in_failure_has_the_reason_of_a_reply_and_of_a_handler_that_gives_no_future) {
    // clause: V23
    EffectWorld world;
    world.handlers.on(Async::await, [](Reply reply, int) {
        reply.fail(std::make_exception_ptr(std::domain_error("not here")));
    });
    world.handlers.on(Async::other,
                      [](int) -> Future<Answer> { throw std::length_error("at once"); });
    ScriptedGuest guest(async_ops());
    guest.add("reply", {perform(0, {1}), give(1)}).add("future", {perform(1, {1}), give(1)});
    const RunOutcome<Value> reply = world.run(guest, "reply");
    ASSERT_EQ(reply.kind(), RunEndKind::failed);
    EXPECT_EQ(reply.error().kind, ErrorKind::handler_failed);
    EXPECT_EQ(reply.error().message, "not here");
    EXPECT_THROW(std::rethrow_exception(reply.error().cause), std::domain_error);
    const RunOutcome<Value> future = world.run(guest, "future");
    ASSERT_EQ(future.kind(), RunEndKind::failed);
    EXPECT_EQ(future.error().message, "at once");
    EXPECT_THROW(std::rethrow_exception(future.error().cause), std::length_error);
    EXPECT_EQ(guest.held_count(), 0u);
}

TEST(Ending, in_failure_is_followed_by_no_resume_and_no_other_handler) {
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

TEST(Ending, of_a_handler_in_failure_is_logged_only_where_its_run_is_over) {
    static Lines lines;
    lines.clear();
    set_log_sink([](LogLevel, std::string_view line) { lines.emplace_back(line); });
    {
        EffectWorld world;
        world.handlers.on(Async::await, [](int) -> Future<Answer> {
            try {
                co_await sleep(1ms);
            } catch (const Cancelled&) {  // Its clean-up fails like the rest of it.
            }
            throw std::runtime_error("refused");
        });
        ScriptedGuest guest(async_ops());
        guest.add("main", {perform(0, {1}), give(1)});
        EXPECT_EQ(world.run(guest).error().message, "refused");
        EXPECT_EQ(lines, Lines());

        auto over = world.scheduler.start(guest, world.handlers, "main");
        world.loop.turn();
        over.cancel("enough");
        static_cast<void>(world.loop.run());
    }
    set_log_sink(nullptr);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_NE(lines[0].find("which nothing else tells: refused"), std::string::npos);
}

TEST(Ending, in_failure_reaches_the_sink_which_cannot_change_it) {
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

TEST(Ending, in_failure_of_every_kind_is_told_to_the_sink_and_no_other_end_is) {
    // clause: V26
    EffectWorld world;
    world.handlers.on(Async::await, [](int n) -> Answer {
        if (n == 1) throw std::runtime_error("refused");
        return n == 2 ? tail(n) : resume(n).after(1h);
    });
    ScriptedGuest guest(async_ops());
    guest.add("handler", {perform(0, {1})}).add("answer", {perform(0, {2})});
    guest.add("unhandled", {perform(1, {1})}).add("guest", {script::fail("broken")});
    guest.add("fine", {give(1)}).add("cancelled", {perform(0, {3})});
    for (const char* entry : {"handler", "answer", "unhandled", "guest", "fine"}) {
        static_cast<void>(world.run(guest, entry));
    }
    auto run = world.scheduler.start(guest, world.handlers, "cancelled");
    world.loop.turn();
    run.cancel("enough");
    ASSERT_EQ(world.failures.size(), 4u);
    EXPECT_EQ(world.failures[0], "run 1 handler_failed: refused");
    EXPECT_TRUE(world.failures[1].starts_with("run 2 invalid_answer: "));
    EXPECT_TRUE(world.failures[2].starts_with("run 3 unhandled_effect: "));
    EXPECT_EQ(world.failures[3], "run 4 guest_failed: broken");
}

TEST(Ending, may_come_from_a_handler_of_the_run_which_starts_another) {
    // clause: V02
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

TEST(Ending, comes_when_the_loop_closes) {
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
