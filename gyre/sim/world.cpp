// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/world.hpp"

#include <algorithm>
#include <utility>

#include "gyre/sim/internal/sim_host.hpp"

namespace gyre::sim {

World::World(VirtualClock& clock, const SimOptions& options, WorldOptions limits)
    : host_(std::make_unique<SimHost>(clock, options)),
      limits_(limits),
      peers_(limits.loop_count_max) {}

World::~World() {
    close();
    // A loop is destroyed before its platform, and all loops before any platform.
    for (const auto& node : nodes_) node->loop.reset();
}

Loop& World::add_loop(Machine& app, LoopOptions options) {
    GYRE_ASSERT(nodes_.size() < limits_.loop_count_max,
                "the world has loop_count_max = %u loops: raise the option",
                limits_.loop_count_max);
    auto node = std::make_unique<Node>(*host_);
    options.thread_id = static_cast<ThreadId>(nodes_.size() + 1);
    options.peers = &peers_;
    options.offload = &node->platform.offload();
    node->loop = std::make_unique<Loop>(node->platform, app, options);
    nodes_.push_back(std::move(node));
    return *nodes_.back()->loop;
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
    SimContext& context = host_->context();
    context.timeline.run_due(context.now());

    candidates_.clear();
    Instant next = context.timeline.next();
    for (const auto& node : nodes_) {
        if (node.get() == closing_) continue;  // Its platform is in wait, and called this function.
        if (can_turn(*node)) candidates_.push_back(node.get());
        next = std::min(next, node->loop->next_deadline());
    }
    if (!candidates_.empty()) {
        ++turn_count_;
        candidates_[context.random.below(candidates_.size())]->loop->turn();
        return true;
    }
    if (closing_ != nullptr) next = std::min(next, closing_->loop->next_deadline());
    if (next == Instant::never()) return false;
    context.clock.advance_to(next);
    return true;
}

bool World::can_turn(Node& node) noexcept {
    if (node.is_closed) return false;
    Loop& loop = *node.loop;
    return loop.has_ready_work() || loop.has_posts() || node.platform.has_ready_io() ||
           loop.next_deadline() <= host_->context().now();
}

bool World::is_alive() const noexcept {
    return std::any_of(nodes_.begin(), nodes_.end(), [](const auto& node) {
        return node->loop->is_alive() || node->platform.has_ready_io();
    });
}

void World::step_while_closing() noexcept {
    GYRE_ASSERT(closing_ != nullptr, "only the platform of a closing loop may step the world");
    const bool has_moved = step();
    GYRE_ASSERT(has_moved,
                "a loop of the world can never close: no machine completes these ops.\n%s",
                closing_->loop->describe_ops().c_str());
}

void World::close() noexcept {
    for (const auto& node : nodes_) {
        if (node->is_closed) continue;
        closing_ = node.get();
        node->platform.closing_world_ = this;
        node->loop->close();
        node->platform.closing_world_ = nullptr;
        node->is_closed = true;
    }
    closing_ = nullptr;
}

Sockets& World::sockets() noexcept {
    return host_->network();
}

}  // namespace gyre::sim
