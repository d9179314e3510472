// SPDX-License-Identifier: Apache-2.0
// What a simulated world costs; bench/sim/sim.py calls it. Each line is a name and a number.
//
//     bench_sim                  events a second, simulated time, memory of a host
//     bench_sim --points N       passes N chance points outside of a simulation: for callgrind
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "bench/stopwatch.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/testing/host_new.hpp"
#include "gyre/testing/simulation.hpp"

namespace gyre::bench {
namespace {

using namespace std::chrono_literals;
using testing::Simulation;

constexpr std::uint16_t port = 80;

Future<void> serve(sim::Host& host) {
    net::Listener listener = co_await net::listen(host.address(port));
    net::Connection stream = co_await listener.accept();
    std::array<std::byte, 64> buffer{};
    while (const std::size_t size = co_await stream.read(buffer)) {
        co_await stream.write(Bytes(buffer).first(size));
    }
}

Future<void> ask(Address to) {
    net::Connection stream = co_await net::connect(to);
    std::array<std::byte, 64> buffer{};
    for (;;) {
        co_await stream.write(buffer);
        static_cast<void>(co_await stream.read(buffer));
    }
}

Future<void> tick(sim::Host& /*host*/) {
    for (;;) co_await sleep(1ms);
}

// An event is a turn of a loop: a message or a timer that is handled.
void report(const char* name, Simulation& simulation, Duration duration) {
    simulation.start_all();
    simulation.run_for(1s);
    const std::uint64_t turns = simulation.world().turn_count();
    const Stopwatch stopwatch;
    simulation.run_for(duration);
    const double seconds = stopwatch.elapsed_ns() / 1e9;
    const auto events = static_cast<double>(simulation.world().turn_count() - turns);
    std::printf("%s, events/s\t%.0f\n", name, events / seconds);
    std::printf("%s, simulated hours/s\t%.3f\n", name,
                std::chrono::duration<double>(duration).count() / 3600 / seconds);
}

void measure_events() {
    {
        Simulation simulation({}, {.turn_count_max = 1'000'000'000});
        for (const char* name : {"a", "b", "c"}) simulation.add_host(name, tick);
        report("three hosts with a timer of 1 ms", simulation, 200s);
    }
    Simulation simulation({}, {.turn_count_max = 1'000'000'000});
    const Address to = simulation.add_host("server", serve).address(port);
    simulation.add_host("client", [to](sim::Host&) { return ask(to); });
    report("echo between two hosts", simulation, 60s);
}

// In its own memory, and in that of the world.
void measure_memory() {
    constexpr int count = 100;
    Simulation simulation;
    const HeapMeter meter;
    for (int i = 0; i < count; ++i) simulation.add_host(std::to_string(i), serve);
    simulation.start_all();
    simulation.run_for(1s);
    double own = 0;
    for (const auto& host : simulation.world().hosts()) {
        own += static_cast<double>(host->memory().used_bytes());
    }
    std::printf("memory of a host, KB\t%.1f\n", (own / count + meter.bytes_per(count)) / 1024);
}

// Volatile, so that each point is passed.
int pass_points(long count) {
    int taken = 0;
    for (volatile long i = 0; i < count; i = i + 1) {
        if (sim::chance("a point", 1, 2)) ++taken;
    }
    return taken;
}

// The same loop without a point.
void pass_nothing(long count) {
    for (volatile long i = 0; i < count; i = i + 1) {
    }
}

}  // namespace
}  // namespace gyre::bench

int main(int argc, char** argv) {
    using namespace gyre::bench;
    if (argc == 3 && std::string_view(argv[1]) == "--points")
        return pass_points(std::atol(argv[2]));
    if (argc == 3 && std::string_view(argv[1]) == "--nothing") {
        pass_nothing(std::atol(argv[2]));
        return 0;
    }
    measure_events();
    measure_memory();
    return 0;
}
