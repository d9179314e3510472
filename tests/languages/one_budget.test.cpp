// SPDX-License-Identifier: Apache-2.0
// The budget of programs that never end, on one loop: a script, a Vela program, a WebAssembly module and a C++ task. In
// virtual time nothing is timed, so each has a count of its own in every turn of the loop.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "gyre/effect/scheduler.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/task/core/sleep.hpp"
#include "lang/script/quickjs/engine.hpp"
#include "lang/script/script.hpp"
#include "lang/vela/check/check.hpp"
#include "lang/vela/run/run.hpp"
#include "lang/wasm/guest.hpp"
#include "lang/wasm/wasmtime/wasmtime.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

constexpr const char* script_text =
    "(function next() { gyre.callDirect('step'); Promise.resolve().then(next); })()";
constexpr const char* vela_text = R"(fn main() -> void {
  state n = 0
  while true {
    n += 1
    if n % 1000 == 0 { print("step") }
  }
}
)";
constexpr const char* wasm_text = R"((module (func (export "main") (loop (br 0)))))";

// Counts the lines of the Vela program, and ends it when the test says so: it awaits nothing, so that a cancel does not
// reach it.
class VelaOutside final : public vela::RunHost {
public:
    explicit VelaOutside(sim::VirtualClock& clock) : clock_(clock) {}
    void print(std::string_view /*line*/) override { ++lines; }
    void report(std::string_view /*line*/) override {}
    [[nodiscard]] Instant time() noexcept override { return clock_.peek(); }
    [[nodiscard]] Instant real_time() override { return is_over ? Instant::never() : Instant(); }

    std::uint64_t lines = 0;
    bool is_over = false;

private:
    sim::VirtualClock& clock_;
};

Future<void> yield_until(const bool* is_over, std::uint64_t* count) {
    while (!*is_over) {
        ++*count;
        co_await yield();
    }
}

struct Counts {
    std::uint64_t script_jobs = 0;
    std::uint64_t vela_lines = 0;
    std::uint64_t wasm_preemptions = 0;
    std::uint64_t cpp_yields = 0;

    bool operator==(const Counts&) const = default;
    Counts operator-(const Counts& other) const {
        return {script_jobs - other.script_jobs, vela_lines - other.vela_lines,
                wasm_preemptions - other.wasm_preemptions, cpp_yields - other.cpp_yields};
    }
};

// All four on one loop.
class Languages {
public:
    explicit Languages(std::uint64_t fuel_step = 10'000)
        : script_(clock_, system_, {.engine = script::quickjs::make_engine}),
          checked_(vela::check("loop.vela", vela_text, no_files_)),
          lowered_(vela::lower(*checked_)),
          guest_(wasm::Program::read(engine_->compile(wasm_text)),
                 {.limits = {.is_preemptible = false, .fuel_step = fuel_step}}) {
        executor_.add_child(script_.pump());
        script_.add_direct_function("step", [this](std::string_view) {
            ++script_jobs_;
            return std::string("null");
        });
        loop_.emplace(platform_, executor_);
        script_.start_text(script_text);
        static_cast<void>(scheduler_.start(guest_, handlers_, "main"));
        vela::MachineOptions options;
        options.time_max = 1s;  // the clock of the limit is real_time
        executor_.root().spawn(vela::run_program(*lowered_, outside_, options));
        executor_.root().spawn(yield_until(&outside_.is_over, &yields_));
    }
    Languages(const Languages&) = delete;
    Languages& operator=(const Languages&) = delete;
    ~Languages() {
        outside_.is_over = true;
        script_.stop(script::Stop::cancelled);
        scheduler_.cancel_all("counted");
        while (executor_.task_count() > 0) loop_->turn();
        loop_->close();
    }

    void turn(int count) {
        for (int i = 0; i < count; ++i) loop_->turn();
    }
    [[nodiscard]] Counts counts() const {
        return {script_jobs_, outside_.lines, scheduler_.counts().preemptions, yields_};
    }

private:
    sim::VirtualClock clock_;
    sim::SimPlatform platform_{clock_};
    Executor executor_;
    script::System system_;
    script::Script script_;
    std::uint64_t script_jobs_ = 0;
    effect::Scheduler scheduler_{executor_};
    effect::Handlers handlers_;
    vela::SourceTable no_files_;
    std::unique_ptr<vela::Program> checked_;
    std::unique_ptr<vela::Lowered> lowered_;
    VelaOutside outside_{clock_};
    std::unique_ptr<wasm::Engine> engine_ = wasm::make_wasmtime({.counts_fuel = true});
    wasm::WasmGuest guest_;
    std::uint64_t yields_ = 0;
    std::optional<Loop> loop_;
};

TEST(OneBudget, every_endless_program_has_the_same_count_in_every_turn) {
    Languages languages;
    languages.turn(3);  // all have begun
    Counts before = languages.counts();
    for (int turn = 0; turn < 20; ++turn) {
        languages.turn(1);
        const Counts after = languages.counts();
        const Counts made = after - std::exchange(before, after);
        // Four rounds of a slice; eight runs of 20,000 back edges; eight portions of fuel.
        EXPECT_EQ(made.script_jobs, 4u * 1024u);
        EXPECT_EQ(made.vela_lines, 8u * 20u);
        EXPECT_EQ(made.wasm_preemptions, 8u);
        // Four rounds of 256 tasks, a few of which are the Vela program.
        EXPECT_GE(made.cpp_yields, 900u);
        EXPECT_LE(made.cpp_yields, 1024u);
    }
}

TEST(OneBudget, a_larger_portion_of_fuel_takes_no_turn_from_the_others) {
    Languages small(1'000);
    Languages large(1'000'000);
    small.turn(10);
    large.turn(10);
    EXPECT_EQ(small.counts(), large.counts());
}

}  // namespace
}  // namespace gyre
