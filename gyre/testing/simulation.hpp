// SPDX-License-Identifier: Apache-2.0
// Simulation: a World whose hosts run async functions, for tests and searches.
//
//     gyre::testing::Simulation simulation({.seed = 7});
//     auto& server = simulation.add_host("server", serve);
//     auto& client = simulation.add_host("client", ask);
//     simulation.start_all();
//     simulation.at(2s, [&] { simulation.world().cut(server, client); });
//     simulation.at(5s, [&] { simulation.world().heal(); });
//     simulation.run_for(1min);
//
// Include gyre/testing/host_new.hpp in one source file of the program.
//
// Thread: one thread, which has no other tasks while it exists.
// Lifetime: what the functions refer to outlives it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/sim/virtual_clock.hpp"
#include "gyre/sim/world.hpp"
#include "gyre/task/core/detail/plain_frames.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre::testing {

class Simulation {
public:
    explicit Simulation(const sim::SimOptions& options = {}, sim::WorldOptions limits = {})
        : seed_(options.seed), world_(clock_, options, limits) {}

    // The host runs `Future<void> function(sim::Host&)` each time it starts: a function or a lambda,
    // whose captures are copied into the host. It is down until it is started.
    template <class F>
    sim::Host& add_host(std::string name, F function, sim::HostOptions options = {}) {
        options.name = std::move(name);
        const std::uint64_t seed = Random(seed_ + world_.hosts().size()).next();
        return world_.add_host(
            std::move(options),
            {.make_app = [this, seed](sim::Host& host) { return make_executor(host, seed); },
             .on_started =
                 [function](sim::Host& host, Loop& loop, Machine& app) {
                     if (loop.thread_id() != 1) return;
                     static_cast<Executor&>(app).root().spawn(
                         [function](sim::Host* at) -> Future<void> { co_await function(*at); },
                         &host);
                 }});
    }
    void start_all() {
        for (const auto& host : world_.hosts()) host->start();
    }
    // At this time after the start.
    void at(Duration after, std::function<void()> action) {
        world_.at(start_ + after, std::move(action));
    }
    // The time passes although nothing is left to happen.
    sim::World::End run_for(Duration duration) {
        const Instant until = clock_.peek() + duration;
        const sim::World::End end = world_.run_until(until);
        const bool has_nothing_left = end == sim::World::End::idle || end == sim::World::End::stuck;
        if (has_nothing_left) clock_.advance_to(until);
        return end;
    }

    [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
    [[nodiscard]] Duration elapsed() const noexcept { return clock_.peek() - start_; }
    [[nodiscard]] sim::World& world() noexcept { return world_; }
    [[nodiscard]] sim::VirtualClock& clock() noexcept { return clock_; }
    // Of tasks that failed and that nobody joined: "host: report".
    [[nodiscard]] const std::vector<std::string>& failures() const noexcept { return failures_; }

private:
    std::unique_ptr<Machine> make_executor(sim::Host& host, std::uint64_t seed) {
        auto executor = std::make_unique<Executor>(ExecutorOptions{.order_seed = seed});
        executor->set_failure_sink([this, &host](std::string_view report) {
            const sim::OutsideHost outside;
            failures_.push_back(host.name() + ": " + std::string(report));
        });
        return executor;
    }

    const PlainFrames frames_;
    const std::uint64_t seed_;
    sim::VirtualClock clock_;
    const Instant start_ = clock_.peek();
    std::vector<std::string> failures_;
    sim::World world_;
};

}  // namespace gyre::testing
