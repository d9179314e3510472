// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/platform.hpp"

#include <algorithm>
#include <utility>

#include "gyre/kernel/loop.hpp"
#include "gyre/sim/host_memory.hpp"
#include "gyre/sim/internal/host_thread.hpp"
#include "gyre/sim/internal/inline_offload.hpp"
#include "gyre/sim/internal/pending_ops.hpp"
#include "gyre/sim/internal/sim_host.hpp"
#include "gyre/sim/world.hpp"

namespace gyre::sim {
namespace {

// A loop with a level-triggered op that stays ready never blocks. Each of its turns takes this much
// simulated time.
constexpr Duration busy_turn_time = std::chrono::microseconds(1);

}  // namespace

SimPlatform::SimPlatform(VirtualClock& clock, const SimOptions& options)
    : Platform("sim"),
      own_host_(std::make_unique<SimHost>(clock, options)),
      host_(*own_host_),
      offload_(std::make_unique<InlineOffload>(host_.context())),
      pending_(std::make_unique<PendingOps>(*this, host_)) {}

SimPlatform::SimPlatform(SimHost& host, HostThread* thread)
    : Platform("sim"), host_(host), thread_(thread) {
    const OutsideHost outside;
    offload_ = std::make_unique<InlineOffload>(host_.context());
    pending_ = std::make_unique<PendingOps>(*this, host_);
    if (thread_ != nullptr) thread_->add(*this);
}

SimPlatform::~SimPlatform() {
    if (thread_ != nullptr) thread_->remove(*this);
}

// ---- Time ----

Instant SimPlatform::now() noexcept {
    return host_.context().now();
}

void SimPlatform::look_for_levels() noexcept {
    pending_->notify_levels();
    next_look_ = host_.context().now() + busy_turn_time;
}

bool SimPlatform::has_input() noexcept {
    const bool is_woken = take_wake();
    return is_woken || loop().has_ready_work() || loop().has_posts();
}

Instant SimPlatform::wait(Instant deadline) noexcept {
    if (thread_ != nullptr) return wait_for_turn(deadline);
    const OutsideHost outside;
    SimContext& context = host_.context();
    look_for_levels();
    // Without this step a level-triggered op that stays ready would keep the clock from reaching
    // any later event.
    if (pending_->has_levels() && own_host_ != nullptr && deadline > context.now()) {
        context.clock.advance_to(std::min({deadline, context.timeline.next(), next_look_}));
    }
    for (;;) {
        pending_->deliver();
        if (has_input()) return context.now();
        if (deadline <= context.now()) return context.now();
        if (own_host_ == nullptr) {
            if (closing_world_ == nullptr) return context.now();
            closing_world_->step_while_closing();
            continue;
        }
        const Instant next = std::min(deadline, context.timeline.next());
        if (next == Instant::never()) return next;
        context.clock.advance_to(next);
    }
}

// Passes the turn of the thread at least once, so that a program that only polls lets others run too.
Instant SimPlatform::wait_for_turn(Instant deadline) noexcept {
    SimContext& context = host_.context();
    for (bool is_first = true;; is_first = false) {
        look_for_levels();
        pending_->deliver();
        const bool is_due = has_input() || deadline <= context.now();
        if (is_due && !is_first) return context.now();
        thread_->pass_turn(*this, loop(), is_due ? next_look_ : deadline, is_due);
        if (!is_due) continue;
        pending_->deliver();
        return context.now();
    }
}

void SimPlatform::wake() noexcept {
    const std::lock_guard lock(wake_mutex_);
    is_woken_ = true;
}

bool SimPlatform::take_wake() noexcept {
    const std::lock_guard lock(wake_mutex_);
    return std::exchange(is_woken_, false);
}

// ---- Ops ----

void SimPlatform::tick(Instant /*now*/) {
    const OutsideHost outside;
    while (Op* op = next_submission()) pending_->start(*op);
    while (Op* op = next_cancellation()) pending_->cancel(*op);
}

// The app's own ops have completed; the ops that are left came from other loops.
void SimPlatform::on_close() {
    const OutsideHost outside;
    pending_->close();
}

void SimPlatform::abandon() noexcept {
    pending_->abandon();
    pending_.reset();
    offload_.reset();
}

bool SimPlatform::has_ready_io() const noexcept {
    return pending_->has_ready();
}

Instant SimPlatform::ready_io_at() const noexcept {
    if (pending_->has_touched()) return {};
    return pending_->has_levels() ? next_look_ : Instant::never();
}

// ---- The simulated computer ----

Sockets& SimPlatform::sockets() noexcept {
    return host_.network();
}

FileCalls* SimPlatform::file_calls() noexcept {
    return &host_.file_calls();
}

HostCalls* SimPlatform::host_calls() noexcept {
    return &host_.host_calls();
}

FileTree* SimPlatform::file_tree() noexcept {
    return &host_.file_tree();
}

std::uint64_t SimPlatform::memory_bytes() {
    return host_.context().options.memory_bytes;
}

Offload& SimPlatform::offload() noexcept {
    return *offload_;
}

void SimPlatform::put_file(const std::string& path, std::string_view content) {
    host_.files().put(path, content);
}

std::optional<std::string> SimPlatform::file_content(std::string_view path) {
    return host_.files().get(path);
}

void SimPlatform::raise(int signal_number) {
    host_.context().descriptors.raise(signal_number);
}

int SimPlatform::descriptor_count() const noexcept {
    return host_.context().descriptors.count();
}

}  // namespace gyre::sim
