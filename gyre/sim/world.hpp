// SPDX-License-Identifier: Apache-2.0
// World: several loops on one thread, under one virtual clock and on one simulated host. The seed
// decides which loop goes next wherever more than one could, so that what threads would leave to
// chance can be repeated. One thread; the apps and the clock outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gyre/kernel/loop.hpp"
#include "gyre/sim/host.hpp"
#include "gyre/sim/platform.hpp"

namespace gyre::sim {

struct WorldOptions {
    std::uint32_t loop_count_max = 64;
    // For a program that never ends: run returns after so many turns of all loops together.
    std::uint64_t turn_count_max = 10'000'000;
};

class World final : private Mover {
public:
    explicit World(VirtualClock& clock, const SimOptions& options = {}, WorldOptions limits = {});
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    // A loop for this app. Its number, peers and offload are set here; the rest of the options
    // holds.
    Loop& add_loop(Machine& app, LoopOptions options = {});

    // Why a run ended. `idle`: no loop is alive. `stuck`: some are, but nothing can ever happen.
    enum class End { idle, stuck, stopped, turn_limit };

    // Turns the loops, one at a time, and moves the clock when none can go on. What stops a single
    // loop (Loop::stop) has no meaning here.
    End run() noexcept;
    // From inside a turn: the run under way returns after it.
    void stop() noexcept { is_stopping_ = true; }

    // Closes the loops one after the other; those not closed yet keep turning meanwhile, so that
    // ops at other loops come back.
    void close() noexcept;

    [[nodiscard]] Host& host() noexcept { return host_; }
    [[nodiscard]] std::size_t loop_count() const noexcept { return places_.size(); }
    [[nodiscard]] Loop& loop(std::size_t index) noexcept { return *places_[index]->loop; }
    [[nodiscard]] SimPlatform& platform(std::size_t index) noexcept {
        return places_[index]->platform;
    }
    [[nodiscard]] std::uint64_t turn_count() const noexcept { return turn_count_; }

private:
    // A loop and what it stands on.
    struct Place {
        explicit Place(Host& host) : platform(host) {}
        SimPlatform platform;
        std::unique_ptr<Loop> loop;
        bool is_closed = false;
    };

    // One turn of a loop that can go on, or one move of the clock. False when neither is possible.
    bool step() noexcept;
    bool move_on() noexcept override;
    [[nodiscard]] bool can_turn(Place& place) noexcept;
    [[nodiscard]] bool is_alive() const noexcept;

    Host host_;
    const WorldOptions limits_;
    Peers peers_;
    std::vector<std::unique_ptr<Place>> places_;
    std::vector<Place*> candidates_;
    const Place* closing_ = nullptr;
    std::uint64_t turn_count_ = 0;
    bool is_stopping_ = false;
};

}  // namespace gyre::sim
