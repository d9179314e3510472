// SPDX-License-Identifier: Apache-2.0
// A module that never comes back, beside others on a real platform.
#include <gtest/gtest.h>

#include "gyre/app/run.hpp"
#include "lang/wasm/wasmtime/wasm_world.test.hpp"

namespace gyre::wasm {
namespace {

using namespace std::chrono_literals;

constexpr const char* loops = R"((module
    (func (export "main") (loop (br 0)))
    (func (export "count") (param i32) (result i32)
        (loop (local.set 0 (i32.sub (local.get 0) (i32.const 1))) (br_if 0 (local.get 0)))
        (i32.const 7))))";

TEST(PreemptedModule, goes_on_where_it_was_while_timers_and_other_runs_have_their_turn) {
    // clause: V36
    const auto program = Program::read(test_engine().compile(loops));
    WasmGuest guest(program);
    int ticks = 0;
    std::uint64_t preemptions = 0;
    const auto main = [&]() -> Future<void> {
        effect::Scheduler scheduler((co_await this_task()).executor());
        const effect::Handlers handlers;
        auto endless = scheduler.start(guest, handlers, "main");
        effect::Arguments many = effect::Arguments::of(300'000'000);
        auto counting = scheduler.start(guest, handlers, "count", std::move(many));
        for (; ticks < 20; ++ticks) co_await sleep(1ms);
        const effect::RunOutcome<Value> counted = co_await counting;
        EXPECT_EQ(counted.value(), Value(7));
        EXPECT_FALSE(endless.is_terminal());
        EXPECT_TRUE(endless.cancel("enough"));
        preemptions = scheduler.counts().preemptions;
        EXPECT_EQ(guest.instance_count(), 0u);
    };
    EXPECT_EQ(gyre::run(main), 0);
    EXPECT_EQ(ticks, 20);
    EXPECT_GT(preemptions, 20u);
}

TEST(PreemptedModule, ends_at_its_time_limit) {
    const auto program = Program::read(test_engine().compile(loops));
    WasmGuest guest(program, {.limits = {.time_max = 30ms}});
    const auto main = [&]() -> Future<void> {
        effect::Scheduler scheduler((co_await this_task()).executor());
        const effect::Handlers handlers;
        auto run = scheduler.start(guest, handlers, "main");
        const effect::RunOutcome<Value> outcome = co_await run;
        EXPECT_EQ(outcome.error().kind, ErrorKind::time_limit);
    };
    EXPECT_EQ(gyre::run(main), 0);
}

}  // namespace
}  // namespace gyre::wasm
