// SPDX-License-Identifier: Apache-2.0
// One world with hosts in C++, JavaScript, Vela and WebAssembly, whose network, disks and machines fail: each seed has
// the same trace and the same output twice. The C++ host is a server that adds one to a number; the others ask it,
// again and again until it has answered. Each seed runs in a process of its own, as with gyre sim.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "gyre/app/run.hpp"
#include "gyre/effect/scheduler.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/sim/plan.hpp"
#include "gyre/sim/world.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "lang/script/quickjs/engine.hpp"
#include "lang/script/script.hpp"
#include "lang/script/world/world.hpp"
#include "lang/vela/check/check.hpp"
#include "lang/vela/run/run.hpp"
#include "lang/wasm/guest.hpp"
#include "lang/wasm/wasmtime/wasmtime.hpp"
#include "tests/support/sanitizers.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

constexpr std::uint16_t port = 80;

// What all hosts print, with the time.
struct Output {
    void add(sim::Host& host, std::string_view line) {
        text += std::to_string(host.world().now().nanoseconds()) + " " + host.name() + ": ";
        text.append(line).append("\n");
    }
    std::string text;
};

// ---- C++: one byte is answered by the next one ----

Future<void> answer(net::Connection stream) {
    std::array<std::byte, 1> byte{};
    try {
        while (co_await stream.read(byte) == 1) {
            byte[0] = static_cast<std::byte>(static_cast<unsigned>(byte[0]) + 1);
            co_await stream.write(byte);
        }
    } catch (const std::system_error&) {  // The client asks again.
    }
}

Future<void> serve(Scope& scope) {
    for (;;) {
        bool is_refused = false;
        try {
            const net::Listener listener =
                co_await net::listen(sim::Host::current()->address(port));
            for (;;) scope.spawn(answer(co_await listener.accept()));
        } catch (const std::system_error&) {
            is_refused = true;
        }
        if (is_refused) co_await sleep(20ms);
    }
}

int run_cpp(sim::Host& /*host*/) {
    return gyre::run(serve, {.platform = "sim"});
}

Future<unsigned> ask_once(Address server, unsigned number) {
    net::Connection stream = co_await net::connect(server);
    std::array<std::byte, 1> byte = {static_cast<std::byte>(number)};
    co_await stream.write(byte);
    if (co_await stream.read(byte) != 1) {
        throw std::system_error(std::make_error_code(std::errc::connection_reset));
    }
    co_return static_cast<unsigned>(byte[0]);
}

Future<unsigned> ask(Address server, unsigned number) {
    for (;;) {
        try {
            const unsigned got = co_await timeout(ask_once(server, number), 1s);
            co_return got;
        } catch (const std::exception&) {
        }
        co_await sleep(50ms);
    }
}

// ---- JavaScript ----

