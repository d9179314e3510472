// SPDX-License-Identifier: Apache-2.0
// Imports that a handler answers: the guest waits inside of a call, and nothing else does.
#include <gtest/gtest.h>

#include <array>

#include "gyre/app/run.hpp"
#include "lang/wasm/wasmtime/wasm_world.test.hpp"

namespace gyre::wasm {
namespace {

using effect::tail;
using namespace std::chrono_literals;

// `main` asks ten times, each time with the answer before; its text is read by `ask` from the memory.
constexpr const char* asker = R"((module
    (import "host" "ask" (func $ask (param i32 i32) (result i32)))
    (memory (export "memory") 1) (data (i32.const 8) "hello")
    (func (export "main") (param $n i32) (result i32)
        (local $left i32) (local.set $left (i32.const 10))
        (loop
            (local.set $n (call $ask (i32.const 8) (local.get $n)))
            (local.set $left (i32.sub (local.get $left) (i32.const 1)))
            (br_if 0 (local.get $left)))
        (i32.add (local.get $n) (i32.load (i32.const 0))))
    (func (export "nothing") (result i32) (i32.const 7))))";

// Asks with the text and the number; the answer is the result, and the memory counts the answers.
HandledImport ask_import() {
    return {.module = "host",
            .name = "ask",
            .ask = [](Instance& instance, std::span<const Cell> given,
                      std::span<Cell> results) -> std::optional<Arguments> {
                static_cast<void>(instance.use_memory("memory"));
                if (given[1].i32 < 0) {
                    results[0] = cell(-1);
                    return std::nullopt;
                }
                const std::span<std::byte> memory = instance.memory();
                std::string text;
                if (!memory.empty()) {
                    text.assign(reinterpret_cast<const char*>(memory.data()) + given[0].i32, 5);
                }
                return Arguments::of(std::move(text), given[1].i32);
            },
            .take =
                [](Instance& instance, std::span<const Cell> /*given*/, const Value& answer,
                   std::span<Cell> results) {
                    if (!answer.is(Value::Kind::integer)) throw Failure("an answer of no number");
                    std::span<std::byte> memory = instance.memory();
                    if (!memory.empty()) memory[0] = std::byte(std::to_integer<int>(memory[0]) + 1);
                    results[0] = cell(static_cast<std::int32_t>(answer.integer()));
                }};
}

GuestOptions asking() {
    GuestOptions options;
    options.limits.is_preemptible = false;
    options.handled_imports.push_back(ask_import());
    return options;
}

struct AskingWorld : WasmWorld {
    explicit AskingWorld(std::string_view module = asker, GuestOptions options = asking())
        : WasmWorld(module, std::move(options)) {}
    void answer_after(Duration delay) {
        world.handlers.on("host", "ask", effect::any_signature,
                          [this, delay](effect::Context&, const Arguments& arguments) {
                              texts.push_back(arguments[0].text());
                              return tail(arguments[1].integer() + 1).after(delay);
                          });
    }
    Lines texts;
};

TEST(HandledImport, is_answered_while_other_runs_and_timers_go_on) {
    AskingWorld world;
    world.answer_after(5ms);
    auto asks = world.world.scheduler.start(world.guest, world.world.handlers, "main", {20});
    world.world.loop.turn();
    EXPECT_FALSE(asks.is_terminal());
    // It waits inside of a call; another run has a store of its own.
    auto beside = world.world.scheduler.start(world.guest, world.world.handlers, "nothing");
    world.world.loop.turn();
    EXPECT_EQ(beside.outcome().value(), Value(7));
    EXPECT_FALSE(asks.is_terminal());
    static_cast<void>(world.world.loop.run());
    EXPECT_EQ(asks.outcome().value(), Value(20 + 10 + 10));
    EXPECT_EQ(world.texts, Lines(10, "hello"));
    EXPECT_EQ(world.world.passed_ms(), 50);
    EXPECT_EQ(world.world.scheduler.counts().preemptions, 0u);
    EXPECT_EQ(world.guest.instance_count(), 0u);
}

TEST(HandledImport, may_give_its_results_without_asking) {
    AskingWorld world;
    EXPECT_EQ(world.run("main", {-1}).value(), Value(-1));
    EXPECT_TRUE(world.texts.empty());
}

TEST(HandledImport, is_named_as_an_effect_where_it_fails) {
    AskingWorld world;
    const auto unhandled = world.run("main", {1});
    EXPECT_EQ(unhandled.error().kind, ErrorKind::unhandled_effect);
    EXPECT_EQ(unhandled.error().message, "Unhandled effect host::ask");
    int calls = 0;
    world.world.handlers.on("host", "ask", effect::any_signature,
                            [&](effect::Context&, const Arguments&) -> effect::Answer {
                                if (++calls == 1) throw Failure("no answer");
                                if (calls == 2) return effect::end(1);
                                return tail("text");
                            });
    EXPECT_EQ(world.run("main", {1}).error().message, "no answer");
    EXPECT_EQ(world.run("main", {1}).error().kind, ErrorKind::invalid_answer);
    EXPECT_EQ(world.run("main", {1}).error().message, "an answer of no number");
    EXPECT_EQ(world.guest.instance_count(), 0u);
}

// Sets its flag when it goes.
struct Gone {
    bool& is_gone;
    ~Gone() { is_gone = true; }
};

