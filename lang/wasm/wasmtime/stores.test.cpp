// SPDX-License-Identifier: Apache-2.0
// A store for each run, or one for all; and fuel, which stops a guest at the same place in every run of a program.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "gyre/app/run.hpp"
#include "lang/wasm/wasmtime/wasm_world.test.hpp"

namespace gyre::wasm {
namespace {

using effect::resume;
using namespace std::chrono_literals;

constexpr const char* counter = R"((module
    (global $n (mut i32) (i32.const 0))
    (func (export "count") (result i32)
        (global.set $n (i32.add (global.get $n) (i32.const 1))) (global.get $n))
    (func (export "spin") (param i32) (result i32)
        (loop (local.set 0 (i32.sub (local.get 0) (i32.const 1))) (br_if 0 (local.get 0)))
        (global.get $n))
    (func (export "forever") (loop (br 0)))))";

TEST(Stores, of_runs_are_their_own_unless_they_are_shared) {
    WasmWorld own(counter);
    EXPECT_EQ(own.run("count").value(), Value(1));
    EXPECT_EQ(own.run("count").value(), Value(1));
    EXPECT_EQ(own.guest.instance_count(), 0u);
    WasmWorld shared(counter, {.shares_store = true});
    EXPECT_EQ(shared.run("count").value(), Value(1));
    EXPECT_EQ(shared.run("count").value(), Value(2));
    EXPECT_EQ(shared.guest.instance_count(), 1u);
    EXPECT_EQ(shared.guest.run_count(), 0u);
}

TEST(Stores, that_are_shared_serve_many_waiting_runs) {
    // clause: V07
    WasmWorld world(wasm_file("resume_b.wat"), {.shares_store = true});
    world.world.handlers.on("com.example.async", "await", effect::any_signature,
                            [](effect::Context&, const Arguments& arguments) {
                                return resume(arguments[0].integer() + 1).after(5ms);
                            });
    std::vector<effect::RunHandle<Value>> runs;
    // They wait without a buffer each: 3,000 would not fit into the memory of the store.
    for (int i = 0; i < 3'000; ++i) {
        runs.push_back(world.world.scheduler.start(world.guest, world.world.handlers, "main"));
    }
    for (int i = 0; i < 4; ++i) world.world.loop.turn();
    EXPECT_EQ(world.guest.instance_count(), 1u);
    EXPECT_TRUE(runs[7].cancel("one of them"));
    static_cast<void>(world.world.loop.run());
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (i == 7) continue;
        EXPECT_EQ(runs[i].outcome().value(), Value(40));
    }
}