constexpr const char* script_text = R"(
import net from 'node:net';
import { chance } from 'gyre:sim';
function once(number) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(80, '10.0.0.1');
    socket.setTimeout(1000, () => socket.destroy(new Error('late')));
    socket.on('connect', () => socket.write(Buffer.from([number])));
    socket.on('data', (data) => { resolve(data[0]); socket.destroy(); });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('closed')));
  });
}
async function ask(number) {
  for (;;) {
    try { return await once(number); } catch {}
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
for (let number = 1; number <= 20; number += 1) {
  if (await ask(number) !== number + 1) throw new Error('a wrong answer');
  if (chance('a rare line', 1, 4)) console.log(Date.now());
  await new Promise((resolve) => setTimeout(resolve, 300));
}
console.log('done');
)";

class ScriptOutside final : public script::System {
public:
    ScriptOutside(sim::Host& host, Output& output) : host_(host), output_(output) {}
    void write(int /*stream*/, std::string_view text) override { output_.add(host_, text); }

private:
    sim::Host& host_;
    Output& output_;
};

int run_script(sim::Host& host, Output& output) {
    Program program({.platform = "sim"});
    ScriptOutside outside(host, output);
    Executor executor;
    script::ScriptOptions options{.engine = script::quickjs::make_engine};
    options.seed = 1;
    options.read_time = [&host] { return host.clock().peek(); };
    options.read_wall_clock = &sim::unix_nanoseconds;
    script::Script script(program.clock(), outside, options);
    const script::World world(script, executor);
    script.add_direct_function("gyre:sim/chance", [](std::string_view) {
        return std::string(sim::chance("a rare line", 1, 4) ? "true" : "false");
    });
    Loop loop(program.platform(), executor, program.loop_options());
    script.start_text(script_text, true);
    const int status = script.run(loop);
    loop.close();
    return status;
}

// ---- Vela ----

constexpr const char* vela_text = R"(import 'system:net'
import 'system:sim'
import 'system:time'

async fn once(text: String) -> Number {
  connection = await connect("10.0.0.1:80")
  try {
    await connection.writeBytes(text.toBytes())
    state got = 0
    match await connection.read(1) {
      Some(bytes) => got = bytes.get(0) ?? 0
      None => got = 0
    }
    return got
  } finally {
    connection.close()
  }
}

async fn ask(text: String) -> Number {
  state got = 0
  while got == 0 {
    try {
      match await Future.timeout(once(text), 1000) {
        Ok(n) => got = n
        Err(e) => await maybeDelay("before asking again")
      }
    } catch (e: Error) {
      await sleep(50)
    }
  }
  return got
}

async fn main() -> void {
  for letter in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"] {
    print("${letter} ${await ask(letter)} ${time.now()}")
    await sleep(500)
  }
}
)";

class VelaOutside final : public vela::RunHost {
public:
    VelaOutside(sim::Host& host, Output& output) : host_(host), output_(output) {}
    void print(std::string_view line) override { output_.add(host_, line); }
    void report(std::string_view line) override { output_.add(host_, line); }
    [[nodiscard]] Instant time() noexcept override { return host_.clock().peek(); }
    [[nodiscard]] std::int64_t unix_time_ms() override {
        return sim::unix_nanoseconds() / 1'000'000;
    }

private:
    sim::Host& host_;
    Output& output_;
};

int run_vela(sim::Host& host, Output& output) {
    vela::SourceTable no_files;
    const auto checked = vela::check("client.vela", vela_text, no_files);
    if (checked->diagnostics.has_errors()) {
        output.add(host, "the program has errors");
        return 2;
    }
    const auto lowered = vela::lower(*checked);
    VelaOutside outside(host, output);
    const vela::NativeLibraries libraries = {vela::system_library()};
    const auto main = [&]() -> Future<int> {
        const int status =
            co_await vela::run_program(*lowered, outside, vela::MachineOptions(), libraries);
        co_return status;
    };
    return gyre::run(main, {.platform = "sim"});
}

// ---- WebAssembly: a module that performs two effects, which the server answers ----