TEST(HandledImport, of_a_cancelled_run_is_withdrawn) {
    for (const bool closes : {false, true}) {
        bool is_gone = false;
        {
            AskingWorld world;
            world.world.handlers.on("host", "ask", effect::any_signature,
                                    [&](effect::Context&, Arguments) -> Future<effect::Answer> {
                                        const Gone gone{is_gone};
                                        Event never;
                                        co_await never.wait();
                                        co_return tail(1);
                                    });
            auto run = world.world.scheduler.start(world.guest, world.world.handlers, "main", {1});
            world.world.loop.turn();
            EXPECT_FALSE(is_gone);
            EXPECT_EQ(world.guest.instance_count(), 1u);
            if (closes) continue;  // with the whole world
            EXPECT_TRUE(run.cancel("enough"));
            static_cast<void>(world.world.loop.run());
            EXPECT_TRUE(is_gone);
            EXPECT_EQ(world.guest.instance_count(), 0u);
        }
        EXPECT_TRUE(is_gone);
    }
}

TEST(HandledImport, may_be_called_by_the_start_function) {
    AskingWorld world(R"((module
        (import "host" "ask" (func $ask (param i32 i32) (result i32)))
        (memory (export "memory") 1)
        (global $n (mut i32) (i32.const 0))
        (func $begin (global.set $n (call $ask (i32.const 8) (i32.const 30)))) (start $begin)
        (func (export "main") (result i32) (global.get $n))))");
    world.answer_after(1ms);
    EXPECT_EQ(world.run("main").value(), Value(31));
    EXPECT_EQ(world.world.passed_ms(), 1);
}

TEST(HandledImport, keeps_others_out_of_a_shared_store) {
    GuestOptions options = asking();
    options.shares_store = true;
    AskingWorld world(asker, std::move(options));
    world.answer_after(5ms);
    auto asks = world.world.scheduler.start(world.guest, world.world.handlers, "main", {20});
    world.world.loop.turn();
    auto other = world.world.scheduler.start(world.guest, world.world.handlers, "nothing");
    static_cast<void>(world.world.loop.run());
    EXPECT_EQ(other.outcome().error().message,
              "the module waits inside of host::ask: no other task may enter its store");
    EXPECT_EQ(asks.outcome().value(), Value(40));
    EXPECT_EQ(world.run("nothing").value(), Value(7));
}

// Below the guest: a call that must be brief cannot wait.
TEST(HandledImport, is_refused_in_a_call_that_must_be_brief) {
    std::vector<HostImport> imports;
    int begun = 0;
    imports.push_back({.module = "host",
                       .name = "ask",
                       .function = [](Instance&, std::span<const Cell>,
                                      std::span<Cell> results) { results[0] = cell(3); },
                       .begin =
                           [&](Instance&, std::span<const Cell>, std::span<Cell>) {
                               ++begun;
                               return true;
                           }});
    const auto module = test_engine().compile(asker);
    const auto instance = module->make_instance({.is_preemptible = false}, std::move(imports));
    ASSERT_EQ(instance->begin(), Progress::done);
    const auto main = instance->find("main");
    EXPECT_THROW(static_cast<void>(instance->call(*main, std::array{cell(1)})),
                 effect::ProtocolError);
    EXPECT_EQ(begun, 0);
    EXPECT_EQ(instance->call(*instance->find("nothing"), {}).i32, 7);
    ASSERT_EQ(instance->begin_call(*main, std::array{cell(1)}), Progress::waiting);
    for (int i = 0; i < 9; ++i) ASSERT_EQ(instance->go_on(), Progress::waiting);
    ASSERT_EQ(instance->go_on(), Progress::done);
    EXPECT_EQ(instance->result(0).i32, 3);
    // A call that is abandoned where it waits leaves the instance to the next one.
    ASSERT_EQ(instance->begin_call(*main, std::array{cell(1)}), Progress::waiting);
    instance->abandon();
    EXPECT_EQ(instance->call(*instance->find("nothing"), {}).i32, 7);
}

TEST(Import, that_a_module_names_twice_is_one_function) {
    std::vector<HostImport> imports;
    imports.push_back(
        {"host", "number",
         [](Instance&, std::span<const Cell>, std::span<Cell> results) { results[0] = cell(4); }});
    const auto module = test_engine().compile(R"((module
        (import "host" "number" (func $first (result i32)))
        (import "host" "number" (func $second (result i32)))
        (func (export "main") (result i32) (i32.add (call $first) (call $second)))))");
    const auto instance = module->make_instance({.is_preemptible = false}, std::move(imports));
    ASSERT_EQ(instance->begin(), Progress::done);
    EXPECT_EQ(instance->call(*instance->find("main"), {}).i32, 8);
}

// On a real platform: an answer that comes late holds no timer up.
TEST(HandledImport, lets_timers_of_the_loop_run) {
    const auto program = Program::read(test_engine().compile(asker));
    WasmGuest guest(program, asking());
    int ticks = 0;
    const auto main = [&]() -> Future<void> {
        effect::Scheduler scheduler((co_await this_task()).executor());
        Event enough;
        effect::Handlers handlers;
        handlers.on("host", "ask", effect::any_signature,
                    [&](effect::Context&, Arguments arguments) -> Future<effect::Answer> {
                        co_await enough.wait();
                        co_return tail(arguments[1].integer() + 1);
                    });
        Arguments first = Arguments::of(20);
        auto run = scheduler.start(guest, handlers, "main", std::move(first));
        for (; ticks < 20; ++ticks) co_await sleep(1ms);
        EXPECT_FALSE(run.is_terminal());
        enough.set();
        const RunOutcome<Value> outcome = co_await run;
        EXPECT_EQ(outcome.value(), Value(40));
    };
    EXPECT_EQ(gyre::run(main), 0);
    EXPECT_EQ(ticks, 20);
}

}  // namespace
}  // namespace gyre::wasm
