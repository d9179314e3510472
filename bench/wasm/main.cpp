// SPDX-License-Identifier: Apache-2.0
// bench_wasm: gyre's own rows of the group wasm. Called by bench/run.py; see protocol.hpp.
//
// The guests are hand-written modules that allocate their requests and outcomes as GC structs and encode their own frames. A
// step is split into the time inside of guest functions, the engine's part of its calls (that of calls of empty
// functions), and the host: frames, scheduler, handler. Totals are processor time, which a busy machine disturbs least; the
// host's share is the median of the steps of a chain whose calls into the engine are timed.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "bench/protocol.hpp"
#include "bench/stopwatch.hpp"
#include "bench/wasm/timed_module.hpp"
#include "gyre/effect/scheduler.hpp"
#include "gyre/platform/internal/epoll/epoll.hpp"
#include "gyre/platform/system_clock.hpp"
#include "lang/wasm/conform/internal/step_module.hpp"
#include "lang/wasm/disk_cache/disk_cache.hpp"
#include "lang/wasm/guest.hpp"
#include "lang/wasm/wasmtime/wasmtime.hpp"

namespace gyre::bench {
namespace {

using effect::Handlers;
using effect::RunHandle;
using effect::Scheduler;
using effect::Value;
using wasm::Generation;

constexpr int chain_steps = 10'000;

// Performs await(n) for n = steps .. 1 and ends.
std::string chain_module(Generation generation, int steps) {
    std::string text = wasm::step_module(generation);
    const auto drop = [&text](const std::string& part) {
        text.erase(text.find(part), part.size());
    };
    drop(R"((import "conform" "start" (func $start (result i64))))");
    drop(R"((import "conform" "resume" (func $resume (param i32) (result i64))))");
    text.pop_back();
    return text + "(global $left (mut i32) (i32.const " + std::to_string(steps) + R"())
        (func $start (result i64) (call $resume (i32.const 0)))
        (func $resume (param i32) (result i64)
          (if (i32.eqz (global.get $left)) (then (return (i64.const 0))))
          (global.set $left (i32.sub (global.get $left) (i32.const 1)))
          (i64.or (i64.const 1) (i64.shl (i64.extend_i32_u (global.get $left)) (i64.const 32))))))";
}

struct World {
    explicit World(bool answers = true) {
        if (answers) {
            handlers.on(
                "com.example.async", "await", effect::any_signature,
                [](effect::Context&, const effect::Arguments&) { return effect::resume(1); });
        } else {
            handlers.on("com.example.async", "await", effect::any_signature,
                        [this](effect::Context&, effect::Arguments, effect::Reply reply) {
                            waiting.push_back(std::move(reply));
                        });
        }
    }
    ~World() { loop.close(); }
    void finish(RunHandle<Value>& handle) {
        while (!handle.is_terminal()) loop.turn();
    }

    platform::SystemClock clock;
    std::unique_ptr<Platform> platform = platform::EpollPlatform::make(clock).value();
    Executor executor;
    Handlers handlers;
    std::vector<effect::Reply> waiting;
    Scheduler scheduler{executor};
    Loop loop{*platform, executor};
};

// Of this thread, or of all.
class ProcessorTime {
public:
    explicit ProcessorTime(clockid_t of = CLOCK_THREAD_CPUTIME_ID) noexcept
        : of_(of), start_ns_(now()) {}
    [[nodiscard]] double elapsed_ns() const noexcept {
        return static_cast<double>(now() - start_ns_);
    }

private:
    [[nodiscard]] std::int64_t now() const noexcept {
        timespec time{};
        clock_gettime(of_, &time);
        return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
    }
    const clockid_t of_;
    const std::int64_t start_ns_;
};

wasm::Engine& engine() {
    static const std::unique_ptr<wasm::Engine> made = wasm::make_wasmtime();
    return *made;
}

// What the engine takes for calls of functions that do nothing.
struct EmptyCalls {
    double whole_ns = 1e9;
    double brief_ns = 1e9;
    double clock_ns = 1e9;  // one reading

