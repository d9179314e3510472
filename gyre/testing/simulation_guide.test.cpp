// SPDX-License-Identifier: Apache-2.0
// The programs that docs/guide/simulation.md shows.
#include <gtest/gtest.h>

#include <array>
#include <system_error>

#include "gyre/net/connection.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/sim/chance.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/testing/simulation.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

constexpr std::uint16_t port = 7000;
int answers_before = 0;
int answers_while_cut = 0;
int answers_after = 0;
int evictions = 0;

void evict_all() {
    ++evictions;
}

// The server is cut off after 2 s, and the links are whole again after 5 s.
void count_answer(Duration elapsed) {
    int& count = elapsed <= 2s ? answers_before : elapsed < 5s ? answers_while_cut : answers_after;
    ++count;
}

// Sends a byte to each that connects.
Future<void> serve(sim::Host& host) {
    net::Listener listener = co_await net::listen(host.address(port));
    for (;;) {
        net::Connection connection = co_await listener.accept();
        const std::array<std::byte, 1> byte{};
        try {
            co_await connection.write(byte);
        } catch (const std::system_error&) {  // The client is gone.
        }
    }
}

Future<void> ask(sim::Host& host) {
    sim::Host& server = *host.world().hosts().front();
    const Executor& executor = (co_await this_task()).executor();
    const Instant start = executor.now();
    std::array<std::byte, 1> byte{};
    for (;;) {
        try {
            net::Connection connection = co_await net::connect(server.address(port));
            if (co_await connection.read(byte) == 1) count_answer(executor.now() - start);
        } catch (const std::system_error&) {  // The server is down.
        }
        co_await sleep(10ms);
    }
}

// [hosts]
void run_with_a_crash() {
    gyre::testing::Simulation simulation({.seed = 7});
    auto& server = simulation.add_host("server", serve);  // Future<void> serve(sim::Host&)
    auto& client = simulation.add_host("client", ask);
    simulation.start_all();
    simulation.at(2s, [&] { simulation.world().cut(server, client); });
    simulation.at(3s, [&] { server.crash(); });
    simulation.at(4s, [&] { server.start(); });
    simulation.at(5s, [&] { simulation.world().heal(); });
    simulation.run_for(1min);
}
// [/hosts]

TEST(SimulationGuide, a_server_answers_before_and_after_its_crash) {
    answers_before = answers_while_cut = answers_after = 0;
    run_with_a_crash();
    EXPECT_GT(answers_before, 50);
    EXPECT_EQ(answers_while_cut, 0);
    EXPECT_GT(answers_after, 50);
}

// [points]
Future<void> use_cache(sim::Host& /*host*/) {
    for (int i = 0; i < 1'000; ++i) {
        if (sim::chance("cache is full", 1, 100)) evict_all();
        const Duration wait = sim::delay_at("before the commit");
        if (wait > 0s) co_await sleep(wait);
    }
}
// [/points]

TEST(SimulationGuide, points_are_taken_in_some_runs_of_a_simulation) {
    evictions = 0;
    int runs_that_evict = 0;
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
        const int before = evictions;
        gyre::testing::Simulation simulation({.seed = seed});
        simulation.add_host("program", use_cache);
        simulation.start_all();
        simulation.run_for(1h);
        if (evictions > before) ++runs_that_evict;
    }
    EXPECT_GT(runs_that_evict, 4);
    EXPECT_LT(runs_that_evict, 16) << "one point in four is left out";
}

}  // namespace
}  // namespace gyre
