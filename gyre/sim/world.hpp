// SPDX-License-Identifier: Apache-2.0
// World: several loops on one thread, with one virtual clock and one simulated computer. The seed
// decides which loop turns next, so an interleaving that depends on chance with real threads can be
// repeated.
//
//     sim::VirtualClock clock;
//     Executor first;
//     Executor second;
//     sim::World world(clock, {.seed = 7});
//     world.add_loop(first);
//     world.add_loop(second);
//     const sim::World::End end = world.run();
//
// Thread: one thread, which creates, runs and destroys it.
// Lifetime: the clock and the apps of the loops outlive it; it owns the loops and their platforms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gyre/kernel/loop.hpp"
#include "gyre/sim/platform.hpp"

namespace gyre::sim {

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

    // Why a run ended. `idle`: no loop is alive. `stuck`: a loop is alive, but no event is left
    // that could wake it.
    enum class End { idle, stuck, stopped, turn_limit };

    // Turns the loops, one at a time, and advances the clock when none can turn. Loop::stop has no
    // effect here.
    End run() noexcept;
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
    friend class SimPlatform;

    // A loop and its platform.
    struct Node {
        explicit Node(SimHost& host) : platform(host) {}
        SimPlatform platform;
        std::unique_ptr<Loop> loop;
        bool is_closed = false;
    };

    // One turn of a loop, or one advance of the clock. False if neither is possible.
    bool step() noexcept;
    // Called by the platform of the closing loop: a step, which must be possible.
    void step_while_closing() noexcept;
    [[nodiscard]] bool can_turn(Node& node) noexcept;
    [[nodiscard]] bool is_alive() const noexcept;

    const std::unique_ptr<SimHost> host_;
    const WorldOptions limits_;
    Peers peers_;
    std::vector<std::unique_ptr<Node>> nodes_;
    std::vector<Node*> candidates_;
    const Node* closing_ = nullptr;
    std::uint64_t turn_count_ = 0;
    bool is_stopping_ = false;
};

}  // namespace gyre::sim