TEST(Stores, that_could_not_be_made_are_not_kept) {
    WasmWorld world(R"((module (memory 100) (func (export "main"))))",
                    {.limits = {.memory_max_bytes = 65'536}, .shares_store = true});
    EXPECT_EQ(world.run().error().kind, ErrorKind::memory_limit);
    EXPECT_EQ(world.run().error().kind, ErrorKind::memory_limit);
    EXPECT_EQ(world.guest.instance_count(), 0u);
}

TEST(Stores, that_are_shared_go_on_after_a_trap_and_a_time_limit_of_a_run) {
    WasmWorld world(counter,
                    {.limits = {.time_max = 300ms, .is_preemptible = false}, .shares_store = true});
    EXPECT_EQ(world.run("count").value(), Value(1));
    EXPECT_EQ(world.run("forever").error().kind, ErrorKind::time_limit);
    EXPECT_EQ(world.run("forever").error().kind, ErrorKind::time_limit);
    EXPECT_EQ(world.run("count").value(), Value(2));  // its time is its own
}

// On a real platform: runs of one store wait while another one is preempted inside of it.
TEST(Stores, that_are_shared_let_one_run_in_at_a_time) {
    // clause: V36
    const auto program = Program::read(test_engine().compile(counter));
    WasmGuest guest(program, {.shares_store = true});
    const auto main = [&]() -> Future<void> {
        effect::Scheduler scheduler((co_await this_task()).executor());
        const effect::Handlers handlers;
        effect::Arguments many = effect::Arguments::of(100'000'000);
        auto spinning = scheduler.start(guest, handlers, "spin", std::move(many));
        auto counting = scheduler.start(guest, handlers, "count");
        const effect::RunOutcome<Value> spun = co_await spinning;
        const effect::RunOutcome<Value> counted = co_await counting;
        EXPECT_EQ(spun.value(), Value(0));  // nobody was inside meanwhile
        EXPECT_EQ(counted.value(), Value(1));
        EXPECT_GT(scheduler.counts().preemptions, 2u);
        // A run that is cancelled inside of the store leaves it to the others.
        auto endless = scheduler.start(guest, handlers, "forever");
        auto waiting = scheduler.start(guest, handlers, "count");
        co_await sleep(20ms);
        EXPECT_FALSE(waiting.is_terminal());
        EXPECT_TRUE(endless.cancel("enough"));
        const effect::RunOutcome<Value> second = co_await waiting;
        EXPECT_EQ(second.value(), Value(2));
    };
    EXPECT_EQ(gyre::run(main), 0);
    EXPECT_EQ(guest.instance_count(), 1u);
}

Engine& fuel_engine() {
    static const std::unique_ptr<Engine> engine = make_wasmtime({.counts_fuel = true});
    return *engine;
}

// Two runs that compute, wait and compute again, in virtual time.
Lines lines_with_fuel(std::uint64_t fuel_step) {
    const auto program = Program::read(fuel_engine().compile(counter));
    effect::EffectWorld world;
    WasmGuest guest(program, {.limits = {.is_preemptible = false, .fuel_step = fuel_step}});
    const auto first = world.scheduler.start(guest, world.handlers, "spin", {20'000});
    const auto second = world.scheduler.start(guest, world.handlers, "spin", {5'000});
    static_cast<void>(world.loop.run());
    EXPECT_EQ(first.outcome().value(), Value(0));
    EXPECT_EQ(second.outcome().value(), Value(0));
    Lines lines = world.observer.lines;
    lines.push_back(std::to_string(world.scheduler.counts().preemptions));
    world.loop.close();
    return lines;
}

TEST(Fuel, stops_a_guest_at_the_same_places_in_every_run) {
    const bool is_long = std::getenv("GYRE_TEST_LONG") != nullptr;
    const Lines first = lines_with_fuel(10'000);
    EXPECT_GT(std::stoi(first.back()), 5);
    EXPECT_EQ(lines_with_fuel(0).back(), "0");
    for (int i = 0; i < (is_long ? 200 : 10); ++i) EXPECT_EQ(lines_with_fuel(10'000), first);
    EXPECT_NE(lines_with_fuel(3'000).back(), first.back());
}

// Fills its heap with garbage many times over.
constexpr const char* litterer = R"((module
    (type $node (struct (field (mut (ref null $node))) (field i64) (field i64)))
    (global $kept (mut (ref null $node)) (ref.null $node))
    (func (export "main") (param i32) (result i32)
        (loop
            (global.set $kept (struct.new $node
                (if (result (ref null $node)) (i32.and (local.get 0) (i32.const 1023))
                    (then (global.get $kept)) (else (ref.null $node)))
                (i64.const 1) (i64.const 2)))
            (local.set 0 (i32.sub (local.get 0) (i32.const 1)))
            (br_if 0 (local.get 0)))
        (i32.const 5))))";

std::uint64_t preemptions_of_litterer(WasmtimeOptions engine_options, InstanceLimits limits) {
    const auto engine = make_wasmtime(engine_options);
    const auto program = Program::read(engine->compile(litterer));
    effect::EffectWorld world;
    limits.is_preemptible = false;
    WasmGuest guest(program, {.limits = limits});
    EXPECT_EQ(world.run(guest, "main", {200'000}).value(), Value(5));
    const std::uint64_t count = world.scheduler.counts().preemptions;
    world.loop.close();
    return count;
}

TEST(Collection, of_the_heap_is_no_preemption) {
    constexpr std::size_t small = std::size_t{64} << 10u;
    constexpr std::size_t large = std::size_t{64} << 20u;
    EXPECT_EQ(preemptions_of_litterer({.gc_heap_size_bytes = small}, {}), 0u);
    // With fuel the guest is stopped for its fuel alone, also where its heap is collected often.
    const auto with_fuel = [](std::size_t heap) {
        return preemptions_of_litterer({.gc_heap_size_bytes = heap, .counts_fuel = true},
                                       {.fuel_step = 50'000});
    };
    EXPECT_GT(with_fuel(large), 10u);
    EXPECT_EQ(with_fuel(small), with_fuel(large));
}

TEST(Fuel, stops_the_calls_of_the_protocol_too) {
    const auto program = Program::read(fuel_engine().compile(wasm_file("resume_b.wat")));
    effect::EffectWorld world;
    world.handlers.on("com.example.async", "await", effect::any_signature,
                      [](effect::Context&, const Arguments& arguments) {
                          return resume(arguments[0].integer() + 1);
                      });
    WasmGuest guest(program, {.limits = {.is_preemptible = false, .fuel_step = 10}});
    EXPECT_EQ(world.run(guest, "main").value(), Value(40));
    EXPECT_GT(world.scheduler.counts().preemptions, 2u);
    world.loop.close();
}

TEST(Fuel, that_is_used_up_ends_a_run) {
    const auto program = Program::read(fuel_engine().compile(counter));
    effect::EffectWorld world;
    WasmGuest guest(program,
                    {.limits = {.is_preemptible = false, .fuel_step = 1'000, .fuel_max = 50'000}});
    EXPECT_EQ(world.run(guest, "forever").error().kind, ErrorKind::time_limit);
    EXPECT_EQ(world.run(guest, "spin", {100}).value(), Value(0));
    EXPECT_EQ(world.run(guest, "spin", {100'000}).error().kind, ErrorKind::time_limit);
    world.loop.close();
}

}  // namespace
}  // namespace gyre::wasm
