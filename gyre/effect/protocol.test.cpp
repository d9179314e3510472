// SPDX-License-Identifier: Apache-2.0
// A guest that breaks the protocol: each violation is an error of its own kind, and the guest is
// not resumed after it.
#include <gtest/gtest.h>

#include "gyre/effect/effect_world.test.hpp"
#include "gyre/effect/lying_guest.test.hpp"

namespace gyre::effect {
namespace {

using script::give;
using script::give_last;
using script::perform;

// Runs a guest whose first step is invalid; that must be found before any handler is called.
void expect_found(ErrorKind kind, const std::function<void(LyingGuest&, Step&)>& spoil) {
    EffectWorld world({.payload_size_max_bytes = 100, .payload_depth_max = 3});
    int asked = 0;
    for (const auto& op : {Async::await, Async::other}) {
        world.handlers.on(op, [&](int n) {
            ++asked;
            return resume(n);
        });
    }
    LyingGuest guest(async_ops());
    guest.steps.emplace_back([&](LyingGuest& self, TaskHost&) {
        Step step = self.request();
        spoil(self, step);
        return step;
    });
    const RunOutcome<Value> outcome = world.run(guest);
    ASSERT_EQ(outcome.kind(), RunEndKind::failed) << name_of(kind);
    EXPECT_EQ(outcome.error().kind, kind) << name_of(outcome.error().kind);
    EXPECT_FALSE(outcome.error().message.empty());
    EXPECT_EQ(asked, 0);
    EXPECT_EQ(guest.resumes, 0);
    EXPECT_TRUE(guest.held.empty());
    EXPECT_EQ(guest.taken_twice, 0);
    EXPECT_EQ(world.failures.size(), 1u);
}

TEST(Protocol, each_lie_of_a_guest_is_an_error_of_its_own_kind) {
    // clause: V24
    expect_found(ErrorKind::invalid_status,
                 [](LyingGuest&, Step& step) { step.status = static_cast<StepStatus>(200); });
    expect_found(ErrorKind::op_mismatch, [](LyingGuest&, Step& step) { step.op = nullptr; });
    expect_found(ErrorKind::op_mismatch,
                 [](LyingGuest&, Step& step) { step.op = &Async::await.info; });
    expect_found(ErrorKind::op_mismatch,
                 [](LyingGuest&, Step& step) { step.kind = ResumeKind::tail; });
    expect_found(ErrorKind::invalid_request, [](LyingGuest& self, Step& step) {
        self.held.clear();
        step.continuation = 0;
    });
    expect_found(ErrorKind::decode_failed, [](LyingGuest&, Step& step) { step.arguments = {}; });
    expect_found(ErrorKind::decode_failed,
                 [](LyingGuest&, Step& step) { step.arguments = {1, 2, 3}; });
    expect_found(ErrorKind::decode_failed,
                 [](LyingGuest&, Step& step) { step.arguments = {"one"}; });
    expect_found(ErrorKind::buffer_overflow,
                 [](LyingGuest&, Step& step) { step.arguments = {std::string(101, 'x')}; });
    expect_found(ErrorKind::buffer_overflow, [](LyingGuest&, Step& step) {
        Value nested = 1;
        for (int i = 0; i < 4; ++i) nested = Value(Value::List{nested});
        step.arguments = {nested};
    });
    expect_found(ErrorKind::buffer_overflow, [](LyingGuest&, Step& step) {
        step.status = StepStatus::value;
        step.value = Value(std::string(200, 'x'));
    });
    expect_found(ErrorKind::guest_failed, [](LyingGuest& self, Step& step) {
        self.release(step.continuation);
        throw std::runtime_error("unreachable executed");
    });
    expect_found(ErrorKind::stale_task, [](LyingGuest&, Step& step) {
        step.status = StepStatus::wait;
        step.capability = 7;
    });
}

TEST(Protocol, an_answer_that_does_not_fit_its_op_never_reaches_the_guest) {
    // clause: V24
    EffectWorld world({.payload_size_max_bytes = 100});
    world.handlers.on(
        "com.example.async", "await", Async::await.info.signature,
        [](Context&, const Arguments& arguments) {
            return resume(arguments[0] == Value(1) ? Value("text") : Value(std::string(200, 'x')));
        });
    CoroutineGuest guest;
    bool is_reached = false;
    guest.add("main", [&is_reached](int n) -> Effectful<int> {
        const int answer = co_await perform(Async::await, n);
        is_reached = true;
        co_return answer;
    });
    const RunOutcome<Value> encode = world.run(guest, "main", {1});
    ASSERT_EQ(encode.kind(), RunEndKind::failed);
    EXPECT_EQ(encode.error().kind, ErrorKind::encode_failed);
    const RunOutcome<Value> overflow = world.run(guest, "main", {2});
    ASSERT_EQ(overflow.kind(), RunEndKind::failed);
    EXPECT_EQ(overflow.error().kind, ErrorKind::buffer_overflow);
    EXPECT_FALSE(is_reached);
}

TEST(Protocol, an_answer_of_the_wrong_kind_is_an_error_of_its_own_and_never_reaches_the_guest) {
    // clause: V17, V24
    EffectWorld world;
    world.handlers.on(Async::await, [](int n) { return tail(n); });
    world.handlers.on(Async::now, [](int n) -> Future<Answer> {
        co_await sleep(1ms);
        co_return n == 1 ? resume(n) : end(n);
    });
    for (const std::size_t op : {0u, 2u}) {
        for (const int number : {1, 2}) {
            LyingGuest guest(async_ops());
            guest.steps.emplace_back([&](LyingGuest& self, TaskHost&) {
                Step step = self.request(op);
                step.arguments = {number};
                return step;
            });
            const RunOutcome<Value> outcome = world.run(guest);
            ASSERT_EQ(outcome.kind(), RunEndKind::failed);
            EXPECT_EQ(outcome.error().kind, ErrorKind::invalid_answer);
            EXPECT_EQ(guest.resumes + guest.ends, 0);
            EXPECT_EQ(guest.releases, 1);
        }
    }
}

TEST(Protocol, a_payload_of_the_size_of_the_limit_fits_and_one_byte_more_does_not) {
    // clause: V24
    constexpr std::size_t limit = 64;
    EffectWorld world({.payload_size_max_bytes = limit});
    world.handlers.on("com.example.async", "await", any_signature,
                      [](Context&, const Arguments& arguments) { return resume(arguments[0]); });
    ScriptedGuest guest(async_ops());
    const std::size_t head = Value(std::string()).size_bytes(limit, 1);
    for (const std::size_t size : {limit - head, limit - head + 1}) {
        guest.add("asks", {perform(0, {std::string(size, 'x')}), give_last()});
        guest.add("gives", {give(std::string(size, 'x'))});
        for (const char* entry : {"asks", "gives"}) {
            const RunOutcome<Value> outcome = world.run(guest, entry);
            ASSERT_EQ(outcome.has_value(), size + head == limit) << entry;
            if (outcome.has_value()) continue;
            EXPECT_EQ(outcome.error().kind, ErrorKind::buffer_overflow) << entry;
        }
    }
}

TEST(Protocol, a_value_of_another_type_than_was_asked_for_fails_the_run) {
    // clause: V24
    EffectWorld world;
    ScriptedGuest guest(async_ops());
    guest.add("main", {script::give("text")});
    const RunOutcome<int> outcome = world.run<int>(guest);
    ASSERT_EQ(outcome.kind(), RunEndKind::failed);
    EXPECT_EQ(outcome.error().kind, ErrorKind::decode_failed);
    EXPECT_EQ(world.run<std::string>(guest).value(), "text");
}

TEST(Protocol, nothing_of_that_name_to_start_is_an_error_of_its_own) {
    EffectWorld world;
    CoroutineGuest coroutines;
    coroutines.add("main", [](int n) -> Effectful<int> { co_return n; });
    EXPECT_EQ(world.run(coroutines, "none").error().kind, ErrorKind::unknown_export);
    EXPECT_EQ(world.run(coroutines, "main").error().kind, ErrorKind::decode_failed);
    EXPECT_EQ(world.run(coroutines, "main", {"one"}).error().kind, ErrorKind::decode_failed);
    EXPECT_EQ(world.run<int>(coroutines, "main", {1}).value(), 1);
}

TEST(Protocol, a_handler_that_ends_a_run_ends_it_once) {
    // clause: V09
    EffectWorld world;
    world.handlers.on(Async::await, [](int n) { return end(n); });
    LyingGuest guest(async_ops());
    guest.steps.emplace_back([](LyingGuest& self, TaskHost&) { return self.request(); });
    EXPECT_EQ(world.run(guest).value(), Value(1));
    EXPECT_EQ(guest.ends, 1);
    EXPECT_EQ(guest.resumes, 0);
    EXPECT_EQ(guest.taken_twice, 0);
}

}  // namespace
}  // namespace gyre::effect