struct Module {
    Module() : guest(wasm::Program::read(engine->compile(text())), options()) {}
    static std::string text() {
        std::ifstream file(GYRE_WASM_FILES "/resume_b.wat");
        return {std::istreambuf_iterator<char>(file), {}};
    }
    static wasm::GuestOptions options() {
        return {.limits = {.is_preemptible = false, .fuel_step = 100'000}};
    }
    const std::unique_ptr<wasm::Engine> engine = wasm::make_wasmtime({.counts_fuel = true});
    wasm::WasmGuest guest;
    effect::Handlers handlers;
};

int run_wasm(sim::Host& host, Output& output) {
    Module module;
    const Address server = host.world().find_host("cpp")->address(port);
    module.handlers.on(
        "com.example.async", "await", effect::any_signature,
        [server](effect::Context&, effect::Arguments arguments) -> Future<effect::Answer> {
            const auto number = static_cast<unsigned>(arguments[0].integer());
            const unsigned got = co_await ask(server, number);
            co_return effect::resume(static_cast<int>(got));
        });
    Program program({.platform = "sim"});
    ProgramRun first(program.platform(), program.run_options());
    effect::Scheduler scheduler(first.executor());
    const auto main = [&]() -> Future<int> {
        for (int i = 0; i < 10; ++i) {
            const effect::Value value =
                co_await scheduler.call(module.guest, module.handlers, "main");
            output.add(host, std::to_string(value.integer()));
            co_await sleep(500ms);
        }
        co_return 0;
    };
    const auto result = run_main(first, main, "wasm");
    first.close();
    return result.exit_code();
}

// ---- The world ----

struct Seen {
    std::uint64_t trace = 0;
    std::uint64_t output = 0;
    std::uint64_t fault_count = 0;
    bool has_ended = false;

    bool operator==(const Seen&) const = default;
};

bool have_clients_ended(const sim::World& world) {
    return std::ranges::all_of(world.hosts().begin() + 1, world.hosts().end(),
                               [](const auto& host) { return host->exit_code() == 0; });
}

Seen run_world(std::uint64_t seed) {
    constexpr Duration faults_last = 5s;
    constexpr Duration rests_within = 2min;
    sim::VirtualClock clock;
    Output output;
    sim::World world(clock, {.seed = seed});
    const auto add = [&](const char* name, int (*main)(sim::Host&, Output&)) {
        const auto run = [main, &output](sim::Host& host) { return main(host, output); };
        world.add_host({.name = name}, {.main = run}).start();
    };
    world.add_host({.name = "cpp"}, {.main = run_cpp}).start();
    add("js", run_script);
    add("vela", run_vela);
    add("wasm", run_wasm);
    const std::vector<std::string> names = {"cpp", "js", "vela", "wasm"};
    const sim::Plan plan = sim::draw_plan(sim::PlanLevel::rough, seed, names, faults_last);
    const sim::PlanRun faults(plan, world);
    const Instant begin = world.now();
    while (!have_clients_ended(world) && world.now() < begin + faults_last + rests_within) {
        world.run_until(world.now() + 1s);
    }
    Seen seen{.trace = world.trace_hash(), .output = std::hash<std::string>()(output.text)};
    for (std::size_t kind = 0; kind < sim::fault_kind_count; ++kind) {
        seen.fault_count += faults.count(static_cast<sim::FaultKind>(kind));
    }
    seen.has_ended = have_clients_ended(world);
    if (!seen.has_ended) {
        std::fprintf(stderr, "seed %llu:\n%s", static_cast<unsigned long long>(seed),
                     output.text.c_str());
        for (const auto& host : world.hosts()) {
            std::fprintf(stderr, "%s: %s\n", host->name().c_str(), host->describe().c_str());
        }
    }
    return seen;
}

// In a process of its own, which takes the threads of killed programs with it.
Seen run_apart(std::uint64_t seed) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const Seen seen = run_world(seed);
        const bool is_written = ::write(ends[1], &seen, sizeof seen) == sizeof seen;
        ::_exit(is_written ? 0 : 1);
    }
    ::close(ends[1]);
    Seen seen;
    EXPECT_EQ(::read(ends[0], &seen, sizeof seen), static_cast<ssize_t>(sizeof seen)) << seed;
    ::close(ends[0]);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << seed;
    return seen;
}

// 500 in the long run; GYRE_SEEDS says another number.
std::uint64_t seed_count() {
    if (const char* const given = std::getenv("GYRE_SEEDS")) {
        return std::strtoull(given, nullptr, 10);
    }
    if (std::getenv("GYRE_TEST_LONG") != nullptr) return 500;
    return test::has_address_sanitizer ? 10 : 100;
}

TEST(FourHosts, of_four_languages_have_the_same_trace_and_output_twice) {
    GYRE_SKIP_THREADS_AFTER_FORK();
    const std::uint64_t count = seed_count();
    std::set<std::uint64_t> traces;
    std::uint64_t fault_count = 0;
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
        const Seen first = run_apart(seed);
        ASSERT_TRUE(first.has_ended) << "seed " << seed;
        ASSERT_EQ(first, run_apart(seed)) << "seed " << seed;
        traces.insert(first.trace);
        fault_count += first.fault_count;
    }
    EXPECT_EQ(traces.size(), count);
    EXPECT_GT(fault_count, count);
}

}  // namespace
}  // namespace gyre
