// SPDX-License-Identifier: Apache-2.0
// World: several loops on one thread, with one virtual clock. The seed decides which loop turns next,
// so an interleaving that depends on chance with real threads can be repeated. The loops share one
// simulated computer, or belong to hosts, between which the network can break.
//
//     sim::VirtualClock clock;
//     Executor first;
//     Executor second;
//     sim::World world(clock, {.seed = 7});
//     world.add_loop(first);
//     world.add_loop(second);
//     const sim::World::End end = world.run();
//
//     sim::Host& a = world.add_host({.name = "a"}, program);
//     sim::Host& b = world.add_host({.name = "b"}, program);
//     a.start();
//     b.start();
//     world.at(clock.peek() + 2s, [&] { world.cut(a, b); });
//     world.at(clock.peek() + 5s, [&] { world.heal(); });
//     world.run();
//
// Thread: one thread, which creates, runs and destroys it.
// Lifetime: the clock and the apps of the loops outlive it; it owns the loops and their platforms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "gyre/kernel/detail/loop_locals.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/sim/chance.hpp"
#include "gyre/sim/faults.hpp"
#include "gyre/sim/host.hpp"
#include "gyre/sim/platform.hpp"

namespace gyre::sim {

class Wire;

struct WorldOptions {
    std::uint32_t loop_count_max = 64;
    // For a program that never ends: run returns after this many turns of all loops together.
    std::uint64_t turn_count_max = 10'000'000;
};

class World final {
public:
    explicit World(VirtualClock& clock, const SimOptions& options = {}, WorldOptions limits = {});
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    // Adds a loop for this app. The options' thread id, peers and offload are overwritten.
    Loop& add_loop(Machine& app, LoopOptions options = {});

    // ---- Hosts ----

    // A machine that is down; Host::start starts its program.
    Host& add_host(HostOptions options, HostProgram program);
    // In the order in which they were added.
    [[nodiscard]] const std::vector<std::unique_ptr<Host>>& hosts() const noexcept {
        return hosts_;
    }
    // Null if no host has the name.
    [[nodiscard]] Host* find_host(std::string_view name) const noexcept;
    // Of one direction.
    [[nodiscard]] const LinkFaults& link(Host& from, Host& to);
    void set_link(Host& from, Host& to, const LinkFaults& faults);
    // Both directions.
    void cut(Host& a, Host& b);
    // Every link is without faults again; hosts stay as they are.
    void heal();
    // Nothing arrives between the two for this time; nothing is lost.
    void stall(Host& a, Host& b, Duration duration);
    // Resets every connection between the two, at both ends.
    void reset(Host& a, Host& b);
    // Runs the function at this time, between the turns of the loops. Not from the code of a host.
    void at(Instant when, std::function<void()> action);

    // Is told of each turn before it begins; the host is null for a loop of no host.
    void set_turn_listener(std::function<void(const Host*, Instant)> listener) {
        turn_listener_ = std::move(listener);
    }
    [[nodiscard]] Instant now() const noexcept;
    // Of the program's own code, in the turns of hosts.
    [[nodiscard]] ChancePoints& chance_points() noexcept { return chance_points_; }
    // Of every turn and its time: two runs of one seed have the same.
    [[nodiscard]] std::uint64_t trace_hash() const noexcept { return trace_hash_; }

    // Why a run ended. `idle`: no loop is alive. `stuck`: a loop is alive, but no event is left
    // that could wake it.
    enum class End { idle, stuck, stopped, turn_limit, time_limit };

    // Turns the loops, one at a time, and advances the clock when none can turn. Loop::stop has no
    // effect here.
    End run() noexcept { return run_until(Instant::never()); }
    // Returns at this time at the latest.
    End run_until(Instant end) noexcept;
    // From inside a turn: run returns after this turn.
    void stop() noexcept { is_stopping_ = true; }

    // Closes the loops one after the other. The loops that are still open keep turning meanwhile,
    // to complete the ops of the closing one.
    void close() noexcept;

    // The sockets of the computer that all loops share.
    [[nodiscard]] Sockets& sockets() noexcept;
    [[nodiscard]] std::size_t loop_count() const noexcept { return nodes_.size(); }
    [[nodiscard]] Loop& loop(std::size_t index) noexcept { return *nodes_[index]->loop; }
    [[nodiscard]] SimPlatform& platform(std::size_t index) noexcept {
        return nodes_[index]->platform;
    }
    [[nodiscard]] std::uint64_t turn_count() const noexcept { return turn_count_; }

private:
    friend class Host;
    friend class SimPlatform;

    // A loop and its platform.
    struct Node {
        explicit Node(SimHost& host) : platform(host) {}
        SimPlatform platform;
        std::unique_ptr<Loop> loop;
        LoopLocals locals;
        bool is_closed = false;
    };

    // A loop that can turn.
    struct Candidate {
        Node* node;           // null for a loop of a host
        Host::Node* of_host;  // null for a loop of no host, and for a thread
        Host* host;           // null for a loop of no host
        std::uint64_t number;
    };

    // One turn of a loop, or one advance of the clock. False if neither is possible.
    bool step(Instant end = Instant::never()) noexcept;
    void run_actions();
    void turn(const Candidate& chosen) noexcept;
    void close(Host& host) noexcept;
    [[nodiscard]] Wire& wire() noexcept { return *wire_; }
    // Called by the platform of the closing loop: a step, which must be possible.
    void step_while_closing() noexcept;
    [[nodiscard]] bool can_turn(Node& node) noexcept;
    [[nodiscard]] bool is_alive() const noexcept;

    const std::unique_ptr<SharedSim> shared_;
    const std::unique_ptr<SimHost> host_;
    const std::unique_ptr<Wire> wire_;
    const WorldOptions limits_;
    Peers peers_;
    std::vector<std::unique_ptr<Node>> nodes_;
    std::multimap<Instant, std::function<void()>> actions_;
    std::vector<std::unique_ptr<Host>> hosts_;
    std::vector<Candidate> candidates_;
    std::uint64_t trace_hash_ = 0;
    std::function<void(const Host*, Instant)> turn_listener_;
    ChancePoints chance_points_;
    Loop* closing_ = nullptr;
    std::uint64_t turn_count_ = 0;
    bool is_stopping_ = false;
};

}  // namespace gyre::sim
