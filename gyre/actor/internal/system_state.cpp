// SPDX-License-Identifier: Apache-2.0
#include "gyre/actor/internal/system_state.hpp"

#include <utility>

#include "gyre/actor/detail/actor_host.hpp"
#include "gyre/actor/detail/cell.hpp"
#include "gyre/base/log.hpp"

namespace gyre::actor {

void SystemState::count_dead_letter(const Cell& cell, const std::type_info& message) noexcept {
    dead_letters_.fetch_add(1, std::memory_order_relaxed);
    if (!options.on_dead_letter) return;
    try {
        options.on_dead_letter(DeadLetter{cell.name(), message});
    } catch (...) {
        log(LogLevel::error, "on_dead_letter failed for a message to actor %llu",
            static_cast<unsigned long long>(cell.id()));
    }
}

bool SystemState::add_name(const std::string& name, Cell& cell) {
    const std::lock_guard lock(mutex_);
    return names_.try_emplace(name, AnyRef(cell)).second;
}

void SystemState::remove_name(const std::string& name) noexcept {
    AnyRef last;  // dropped after the lock is released
    const std::lock_guard lock(mutex_);
    const auto found = names_.find(name);
    if (found == names_.end()) return;
    last = std::move(found->second);
    names_.erase(found);
}

AnyRef SystemState::find(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto found = names_.find(name);
    return found == names_.end() ? AnyRef() : found->second;
}

void SystemState::add_host(ActorHost& host) {
    const std::lock_guard lock(mutex_);
    hosts_.push_back(&host);
}

void SystemState::remove_host(ActorHost& host) noexcept {
    const std::lock_guard lock(mutex_);
    std::erase(hosts_, &host);
}

ActorHost* SystemState::host_named(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    for (ActorHost* host : hosts_) {
        if (host->name() != name) continue;
        host->share();
        return host;
    }
    return nullptr;
}

ActorHost* SystemState::next_host() noexcept {
    const std::lock_guard lock(mutex_);
    if (hosts_.empty()) return nullptr;
    ActorHost* host = hosts_[next_host_++ % hosts_.size()];
    host->share();
    return host;
}

void SystemState::for_each_host(const std::function<void(ActorHost&)>& visit) const {
    std::vector<ActorHost*> hosts;
    {
        const std::lock_guard lock(mutex_);
        hosts = hosts_;
        for (ActorHost* host : hosts) host->share();
    }
    for (ActorHost* host : hosts) {
        visit(*host);
        host->drop();
    }
}

}  // namespace gyre::actor
