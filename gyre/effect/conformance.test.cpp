// SPDX-License-Identifier: Apache-2.0
// The conformance scenarios of the Voyd specification by its names, and its trace, each on the
// virtual clock and twice: the second time must leave the same trace, byte for byte.
#include <gtest/gtest.h>

#include <stdexcept>

#include "gyre/effect/effect_world.test.hpp"
#include "gyre/effect/lying_guest.test.hpp"

namespace gyre::effect {
namespace {

using script::give;
using script::give_last;
using script::perform;

// The body in a world of its own, twice.
template <class Body>
void twice(Body body) {
    Lines first;
    for (int round = 0; round < 2; ++round) {
        EffectWorld world;
        body(world);
        Lines all = world.observer.lines;
        all.insert(all.end(), world.failures.begin(), world.failures.end());
        all.push_back(std::to_string(world.clock.peek().nanoseconds()));
        if (round == 0) first = all;
        EXPECT_EQ(all, first);
    }
}

TEST(Conformance, resume_step) {
    // clause: V30, V32
    twice([](EffectWorld& world) {
        world.handlers.on(Async::await, [](int n) { return resume(n + 1); });
        ScriptedGuest guest(async_ops());
        guest.add("main", {perform(0, {1}), give_last()});
        EXPECT_EQ(world.run<int>(guest).value(), 2);
        EXPECT_EQ(guest.calls(), (Lines{"start main()", "resume 2"}));
    });
}

TEST(Conformance, tail_step) {
    // clause: V30
    twice([](EffectWorld& world) {
        world.handlers.on(Async::now, [](int n) { return tail(n + 10); });
        ScriptedGuest guest(async_ops());
        guest.add("main", {perform(2, {1}), give_last()});
        EXPECT_EQ(world.run<int>(guest).value(), 11);
        EXPECT_EQ(guest.calls(), (Lines{"start main()", "resume 11"}));
    });
}

TEST(Conformance, resume_kind_violation) {
    // clause: V17, V30
    twice([](EffectWorld& world) {
        world.handlers.on(Async::await, [](int n) { return tail(n); });
        ScriptedGuest guest(async_ops());
        guest.add("main", {perform(0, {1}), give(1)});
        const RunOutcome<Value> outcome = world.run(guest);
        ASSERT_EQ(outcome.kind(), RunEndKind::failed);
        EXPECT_EQ(outcome.error().kind, ErrorKind::invalid_answer);
        EXPECT_EQ(guest.calls(), (Lines{"start main()", "release"}));
    });
}

TEST(Conformance, tail_kind_violation) {
    // clause: V17, V30
    for (const bool is_end : {false, true}) {
        twice([is_end](EffectWorld& world) {
            world.handlers.on(Async::now, [is_end](int n) { return is_end ? end(n) : resume(n); });
            ScriptedGuest guest(async_ops());
            guest.add("main", {perform(2, {1}), give(1)});
            const RunOutcome<Value> outcome = world.run(guest);
            ASSERT_EQ(outcome.kind(), RunEndKind::failed);
            EXPECT_EQ(outcome.error().kind, ErrorKind::invalid_answer);
            EXPECT_EQ(guest.calls(), (Lines{"start main()", "release"}));
        });
    }
}

TEST(Conformance, early_host_completion) {
    // clause: V09, V30
    twice([](EffectWorld& world) {
        world.handlers.on(Async::await, [](int n) { return end(n + 5); });
        ScriptedGuest guest(async_ops());
        guest.add("main", {perform(0, {1}), give(1)});
        EXPECT_EQ(world.run<int>(guest).value(), 6);
        EXPECT_EQ(guest.calls(), (Lines{"start main()", "end 6"}));
    });
}

TEST(Conformance, missing_capability) {
    // clause: V10, V29, V30
    twice([](EffectWorld& world) {
        int other_calls = 0;
        world.handlers.on(Async::other, [&](int n) {
            ++other_calls;
            return resume(n);
        });
        // The same op with another signature is another capability.
        world.handlers.on("com.example.async", "await", 12'345, [&](Context&, const Arguments&) {
            ++other_calls;
            return resume(0);
        });
        ScriptedGuest guest(async_ops());
        guest.add("main", {perform(0, {1}), give(1)});
        for (int i = 0; i < 3; ++i) {
            const RunOutcome<Value> outcome = world.run(guest);
            ASSERT_EQ(outcome.kind(), RunEndKind::failed);
            EXPECT_EQ(outcome.error().kind, ErrorKind::unhandled_effect);
            EXPECT_TRUE(
                outcome.error().message.starts_with("Unhandled effect com.example.async::await"))
                << outcome.error().message;
        }
        EXPECT_EQ(other_calls, 0);
        EXPECT_EQ(guest.held_count(), 0u);
    });
}

TEST(Conformance, async_handler_rejection) {
    // clause: V23, V30
    twice([](EffectWorld& world) {
        world.handlers.on(Async::await, [](int) -> Future<Answer> {
            co_await sleep(1ms);
            throw std::runtime_error("no such host");
        });
        ScriptedGuest guest(async_ops());
        guest.add("main", {perform(0, {1}), give(1)});
        const RunOutcome<Value> outcome = world.run(guest);
        ASSERT_EQ(outcome.kind(), RunEndKind::failed);
        EXPECT_EQ(outcome.error().kind, ErrorKind::handler_failed);
        EXPECT_EQ(outcome.error().message, "no such host");
        EXPECT_THROW(std::rethrow_exception(outcome.error().cause), std::runtime_error);
        EXPECT_EQ(guest.calls(), (Lines{"start main()", "release"}));
    });
}

TEST(Conformance, protocol_mismatch) {
    // clause: V24, V30
    twice([](EffectWorld& world) {
        LyingGuest guest(async_ops());
        guest.steps.emplace_back([](LyingGuest& self, TaskHost&) {
            Step step = self.request();
            step.status = static_cast<StepStatus>(9);
            return step;
        });
        const RunOutcome<Value> outcome = world.run(guest);
        ASSERT_EQ(outcome.kind(), RunEndKind::failed);
        EXPECT_EQ(outcome.error().kind, ErrorKind::invalid_status);
        EXPECT_EQ(guest.resumes, 0);
        EXPECT_TRUE(guest.held.empty());
    });
}

TEST(Conformance, explicit_cancellation) {
    // clause: V11, V19, V30
    twice([](EffectWorld& world) {
        Lines trace;
        world.handlers.on(Async::await, [&](Context& context, int n) -> Future<Answer> {
            const CancelToken token = context.token();
            try {
                co_await sleep(10ms);
            } catch (const Cancelled&) {
                trace.emplace_back(token.is_cancelled() ? "cancelled" : "not cancelled");
            }
            co_return resume(n);  // too late
        });
        ScriptedGuest guest(async_ops());
        guest.add("main", {perform(0, {1}), give(1)});
        auto run = world.scheduler.start(guest, world.handlers, "main");
        world.loop.turn();
        EXPECT_EQ(run.state(), RunState::waiting);
        world.scheduler.cancel(run.id(), "no longer wanted");
        // At once: its continuation is given back before anything else happens.
        ASSERT_TRUE(run.is_terminal());
        EXPECT_EQ(guest.held_count(), 0u);
        EXPECT_EQ(world.scheduler.run_count(), 0u);
        static_cast<void>(world.loop.run());
        const RunOutcome<Value> outcome = run.outcome();
        ASSERT_EQ(outcome.kind(), RunEndKind::cancelled);
        EXPECT_EQ(outcome.reason().why, "no longer wanted");
        EXPECT_EQ(trace, (Lines{"cancelled"}));
        EXPECT_EQ(guest.calls(), (Lines{"start main()", "release"}));
        EXPECT_EQ(world.scheduler.counts().late_completions, 1u);
    });
}

TEST(Conformance, fairness_pressure) {
    // clause: V08, V30
    Lines first;
    for (int round = 0; round < 2; ++round) {
        EffectWorld world({.steps_per_tick_max = 8});
        int long_steps = 0;
        int long_steps_at_short_end = 0;
        world.handlers.on(Async::await, [&](int n) {
            ++long_steps;
            return resume(n);
        });
        world.handlers.on(Async::other, [&](int n) {
            long_steps_at_short_end = long_steps;
            return resume(n);
        });
        ScriptedGuest guest(async_ops());
        guest.add("long", std::vector<script::Action>(100, perform(0, {1})));
        guest.add("short", {perform(1, {1}), perform(1, {2}), perform(1, {3}), give(1)});
        auto greedy = world.scheduler.start(guest, world.handlers, "long");
        auto modest = world.scheduler.start(guest, world.handlers, "short");
        static_cast<void>(world.loop.run());
        EXPECT_TRUE(greedy.outcome().has_value());
        EXPECT_TRUE(modest.outcome().has_value());
        EXPECT_EQ(long_steps, 100);
        EXPECT_EQ(long_steps_at_short_end, 3);  // one each in turn
        if (round == 0) first = world.observer.lines;
        EXPECT_EQ(world.observer.lines, first);
    }
}

TEST(Conformance, trace_example) {
    // clause: V15, V31
    twice([](EffectWorld& world) {
        Lines trace;
        world.handlers.on(Async::await, [&](int n) -> Future<Answer> {
            if (n == 1) {
                trace.emplace_back("h1:start");
                co_await sleep(5ms);
                trace.emplace_back("h1:end");
                co_return resume(2);
            }
            trace.emplace_back("h2:start");
            co_return resume(4);
        });
        ScriptedGuest guest(async_ops());
        guest.add("main", {perform(0, {1}), perform(0, {3}), give(40)});
        EXPECT_EQ(world.run<int>(guest).value(), 40);
        EXPECT_EQ(trace, (Lines{"h1:start", "h1:end", "h2:start"}));
        EXPECT_EQ(guest.calls(), (Lines{"start main()", "resume 2", "resume 4"}));
    });
}

}  // namespace
}  // namespace gyre::effect
