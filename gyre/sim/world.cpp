// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/world.hpp"

#include <algorithm>
#include <utility>

namespace gyre::sim {

World::World(VirtualClock& clock, const SimOptions& options, WorldOptions limits)
    : host_(clock, options), limits_(limits), peers_(limits.loop_count_max) {}

World::~World() {
    close();
    // Loops before the platforms they stand on, and all loops before any platform is gone.
    for (const auto& place : places_) place->loop.reset();
}

Loop& World::add_loop(Machine& app, LoopOptions options) {
    GYRE_ASSERT(places_.size() < limits_.loop_count_max,
                "the world has loop_count_max = %u loops: raise the option",
                limits_.loop_count_max);
    auto place = std::make_unique<Place>(host_);
    options.thread_id = static_cast<ThreadId>(places_.size() + 1);
    options.peers = &peers_;
    options.offload = &place->platform.offload();
    place->loop = std::make_unique<Loop>(place->platform, app, options);
    places_.push_back(std::move(place));
    return *places_.back()->loop;
}

World::End World::run() noexcept {
    const std::uint64_t last_turn = turn_count_ + limits_.turn_count_max;
    is_stopping_ = false;
    while (is_alive()) {
        if (turn_count_ >= last_turn) return End::turn_limit;
        if (!step()) return End::stuck;
        if (is_stopping_) return End::stopped;
    }
    return End::idle;
}

bool World::step() noexcept {
    Medium& medium = host_.medium();
    medium.timeline.run_due(medium.now());

    candidates_.clear();
    Instant next = medium.timeline.next();
    for (const auto& place : places_) {
        if (place.get() == closing_) continue;  // It is in its wait, which is why we are here.
        if (can_turn(*place)) candidates_.push_back(place.get());
        next = std::min(next, place->loop->next_deadline());
    }
    if (!candidates_.empty()) {
        ++turn_count_;
        candidates_[medium.random.below(candidates_.size())]->loop->turn();
        return true;
    }
    if (closing_ != nullptr) next = std::min(next, closing_->loop->next_deadline());
    if (next == Instant::never()) return false;
    medium.clock.advance_to(next);
    return true;
}

bool World::can_turn(Place& place) noexcept {
    if (place.is_closed) return false;
    Loop& loop = *place.loop;
    return loop.has_ready_work() || loop.has_posts() || place.platform.has_ready_io() ||
           loop.next_deadline() <= host_.medium().now();
}

bool World::is_alive() const noexcept {
    return std::any_of(places_.begin(), places_.end(), [](const auto& place) {
        return place->loop->is_alive() || place->platform.has_ready_io();
    });
}

bool World::move_on() noexcept {
    const bool has_moved = step();
    GYRE_ASSERT(has_moved,
                "a loop of the world can never close: ops are left that nobody completes.\n%s",
                closing_->loop->describe_ops().c_str());
    return has_moved;
}

void World::close() noexcept {
    for (const auto& place : places_) {
        if (place->is_closed) continue;
        closing_ = place.get();
        place->platform.set_mover(this);
        place->loop->close();
        place->platform.set_mover(nullptr);
        place->is_closed = true;
    }
    closing_ = nullptr;
}

}  // namespace gyre::sim
