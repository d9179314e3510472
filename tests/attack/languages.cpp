// SPDX-License-Identifier: Apache-2.0
// ./dev attack languages: a script with an endless chain of promises, a Vela loop, a WebAssembly loop and a C++ task that
// yields, without an end and on one loop. Prints which share of the loop's time each of them got, and how late a timer of
// 1 ms was. Exits with 1 if a share is below 15 %, or the timer was more than 15 ms late. The first row has the timer
// alone: on a busy machine it is late too.
#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "gyre/app/program.hpp"
#include "gyre/effect/scheduler.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/task/core/sleep.hpp"
#include "lang/script/script.hpp"
#include "lang/script/v8/engine.hpp"
#include "lang/vela/check/check.hpp"
#include "lang/vela/run/run.hpp"
#include "lang/wasm/guest.hpp"
#include "lang/wasm/wasmtime/wasmtime.hpp"
#include "tests/attack/metronome.hpp"

namespace gyre::attack {
namespace {

using namespace std::chrono_literals;

constexpr Duration lateness_max = 15ms;
constexpr double share_min = 15;
constexpr Duration warm_up = 500ms;  // the engines start
constexpr Duration measured = 2s;

constexpr const char* script_text = "(function next() { Promise.resolve().then(next); })()";
constexpr const char* vela_text = "fn main() -> void {\n  while true { }\n}\n";
constexpr const char* wasm_text = R"((module (func (export "main") (loop (br 0)))))";
constexpr std::string_view cpp_name = "the C++ task";

enum class Owner : std::uint8_t { loop, script, vela, wasm, cpp };
constexpr std::size_t owner_count = 5;

// Whose code the loop's thread runs, by the events of the loop.
class Meter final : public Observer {
public:
    explicit Meter(Clock& clock) : clock_(clock), since_(clock.now()) {}

    void forget() noexcept { times_ = {}; }
    [[nodiscard]] double percent(Owner owner) const noexcept {
        Duration all{0};
        for (const Duration time : times_) all += time;
        const Duration own = times_[static_cast<std::size_t>(owner)];
        return 100.0 * static_cast<double>(own.count()) /
               static_cast<double>(std::max(all.count(), Duration::rep{1}));
    }

    const Machine* pump = nullptr;
    const Machine* scheduler = nullptr;

private:
    void on_tick(const Machine& machine, Instant /*now*/) noexcept override {
        pass(&machine == pump ? Owner::script : &machine == scheduler ? Owner::wasm : Owner::loop);
    }
    void on_task(TaskEvent event, std::uint64_t id, std::string_view name) noexcept override {
        if (event == TaskEvent::started && name == cpp_name) cpp_id_ = id;
        const bool runs = event == TaskEvent::started || event == TaskEvent::resumed;
        pass(!runs ? Owner::loop : id == cpp_id_ ? Owner::cpp : Owner::vela);
    }
    void on_wait(Instant /*deadline*/) noexcept override { pass(Owner::loop); }
    void on_turned() noexcept override { pass(Owner::loop); }

    void pass(Owner to) noexcept {
        const Instant now = clock_.now();
        times_[static_cast<std::size_t>(owner_)] += now - std::exchange(since_, now);
        owner_ = to;
    }

