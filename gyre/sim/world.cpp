// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/world.hpp"

#include <algorithm>
#include <utility>

#include "gyre/sim/internal/host_node.hpp"
#include "gyre/sim/internal/host_thread.hpp"
#include "gyre/sim/internal/net/wire.hpp"
#include "gyre/sim/internal/sim_host.hpp"

namespace gyre::sim {

World::World(VirtualClock& clock, const SimOptions& options, WorldOptions limits)
    : shared_(std::make_unique<SharedSim>(clock, options.seed)),
      host_(std::make_unique<SimHost>(*shared_, options)),
      wire_(std::make_unique<Wire>()),
      limits_(limits),
      peers_(limits.loop_count_max),
      chance_points_(options.seed) {}

World::~World() {
    close();
    // A loop is destroyed before its platform, and all loops before any platform.
    for (const auto& node : nodes_) node->loop.reset();
    // Sockets of one host refer to those of others.
    for (const auto& host : hosts_) host->abandon();
    for (const auto& host : hosts_) host->machine_->context().descriptors.close_all();
    for (const auto& host : hosts_) host->network().forget_lost_sockets();
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

// ---- Hosts ----

Host& World::add_host(HostOptions options, HostProgram program) {
    GYRE_ASSERT(find_host(options.name) == nullptr, "two hosts have the name '%s'",
                options.name.c_str());
    const auto number = static_cast<std::uint32_t>(hosts_.size() + 1);
    hosts_.push_back(
        std::make_unique<Host>(*this, *shared_, number, std::move(options), std::move(program)));
    return *hosts_.back();
}

Host* World::find_host(std::string_view name) const noexcept {
    const auto found = std::find_if(hosts_.begin(), hosts_.end(),
                                    [&](const auto& host) { return host->name() == name; });
    return found == hosts_.end() ? nullptr : found->get();
}

const LinkFaults& World::link(Host& from, Host& to) {
    return wire_->link(from.network(), to.network()).faults();
}

void World::set_link(Host& from, Host& to, const LinkFaults& faults) {
    wire_->link(from.network(), to.network()).set_faults(faults);
}

void World::cut(Host& a, Host& b) {
    for (const auto& [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
        LinkFaults faults = link(*from, *to);
        faults.is_cut = true;
        set_link(*from, *to, faults);
    }
}

void World::heal() {
    for (const auto& from : hosts_) {
        for (const auto& to : hosts_) {
            if (from != to) set_link(*from, *to, {});
        }
    }
}

void World::stall(Host& a, Host& b, Duration duration) {
    const Instant until = shared_->clock.peek() + duration;
    wire_->link(a.network(), b.network()).stall_until(until);
    wire_->link(b.network(), a.network()).stall_until(until);
}

void World::reset(Host& a, Host& b) {
    a.network().reset_connections(b.network());
    b.network().reset_connections(a.network());
}

void World::at(Instant when, std::function<void()> action) {
    actions_.emplace(when, std::move(action));
}

// Not as events of the timeline, which fire inside the turns of loops too.
void World::run_actions() {
    while (!actions_.empty() && actions_.begin()->first <= shared_->clock.peek()) {
        const auto next = actions_.extract(actions_.begin());
        next.mapped()();
    }
}

Instant World::now() const noexcept {
    return shared_->clock.peek();
}

// ---- Running ----

World::End World::run_until(Instant end) noexcept {
    const std::uint64_t last_turn = turn_count_ + limits_.turn_count_max;
    is_stopping_ = false;
    while (is_alive()) {
        if (turn_count_ >= last_turn) return End::turn_limit;
        if (!step(end)) return is_alive() ? End::stuck : End::idle;
        if (is_stopping_) return End::stopped;
        if (shared_->clock.peek() >= end) return End::time_limit;
    }
    return End::idle;
}

bool World::step(Instant end) noexcept {
    SimContext& context = host_->context();
    context.timeline.run_due(context.now());
    if (closing_ == nullptr) run_actions();
    if (closing_ == nullptr && std::exchange(shared_->has_lost_disk, false)) {
        for (const auto& host : hosts_) {
            if (host->has_lost_disk()) host->crash();
        }
    }
    const Instant now = context.now();

    candidates_.clear();
    Instant next = std::min(context.timeline.next(), end);
    if (!actions_.empty() && closing_ == nullptr) next = std::min(next, actions_.begin()->first);
    std::uint64_t number = 0;
    for (const auto& node : nodes_) {
        ++number;
        if (node->is_closed) continue;
        if (node->loop.get() == closing_) continue;  // Its platform called this function.
        if (can_turn(*node)) {
            candidates_.push_back({node.get(), nullptr, nullptr, number});
        }
        next = std::min({next, node->loop->next_deadline(), node->platform.ready_io_at()});
    }
    for (const auto& host : hosts_) {
        for (Host::Node* const node : host->nodes_) {
            ++number;
            if (node->loop.get() == closing_) continue;
            const Instant ready = node->ready_at();
            if (ready <= now) candidates_.push_back({nullptr, node, host.get(), number});
            next = std::min(next, ready);
        }
        if (host->thread_ == nullptr) continue;
        ++number;
        const Instant ready = host->thread_->ready_at(host->paused_until_);
        if (ready <= now) candidates_.push_back({nullptr, nullptr, host.get(), number});
        next = std::min(next, ready);
    }
    if (!candidates_.empty()) {
        const Candidate chosen = candidates_[context.random.below(candidates_.size())];
        turn(chosen);
        return true;
    }
    if (closing_ != nullptr) next = std::min(next, closing_->next_deadline());
    if (next == Instant::never()) return false;
    context.clock.advance_to(next);
    return true;
}

void World::turn(const Candidate& chosen) noexcept {
    constexpr std::uint64_t prime = 0x100000001b3;
    ++turn_count_;
    trace_hash_ = (trace_hash_ ^ chosen.number) * prime;
    trace_hash_ = (trace_hash_ ^ shared_->clock.peek().nanoseconds()) * prime;
    if (turn_listener_) turn_listener_(chosen.host, shared_->clock.peek());
    const ChancePoints::Use points(&chance_points_);
    if (chosen.host != nullptr && chosen.of_host == nullptr) {
        chosen.host->thread_->turn();
        // The system closes what an ended process had open.
        if (!chosen.host->is_running()) chosen.host->machine_->context().descriptors.close_all();
    } else if (chosen.host != nullptr) {
        const Host::Turn inside(*chosen.host, *chosen.of_host);
        chosen.of_host->loop->turn();
    } else {
        const HostMemory::Use outside(nullptr);
        const LoopLocals::Use locals(chosen.node->locals);
        chosen.node->loop->turn();
    }
}

bool World::can_turn(Node& node) noexcept {
    if (node.is_closed) return false;
    Loop& loop = *node.loop;
    const Instant now = host_->context().now();
    return loop.has_ready_work() || loop.has_posts() || node.platform.ready_io_at() <= now ||
           loop.next_deadline() <= now;
}

// A host that is down may be started by an action.
bool World::is_alive() const noexcept {
    const auto is_node_alive = [](const auto& node) {
        return node->loop->is_alive() || node->platform.has_ready_io();
    };
    return std::any_of(nodes_.begin(), nodes_.end(), is_node_alive) ||
           std::any_of(hosts_.begin(), hosts_.end(),
                       [&](const auto& host) {
                           return std::any_of(host->nodes_.begin(), host->nodes_.end(),
                                              is_node_alive) ||
                                  (host->thread_ != nullptr && host->is_running());
                       }) ||
           !actions_.empty();
}

void World::step_while_closing() noexcept {
    GYRE_ASSERT(closing_ != nullptr, "only the platform of a closing loop may step the world");
    const bool has_moved = step();
    GYRE_ASSERT(has_moved,
                "a loop of the world can never close: no machine completes these ops.\n%s",
                closing_->describe_ops().c_str());
}

void World::close() noexcept {
    for (const auto& node : nodes_) {
        if (node->is_closed) continue;
        closing_ = node->loop.get();
        node->platform.closing_world_ = this;
        {
            const LoopLocals::Use locals(node->locals);
            node->loop->close();
        }
        node->platform.closing_world_ = nullptr;
        node->is_closed = true;
    }
    closing_ = nullptr;
}

void World::close(Host& host) noexcept {
    Loop* const outer = closing_;
    for (Host::Node* const node : host.nodes_) {
        closing_ = node->loop.get();
        node->platform.closing_world_ = this;
        {
            const Host::Turn inside(host, *node);
            node->loop->close();
        }
        node->platform.closing_world_ = nullptr;
        node->is_closed = true;
    }
    closing_ = outer;
}

Sockets& World::sockets() noexcept {
    return host_->network();
}

}  // namespace gyre::sim
