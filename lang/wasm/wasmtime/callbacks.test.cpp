// SPDX-License-Identifier: Apache-2.0
// Callbacks that a module retains: called by their numbers, in the store that has them, and released.
#include <gtest/gtest.h>

#include "gyre/app/run.hpp"
#include "lang/wasm/wasmtime/wasm_world.test.hpp"

namespace gyre::wasm {
namespace {

using effect::resume;
using namespace std::chrono_literals;

struct CallbackWorld : WasmWorld {
    explicit CallbackWorld(GuestOptions options = {.shares_store = true})
        : WasmWorld(wasm_file("callbacks_b.wat"), std::move(options)) {
        world.handlers.on("e", "ask", effect::any_signature,
                          [](effect::Context&, const Arguments&) { return resume(2); });
    }
    std::int32_t retain(std::string_view function) {
        return static_cast<std::int32_t>(run(function).value().integer());
    }
    RunOutcome<Value> call(std::int32_t id, Arguments arguments = {2}) {
        return run(WasmGuest::callback_entry(id), std::move(arguments));
    }
};

TEST(ModuleCallbacks, are_called_by_their_numbers_until_they_are_released) {
    CallbackWorld world;
    const std::int32_t adds = world.retain("retains");
    const std::int32_t other = world.retain("retains");
    EXPECT_NE(adds, other);
    EXPECT_EQ(world.call(adds).value(), Value(42));
    EXPECT_EQ(world.call(adds, {3}).value(), Value(43));
    // The number of a call is in its frames: [2, 4, call, 0, [["f", 3]]], [2, 5, call, [0, ["f", 43]]].
    ASSERT_EQ(world.frames.size(), 4u);
    EXPECT_EQ(world.frames[2],
              "> 9502040200919"
              "2a16603");
    EXPECT_EQ(world.frames[3], "< 94020502920092a1662b");
    EXPECT_TRUE(world.guest.release_callback(adds));
    EXPECT_FALSE(world.guest.release_callback(adds));
    EXPECT_EQ(world.call(adds).error().message,
              "a retained callback is stale or has already completed");
    EXPECT_EQ(world.call(other).value(), Value(42));
    EXPECT_EQ(world.call(12345).error().kind, ErrorKind::unknown_export);
}

TEST(ModuleCallbacks, may_perform_effects_or_give_nothing) {
    CallbackWorld world;
    EXPECT_EQ(world.call(world.retain("retains_asking")).value(), Value(42));
    EXPECT_EQ(world.call(world.retain("retains_quiet"), {}).value(), Value());
}

TEST(ModuleCallbacks, are_checked_against_their_types) {
    CallbackWorld world;
    const std::int32_t adds = world.retain("retains");
    EXPECT_EQ(world.call(adds, {"text"}).error().message,
              "retained callback adds arg0 expected i32, got string");
    EXPECT_EQ(world.call(adds, {}).error().message,
              "retained callback adds expected 1 args, got 0");
    EXPECT_THROW(static_cast<void>(CallbackWorld().program->module().make_instance({}, {})),
                 CompileError);
    WasmWorld unknown(R"((module (type $box (struct (field i32)))
        (import "voyd.callback" "retain__x" (func (param (ref null $box)) (result i32)))
        (func (export "main"))))");
    EXPECT_NE(unknown.run().error().message.find("missing DTO metadata for retained callback x"),
              std::string::npos);
}

TEST(ModuleCallbacks, of_a_scope_go_with_it_and_at_the_latest_with_their_task) {
    CallbackWorld world;
    const std::int32_t kept = world.retain("scoped");
    EXPECT_EQ(world.call(kept).value(), Value(42));
    const std::int32_t gone = world.retain("leaves_scope_open");
    EXPECT_EQ(world.call(gone).error().kind, ErrorKind::unknown_export);
    EXPECT_NE(world.run("ends_wrong_scope").error().message.find("is not the innermost"),
              std::string::npos);
    EXPECT_NE(world.run("claims_outside").error().message.find("outside of any callback scope"),
              std::string::npos);
}

TEST(ModuleCallbacks, are_limited_in_number) {
    CallbackWorld world;
    const auto outcome = world.run("retains_many");
    EXPECT_EQ(outcome.error().kind, ErrorKind::memory_limit);
    EXPECT_NE(outcome.error().message.find("callback_count_max (10000)"), std::string::npos);
}

TEST(ModuleCallbacks, of_a_run_with_its_own_store_live_as_long_as_the_run) {
    CallbackWorld world(GuestOptions{});
    std::vector<effect::Reply> replies;
    effect::Handlers handlers;
    handlers.on("e", "ask", effect::any_signature,
                [&](effect::Context&, Arguments, effect::Reply reply) {
                    replies.push_back(std::move(reply));
                });
    auto run = world.world.scheduler.start(world.guest, handlers, "waits");
    world.world.loop.turn();
    ASSERT_EQ(replies.size(), 1u);
    // The module would tell its host the number by an effect; here it is in the value of the run.
    EXPECT_EQ(world.guest.instance_count(), 1u);
    auto again = world.world.scheduler.start(world.guest, handlers, "waits");
    world.world.loop.turn();
    EXPECT_EQ(world.guest.instance_count(), 2u);
    EXPECT_TRUE(replies[0].answer(resume(1)));
    static_cast<void>(world.world.loop.run());
    const auto id = static_cast<std::int32_t>(run.outcome().value().integer());
    EXPECT_EQ(world.call(id).error().kind, ErrorKind::unknown_export);  // gone with its run
    EXPECT_TRUE(again.cancel("enough"));
    EXPECT_EQ(world.guest.instance_count(), 0u);
}

// A callback is guest code as any other: its run has a limit of time, and the store is there for the next one.
TEST(ModuleCallbacks, that_never_end_are_ended_by_the_limit_of_their_run) {
    CallbackWorld world(
        {.limits = {.time_max = 20ms, .is_preemptible = false}, .shares_store = true});
    const std::int32_t adds = world.retain("retains");
    const std::int32_t spins = world.retain("retains_spinning");
    const std::int32_t asks_and_spins = world.retain("retains_asking_and_spinning");
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(world.call(spins, {}).error().kind, ErrorKind::time_limit);
        EXPECT_EQ(world.call(asks_and_spins, {}).error().kind, ErrorKind::time_limit);
        EXPECT_EQ(world.call(adds).value(), Value(42));
    }
    EXPECT_EQ(world.guest.run_count(), 0u);
}