    Clock& clock_;
    Instant since_;
    Owner owner_ = Owner::loop;
    std::uint64_t cpp_id_ = 0;
    std::array<Duration, owner_count> times_{};
};

class VelaOutside final : public vela::RunHost {
public:
    void print(std::string_view /*line*/) override {}
    void report(std::string_view /*line*/) override {}  // of its time limit
    [[nodiscard]] Instant time() noexcept override { return clock_.now(); }

private:
    platform::SystemClock clock_;
};

// A task that computes for so long each time, and then lets others run.
Future<void> compute(Clock* clock, Duration each) {
    for (;;) {
        const Instant end = clock->now() + each;
        while (clock->now() < end) continue;
        co_await yield();
    }
}

// One loop, and the four programs on it.
class Languages {
public:
    Languages()
        : script_(program_.clock(), system_, {.engine = script::v8::make_engine}),
          checked_(vela::check("loop.vela", vela_text, no_files_)),
          lowered_(vela::lower(*checked_)),
          guest_(wasm::Program::read(engine_->compile(wasm_text))) {
        executor_.add_child(metronome_);
        executor_.add_child(script_.pump());
        meter_.pump = &script_.pump();
        meter_.scheduler = &scheduler_;
        LoopOptions options = program_.loop_options();
        options.observer = &meter_;
        loop_.emplace(program_.platform(), executor_, options);
    }
    ~Languages() {
        script_.stop(script::Stop::cancelled);
        scheduler_.cancel_all("measured");
        executor_.root().cancel("measured");
        while (executor_.task_count() > 0) loop_->turn();
        loop_->close();
    }

    void start(Duration each) {
        script_.start_text(script_text);
        static_cast<void>(scheduler_.start(guest_, handlers_, "main"));
        // It awaits nothing, so that a cancel does not reach it.
        vela::MachineOptions options;
        options.time_max = warm_up + measured + 100ms;
        executor_.root().spawn(vela::run_program(*lowered_, outside_, options));
        executor_.root().spawn(compute(&program_.clock(), each)).set_name(std::string(cpp_name));
    }
    void measure() {
        metronome_.start();
        turn_for(warm_up);
        meter_.forget();
        metronome_.forget();
        turn_for(measured);
    }
    [[nodiscard]] const Meter& meter() const noexcept { return meter_; }
    [[nodiscard]] Duration worst() const noexcept { return metronome_.worst(); }

private:
    void turn_for(Duration time) {
        const Instant end = program_.clock().now() + time;
        while (program_.clock().now() < end) loop_->turn();
    }

    Program program_;
    Meter meter_{program_.clock()};
    Executor executor_;
    Metronome metronome_;
    script::System system_;
    script::Script script_;
    effect::Scheduler scheduler_{executor_};
    effect::Handlers handlers_;
    vela::SourceTable no_files_;
    std::unique_ptr<vela::Program> checked_;
    std::unique_ptr<vela::Lowered> lowered_;
    VelaOutside outside_;
    std::unique_ptr<wasm::Engine> engine_ = wasm::make_wasmtime();
    wasm::WasmGuest guest_;
    std::optional<Loop> loop_;
};

bool print_row(const std::string& name, const Languages& languages, bool has_programs) {
    std::printf("%-34s", name.c_str());
    bool is_fair = true;
    for (const Owner owner : {Owner::script, Owner::vela, Owner::wasm, Owner::cpp}) {
        const double share = languages.meter().percent(owner);
        is_fair = is_fair && (!has_programs || share >= share_min);
        std::printf(" %9.1f %%", share);
    }
    const Duration worst = languages.worst();
    const bool is_late = worst > lateness_max;
    std::printf(" %11.1f ms%s%s\n", std::chrono::duration<double, std::milli>(worst).count(),
                is_fair ? "" : "  UNFAIR", is_late ? "  LATE" : "");
    std::fflush(stdout);
    return is_fair && !is_late;
}

}  // namespace
}  // namespace gyre::attack

int main() {
    using namespace gyre::attack;
    std::printf("%-34s %11s %11s %11s %11s %14s\n", "attack", "JavaScript", "Vela", "WebAssembly",
                "C++", "worst lateness");
    bool is_fine = true;
    {
        Languages languages;
        languages.measure();
        is_fine = print_row("none", languages, false) && is_fine;
    }
    for (const std::chrono::microseconds each : {10us, 50us, 100us}) {
        Languages languages;
        languages.start(each);
        languages.measure();
        const std::string name =
            "all four, C++ yields every " + std::to_string(each.count()) + " us";
        is_fine = print_row(name, languages, true) && is_fine;
    }
    return is_fine ? 0 : 1;
}