    EmptyCalls() {
        constexpr int count = 2'000;
        const auto module = engine().compile(
            R"((module (type $r (struct (field i32)))
                (func (export "whole") (param anyref i32 i32) (result (ref null $r)) (ref.null $r))
                (func (export "brief") (param anyref) (result i32) (i32.const 0))))");
        const auto instance = module->make_instance({.is_preemptible = false}, {});
        static_cast<void>(instance->begin());
        const auto whole = *instance->find("whole");
        const auto brief = *instance->find("brief");
        const std::array arguments{wasm::cell_of(0), wasm::cell(0), wasm::cell(0)};
        for (int sample = 0; sample < 20; ++sample) {
            Stopwatch watch;
            for (int i = 0; i < count; ++i) {
                static_cast<void>(instance->begin_call(whole, arguments));
            }
            whole_ns = std::min(whole_ns, watch.lap_ns_per(count));
            for (int i = 0; i < count; ++i) {
                static_cast<void>(instance->call(brief, std::span(arguments).first(1)));
            }
            brief_ns = std::min(brief_ns, watch.lap_ns_per(count));
            std::int64_t sum = 0;
            for (int i = 0; i < count; ++i) sum += real_now_ns();
            clock_ns = std::min(clock_ns, watch.lap_ns_per(count) + (sum == 0 ? 1 : 0));
        }
    }
};

// The host's share of each step: from handler to handler, without the calls into the engine.
double host_share(const std::string& text, const EmptyCalls& empty) {
    const auto module = std::make_shared<TimedModule>(engine().compile(text));
    wasm::WasmGuest guest(wasm::Program::read(module), {.limits = {.is_preemptible = false}});
    World world;
    std::vector<double> shares;
    shares.reserve(chain_steps);
    EngineTime before;
    std::int64_t last_ns = 0;
    Handlers handlers;
    handlers.on("com.example.async", "await", effect::any_signature,
                [&](effect::Context&, const effect::Arguments&) {
                    const std::int64_t now_ns = real_now_ns();
                    const EngineTime& now = module->time;
                    const auto calls = static_cast<double>(now.whole_calls - before.whole_calls +
                                                           now.brief_calls - before.brief_calls);
                    // Each timed call reads the clock twice, once of it inside of its own time.
                    shares.push_back(static_cast<double>(now_ns - last_ns) -
                                     (now.inside_ns - before.inside_ns) - calls * empty.clock_ns);
                    before = now;
                    last_ns = real_now_ns();
                    return effect::resume(1);
                });
    auto handle = world.scheduler.start(guest, handlers, "main");
    world.finish(handle);
    std::ranges::sort(shares);
    return shares[shares.size() / 2];
}

void chain(Run& run, Generation generation, const std::string& name) {
    const std::string text = chain_module(generation, chain_steps);
    wasm::WasmGuest plain(wasm::Program::read(engine().compile(text)));
    World world;
    const EmptyCalls empty;
    const Stopwatch all;
    double total = 1e9;
    double host = 1e9;
    while (all.elapsed_ns() < 4 * run.span_ns()) {
        const ProcessorTime time;
        auto handle = world.scheduler.start(plain, world.handlers, "main");
        world.finish(handle);
        total = std::min(total, time.elapsed_ns() / chain_steps);
        host = std::min(host, host_share(text, empty));
    }
    // A step of generation B has two calls into its functions, one of A; both look at status, length and continuation.
    const double whole_calls = generation == Generation::second ? 2 : 1;
    const double engine_ns = whole_calls * empty.whole_ns + 3 * empty.brief_ns;
    run.report(name, total);
    run.report(name + "_engine", engine_ns);
    run.report(name + "_host", host);
    run.report(name + "_guest", std::max(0.0, total - engine_ns - host));
}

// From the start of a run to its first request: the instance is made.
void starts(Run& run) {
    wasm::WasmGuest guest(
        wasm::Program::read(engine().compile(chain_module(Generation::second, 1))));
    World world(false);
    const Stopwatch all;
    while (all.elapsed_ns() < run.span_ns()) {
        const ProcessorTime watch;
        auto handle = world.scheduler.start(guest, world.handlers, "main");
        while (world.waiting.empty()) world.loop.turn();
        run.report("wasm_start", watch.elapsed_ns());
        handle.cancel("enough");
        world.waiting.clear();
        while (world.scheduler.run_count() > 0) world.loop.turn();
    }
}

std::size_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    std::size_t total = 0;
    std::size_t resident = 0;
    file >> total >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// Resident memory that a waiting run takes, with its store or in one for all.