TEST(ModuleCallbacks, that_never_end_are_ended_by_fuel) {
    const auto engine = make_wasmtime({.counts_fuel = true});
    const auto program = Program::read(engine->compile(wasm_file("callbacks_b.wat")));
    effect::EffectWorld world;
    WasmGuest guest(program,
                    {.limits = {.is_preemptible = false, .fuel_step = 1'000, .fuel_max = 100'000},
                     .shares_store = true});
    const auto id =
        static_cast<std::int32_t>(world.run(guest, "retains_spinning").value().integer());
    EXPECT_EQ(world.run(guest, WasmGuest::callback_entry(id)).error().kind, ErrorKind::time_limit);
    EXPECT_GT(world.scheduler.counts().preemptions, 50u);
    world.loop.close();
}

// On a real platform: others go on beside it, and a cancel ends it where it is.
TEST(ModuleCallbacks, that_never_end_are_preempted_and_can_be_cancelled) {
    // clause: V36
    const auto program = Program::read(test_engine().compile(wasm_file("callbacks_b.wat")));
    WasmGuest guest(program, {.shares_store = true});
    int ticks = 0;
    const auto main = [&]() -> Future<void> {
        effect::Scheduler scheduler((co_await this_task()).executor());
        effect::Handlers handlers;
        handlers.on("e", "ask", effect::any_signature,
                    [](effect::Context&, const Arguments&) { return resume(2); });
        for (const char* retains : {"retains_spinning", "retains_asking_and_spinning"}) {
            auto retained = scheduler.start(guest, handlers, retains);
            const RunOutcome<Value> number = co_await retained;
            const auto id = static_cast<std::int32_t>(number.value().integer());
            auto endless = scheduler.start(guest, handlers, WasmGuest::callback_entry(id));
            for (int i = 0; i < 5; ++i, ++ticks) co_await sleep(1ms);
            auto waits = scheduler.start(guest, handlers, "retains");
            for (int i = 0; i < 5; ++i, ++ticks) co_await sleep(1ms);
            EXPECT_FALSE(endless.is_terminal());
            EXPECT_FALSE(waits.is_terminal());  // the store is busy
            EXPECT_TRUE(guest.release_callback(id));
            EXPECT_TRUE(endless.cancel("enough"));
            const RunOutcome<Value> next = co_await waits;
            EXPECT_TRUE(next.has_value());
        }
    };
    EXPECT_EQ(gyre::run(main), 0);
    EXPECT_EQ(ticks, 20);
    EXPECT_EQ(guest.run_count(), 0u);
}

}  // namespace
}  // namespace gyre::wasm
