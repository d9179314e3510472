// SPDX-License-Identifier: Apache-2.0
// The scenarios of effects through an engine, and the same program as a module, as coroutines and as a script.
#include "lang/wasm/conform/wasm_conform.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "gyre/effect/effect_world.test.hpp"
#include "lang/wasm/conform/internal/step_module.hpp"
#include "lang/wasm/guest.hpp"
#include "lang/wasm/wasmtime/wasmtime.hpp"

namespace gyre::wasm {
namespace {

using namespace std::chrono_literals;
using effect::Async;
using effect::EffectWorld;
using effect::Lines;
using effect::script::give;
using effect::script::give_last;
using effect::script::perform;

Engine& test_engine() {
    static const std::unique_ptr<Engine> engine = make_wasmtime();
    return *engine;
}

class Generations : public testing::TestWithParam<Generation> {};
INSTANTIATE_TEST_SUITE_P(Voyd, Generations, testing::Values(Generation::first, Generation::second),
                         [](const auto& tested) {
                             return tested.param == Generation::first ? "A" : "B";
                         });

TEST_P(Generations, pass_the_scenarios_in_simulated_time_the_same_byte_for_byte) {
    // clause: V30, V31, V32
    const conform::Results first = run_effects(test_engine(), GetParam(), {"sim"});
    EXPECT_FALSE(conform::has_failed(first)) << conform::as_table(first);
    EXPECT_EQ(conform::count_of(first, conform::Verdict::skipped), 0u);
    EXPECT_GT(first.size(), 20u);
    EXPECT_EQ(conform::as_json(first),
              conform::as_json(run_effects(test_engine(), GetParam(), {"sim"})));
}

TEST_P(Generations, pass_the_scenarios_on_the_real_platforms) {
    // clause: V35
    const conform::Results all = run_effects(test_engine(), GetParam(), {"epoll", "uring"});
    EXPECT_FALSE(conform::has_failed(all)) << conform::as_table(all);
    EXPECT_GT(conform::count_of(all, conform::Verdict::pass), 0u);
}

// A module whose host says its steps. A step of `throws` fails as the import does.
class StepGuest {
public:
    struct Told {
        StepKind kind = StepKind::gives;
        std::uint8_t op = 0;
        std::int32_t number = 0;
        bool gives_last = false;
        bool throws = false;
    };

    StepGuest(Generation generation, std::vector<Told> steps)
        : steps_(std::move(steps)),
          guest(Program::read(test_engine().compile(step_module(generation))), options()) {}

private:
    GuestOptions options() {
        GuestOptions made;
        made.limits.is_preemptible = false;
        made.imports = [this](effect::RunId) {
            at_ = 0;
            std::vector<HostImport> imports;
            for (const char* name : {"start", "resume"}) {
                imports.push_back(
                    {"conform", name,
                     [this](Instance&, std::span<const Cell> arguments, std::span<Cell> results) {
                         const Told& told = steps_.at(at_++);
                         if (told.throws) throw std::runtime_error("broken");
                         const std::int32_t number =
                             told.gives_last ? arguments[0].i32 : told.number;
                         results[0].i64 = packed_step(told.kind, told.op, number);
                     }});
            }
            return imports;
        };
        return made;
    }

    const std::vector<Told> steps_;
    std::size_t at_ = 0;

public:
    WasmGuest guest;
};

// Modules name an op by its label.
std::string with_label(std::string line) {
    constexpr std::string_view name = "com.example.async::";
    for (std::size_t at = line.find(name); at != std::string::npos; at = line.find(name)) {
        line.replace(at, name.size(), "Async.");
    }
    return line;
}

Lines trace_in(effect::Guest& guest) {
    EffectWorld world;
    const auto op = [&world](const char* name, auto answer) {
        world.handlers.on("com.example.async", name, effect::any_signature,
                          [answer](effect::Context&, const effect::Arguments& arguments) {
                              return answer(static_cast<int>(arguments[0].integer()));
                          });
    };
    op("await", [](int n) { return effect::resume(n + 1).after(1ms); });
    op("now", [](int n) { return effect::tail(10 * n); });
    op("other", [](int n) -> effect::Answer {
        if (n == 13) throw std::runtime_error("unlucky");
        return effect::end(n);
    });
    static_cast<void>(world.run(guest));
    for (std::string& line : world.observer.lines) line = with_label(std::move(line));
    return world.observer.lines;
}

// The program as steps of a module, as a script and as a coroutine.
struct SameProgram {
    std::vector<StepGuest::Told> module;
    effect::ScriptedGuest script{effect::async_ops()};
    effect::CoroutineGuest coroutine;
};

TEST_P(Generations, give_the_trace_and_outcome_of_the_other_adapters) {
    // clause: V35
    using Told = StepGuest::Told;
    std::vector<std::unique_ptr<SameProgram>> programs;
    const auto add = [&programs](std::vector<Told> steps) -> SameProgram& {
        programs.push_back(std::make_unique<SameProgram>());
        programs.back()->module = std::move(steps);
        return *programs.back();
    };
    const auto asks = [](std::uint8_t op, int number) {
        return Told{.kind = StepKind::asks, .op = op, .number = number};
    };
    SameProgram& value = add({asks(0, 1), asks(2, 2), Told{.gives_last = true}});
    value.script.add("main", {perform(0, {1}), perform(2, {2}), give_last()});
    value.coroutine.add("main", []() -> effect::Effectful<int> {
        co_await effect::perform(Async::await, 1);
        co_return co_await effect::perform(Async::now, 2);
    });
    SameProgram& ended = add({asks(0, 1), asks(1, 5), Told{}});
    ended.script.add("main", {perform(0, {1}), perform(1, {5}), give(0)});
    ended.coroutine.add("main", []() -> effect::Effectful<int> {
        co_await effect::perform(Async::await, 1);
        co_await effect::perform(Async::other, 5);
        co_return 0;
    });
    SameProgram& failed = add({asks(1, 13), Told{}});
    failed.script.add("main", {perform(1, {13}), give(0)});
    failed.coroutine.add("main", []() -> effect::Effectful<int> {
        co_await effect::perform(Async::other, 13);
        co_return 0;
    });
    SameProgram& trapped = add({asks(2, -70'000), Told{.throws = true}});
    trapped.script.add("main", {perform(2, {-70'000}), effect::script::fail("broken")});
    trapped.coroutine.add("main", []() -> effect::Effectful<int> {
        co_await effect::perform(Async::now, -70'000);
        throw std::runtime_error("broken");
    });
    for (const auto& program : programs) {
        StepGuest module(GetParam(), program->module);
        const Lines wanted = trace_in(program->script);
        EXPECT_NE(wanted.back().find("settled"), std::string::npos);
        EXPECT_EQ(trace_in(module.guest), wanted);
        EXPECT_EQ(trace_in(program->coroutine), wanted);
    }
}

TEST_P(Generations, pass_on_every_size_of_integer) {
    for (const int number : {0, 1, 127, 128, 255, 256, 32'767, 65'535, 65'536, 2'147'483'647, -1,
                             -32, -33, -128, -129, -32'768, -32'769, -2'147'483'647}) {
        StepGuest module(GetParam(),
                         {{.kind = StepKind::asks, .op = 2, .number = 5}, {.gives_last = true}});
        EffectWorld world;
        world.handlers.on(
            "com.example.async", "now", effect::any_signature,
            [number](effect::Context&, const effect::Arguments&) { return effect::tail(number); });
        EXPECT_EQ(world.run(module.guest).value(), effect::Value(number));
    }
}

}  // namespace
}  // namespace gyre::wasm
