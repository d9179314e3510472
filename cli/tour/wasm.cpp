// SPDX-License-Identifier: Apache-2.0
// A WebAssembly module that asks its host, beside one that never ends: the first gets its answer by a
// timer of the loop, the second is stopped again and again, and then cancelled.
#include <string>

#include "cli/tour/asking_options.hpp"
#include "cli/tour/stage.hpp"
#include "gyre/effect/scheduler.hpp"
#include "lang/wasm/guest.hpp"
#include "lang/wasm/wasmtime/wasmtime.hpp"

namespace gyre::cli {
namespace {

using namespace std::chrono_literals;

// Asks its host for a number, and ends with twice the answer.
constexpr const char* asking_module = R"((module
    (import "tour" "ask" (func $ask (param i32) (result i32)))
    (func (export "main") (result i32) (i32.mul (call $ask (i32.const 5)) (i32.const 2)))))";
constexpr const char* endless_module = R"((module (func (export "main") (loop (br 0)))))";

}  // namespace

bool show_wasm(const Stage& stage) {
    stage.page.say(
        "A WebAssembly module calls its host: it stops, a handler answers after 20 ms, and it "
        "goes on. Beside it a module runs in an endless loop; the engine stops it every few "
        "milliseconds, so that the loop goes round.");
    const auto engine = wasm::make_wasmtime();
    wasm::WasmGuest first(wasm::Program::read(engine->compile(asking_module)), asking_options());
    wasm::WasmGuest second(wasm::Program::read(engine->compile(endless_module)));
    const auto platform = stage.make_platform();
    Executor executor;
    effect::Scheduler scheduler(executor);
    Loop loop(*platform, executor, stage.loop_options("wasm"));
    effect::Handlers handlers;
    handlers.on(
        "tour", "ask", effect::any_signature,
        [](effect::Context&, const effect::Arguments&) { return effect::tail(21).after(20ms); });
    auto never = scheduler.start(second, handlers, "main");
    auto asks = scheduler.start(first, handlers, "main");
    while (!asks.is_terminal()) loop.turn();
    const std::uint64_t stops = scheduler.counts().preemptions;
    const bool was_running = !never.is_terminal();
    const bool is_right = asks.outcome().has_value() && asks.outcome().value() == effect::Value(42);
    never.cancel("the tour goes on");
    while (scheduler.run_count() > 0) loop.turn();
    loop.close();
    stage.page.saw(std::string("The module ended with ") +
                   (is_right ? "42, twice its answer" : "something else") +
                   ". The endless one was stopped " + std::to_string(stops) +
                   " times meanwhile, and then cancelled.");
    return is_right && was_running && stops > 0;
}

}  // namespace gyre::cli
