// SPDX-License-Identifier: Apache-2.0
// SystemState: the state that all loops and references of a system share: names, counts, the list
// of hosts. Any thread may use it; the system and its hosts own it together.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <typeinfo>
#include <vector>

#include "gyre/actor/any_ref.hpp"
#include "gyre/actor/internal/call_waits.hpp"
#include "gyre/actor/system.hpp"
#include "gyre/base/detail/atomic.hpp"

namespace gyre::actor {

class ActorHost;

class SystemState {
public:
    explicit SystemState(SystemOptions given) : options(std::move(given)) {}

    void count_dead_letter(const Cell& cell, const std::type_info& message) noexcept;
    [[nodiscard]] std::uint64_t dead_letter_count() const noexcept {
        // Relaxed: a statistic.
        return dead_letters_.load(std::memory_order_relaxed);
    }

    // False when the name is taken.
    [[nodiscard]] bool add_name(const std::string& name, Cell& cell);
    void remove_name(const std::string& name) noexcept;
    [[nodiscard]] AnyRef find(const std::string& name) const;

    // The thread that opens a loop adds it.
    void add_host(ActorHost& host);
    void remove_host(ActorHost& host) noexcept;
    // With a share for the caller; null when no host has the name.
    [[nodiscard]] ActorHost* host_named(const std::string& name) const;
    // Round robin, with a share for the caller; null when no loop is open.
    [[nodiscard]] ActorHost* next_host() noexcept;
    void for_each_host(const std::function<void(ActorHost&)>& visit) const;

    // Whether an exclusive actor was ever spawned: without one no ask can close a cycle.
    // Relaxed: ActorHost::has_exclusive_actors says why.
    void note_exclusive() noexcept { has_exclusive_.store(true, std::memory_order_relaxed); }
    [[nodiscard]] const Atomic<bool>& exclusive_flag() const noexcept { return has_exclusive_; }

    const SystemOptions options;
    CallWaits call_waits;

private:
    mutable std::mutex mutex_;
    std::map<std::string, AnyRef> names_;  // with the next two: guarded by mutex_
    std::vector<ActorHost*> hosts_;
    std::size_t next_host_ = 0;
    Atomic<std::uint64_t> dead_letters_{0};
    Atomic<bool> has_exclusive_{false};
};

}  // namespace gyre::actor
