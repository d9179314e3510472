// SPDX-License-Identifier: Apache-2.0
// Plugins: a WebAssembly module for each tenant, with limits of memory and time and the effects that it may perform.
//
//     $ build/release/bin/examples/55_wasm_plugins
//     fair: 84
//     curious: Unhandled effect Shop.price
//     endless: the guest is over its time limit
//     greedy: trap: unreachable in function 5 at offset 214
//     last: 84

#include <cstdio>

#include "gyre/app/run.hpp"
#include "gyre/effect/scheduler.hpp"
#include "lang/wasm/guest.hpp"
#include "lang/wasm/wasmtime/wasmtime.hpp"

using namespace gyre;

// A plugin asks for the price of an item, and goes on with the answer in memory, at $at.
std::string plugin(const std::string& then) {
    return R"((module (memory (export "memory") 1)
        (@custom "__voyd_effect_table" "\02\00\00\00\01\00\00\00\01\00\00\00\00\00\00\00\00\00\00\00)"
           R"(\00\00\00\00\00\00\00\00\07\00\00\00\05\00\00\00shop\00Shop.price\00")
        (data $ask "\86\a8effectId\01\a4opId\00\a7opIndex\00\aaresumeKind\00\a6handle\00\a4args\91\05")
        (func (export "effect_status") (param i31ref) (result i32) (i31.get_u (local.get 0)))
        (func (export "effect_len") (param i31ref) (result i32)
            (select (i32.const 53) (i32.const 1) (i31.get_u (local.get 0))))
        (func (export "effect_cont") (param i31ref) (result i31ref) (local.get 0))
        (func (export "main"))
        (func (export "main_effectful") (param $at i32) (param $size i32) (result i31ref)
            (memory.init $ask (local.get $at) (i32.const 0) (i32.const 53))
            (ref.i31 (i32.const 1)))
        (func (export "resume_effectful") (param i31ref) (param $at i32) (param i32 i32) (result i31ref))" +
           then + "(ref.i31 (i32.const 0))))";
}

// [tenant]
struct Tenant {
    const char* name;
    bool may_ask_prices;
    std::string text;
};

Future<void> run_tenant(wasm::Engine& engine, effect::Scheduler& scheduler, const Tenant& tenant) {
    wasm::GuestOptions options;
    options.limits = {.memory_max_bytes = 8u << 20u, .time_max = std::chrono::milliseconds(100)};
    wasm::WasmGuest guest(wasm::Program::read(engine.compile(tenant.text)), std::move(options));
    effect::Handlers allowed;
    if (tenant.may_ask_prices) {
        allowed.on("shop", "price", effect::any_signature,
                   [](effect::Context&, const effect::Arguments&) { return effect::resume(42); });
    }
    auto run = scheduler.start(guest, allowed, "main");
    const effect::RunOutcome<effect::Value> outcome = co_await run;
    std::printf(
        "%s: %s\n", tenant.name,
        outcome.has_value() ? outcome.value().to_text().c_str() : outcome.error().message.c_str());
}
// [/tenant]

Future<void> app() {
    const auto engine = wasm::make_wasmtime();
    Task& self = co_await this_task();
    effect::Scheduler scheduler(self.executor());
    const std::string doubles =
        "(i32.store8 (local.get $at) (i32.mul (i32.load8_u (local.get $at)) (i32.const 2)))";
    const std::string grows =
        "(loop (br_if 0 (i32.add (i32.const 1) (memory.grow (i32.const 9)))))";
    const Tenant tenants[] = {{"fair", true, plugin(doubles)},
                              {"curious", false, plugin(doubles)},
                              {"endless", true, plugin("(loop (br 0))")},
                              {"greedy", true, plugin(grows + "(unreachable)")},
                              {"last", true, plugin(doubles)}};
    for (const Tenant& tenant : tenants) co_await run_tenant(*engine, scheduler, tenant);
}

int main() {
    return gyre::run(app);
}