void waiting(Run& run, const char* name, int count, bool shares_store) {
    wasm::WasmGuest guest(
        wasm::Program::read(engine().compile(chain_module(Generation::second, count + 50))),
        {.shares_store = shares_store});
    World world(false);
    std::vector<RunHandle<Value>> handles;
    const auto start = [&](int more) {
        const std::size_t wanted = world.waiting.size() + static_cast<std::size_t>(more);
        for (int i = 0; i < more; ++i) {
            handles.push_back(world.scheduler.start(guest, world.handlers, "main"));
        }
        while (world.waiting.size() < wanted) world.loop.turn();
    };
    start(50);
    const std::size_t before = resident_bytes();
    start(count);
    run.report(name, static_cast<double>(resident_bytes() - before) / count);
    for (RunHandle<Value>& handle : handles) handle.cancel("enough");
    world.waiting.clear();
    while (world.scheduler.run_count() > 0) world.loop.turn();
}

// A module whose machine code is about a megabyte.
std::string large_module() {
    std::string text = "(module (func (export \"main\"))";
    for (int i = 0; i < 1'500; ++i) {
        text += "(func (param i32) (result i32) ";
        for (int j = 0; j < 24; ++j) {
            text += "(local.set 0 (i32.mul (i32.xor (local.get 0) (i32.const " +
                    std::to_string(i + j) + ")) (local.get 0)))";
        }
        text += "(local.get 0))";
    }
    return text + ")";
}

void loads(Run& run, const char* load, const char* compile, const std::string& text) {
    std::string folder = std::filesystem::temp_directory_path().string() + "/gyre-bench-XXXXXX";
    if (::mkdtemp(folder.data()) == nullptr) return;
    {
        const auto cache = wasm::DiskCache::open(folder);
        const auto without = wasm::make_wasmtime();
        const auto with = wasm::make_wasmtime({.cache = cache.get()});
        const std::string bytes(without->compile(text)->bytes());
        static_cast<void>(with->compile(bytes));
        const Stopwatch all;
        for (int i = 0; i < 3 || all.elapsed_ns() < run.span_ns(); ++i) {
            const ProcessorTime watch;
            const auto module = with->compile(bytes);  // its end is no part of the load
            run.report(load, watch.elapsed_ns());
        }
        const ProcessorTime watch;
        static_cast<void>(without->compile(bytes));
        run.report(compile, watch.elapsed_ns());
    }
    std::filesystem::remove_all(folder);
}

// 50 runs of 1,000 steps on each of two loops: the processor time of a step.
void two_loops(Run& run) {
    constexpr int runs = 50;
    constexpr int steps = 1'000;
    const auto program =
        wasm::Program::read(engine().compile(chain_module(Generation::second, steps)));
    const auto work = [&program] {
        wasm::WasmGuest guest(program);
        World world;
        std::vector<RunHandle<Value>> handles;
        for (int i = 0; i < runs; ++i) {
            handles.push_back(world.scheduler.start(guest, world.handlers, "main"));
        }
        for (RunHandle<Value>& handle : handles) world.finish(handle);
    };
    const ProcessorTime watch(CLOCK_PROCESS_CPUTIME_ID);
    std::thread other(work);
    work();
    other.join();
    run.report("wasm_two_loops", watch.elapsed_ns() / (2 * runs * steps));
}

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    const auto shares = [](const std::string& name) {
        return std::vector<std::string>{name, name + "_guest", name + "_engine", name + "_host"};
    };
    return run_program(
        argument_count, arguments,
        {{{shares("wasm_step_a"),
           [](Run& run) { chain(run, gyre::wasm::Generation::first, "wasm_step_a"); }},
          {shares("wasm_step_b"),
           [](Run& run) { chain(run, gyre::wasm::Generation::second, "wasm_step_b"); }},
          {{"wasm_start"}, starts},
          {{"wasm_waiting"}, [](Run& run) { waiting(run, "wasm_waiting", 1'000, false); }},
          {{"wasm_waiting_shared"},
           [](Run& run) { waiting(run, "wasm_waiting_shared", 10'000, true); }},
          {{"wasm_load_small", "wasm_compile_small"},
           [](Run& run) {
               loads(run, "wasm_load_small", "wasm_compile_small",
                     chain_module(gyre::wasm::Generation::second, 1));
           }},
          {{"wasm_load_large", "wasm_compile_large"},
           [](Run& run) { loads(run, "wasm_load_large", "wasm_compile_large", large_module()); }},
          {{"wasm_two_loops"}, two_loops}}});
}
