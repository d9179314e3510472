// SPDX-License-Identifier: Apache-2.0
// SystemState: what all loops and references of a system share: names, counts, the list of loops.
// Any thread may use it; it lives until the last reference has gone.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <typeinfo>
#include <vector>

#include "gyre/actor/any_ref.hpp"
#include "gyre/actor/call_waits.hpp"
#include "gyre/base/atomic.hpp"

namespace gyre::actor {

class Host;

// A message that nobody handles: its actor has ended.
struct DeadLetter {
    std::string actor;
    const std::type_info& message;
};

struct SystemOptions {
    // Messages one actor handles before the next one's turn, and all of a loop before its other
    // tasks'.
    std::uint32_t messages_per_actor_max = 64;
    std::uint32_t messages_per_turn_max = 256;
    // Threads that have no loop send to these actors: while the system is open, it is a reason for
    // its loops to be alive.
    bool serves_threads = false;
    // Reads the clock before and after every handler, for Counts::busy.
    bool measures_busy_time = false;
    // For tests: draws which of the actors that have messages runs next. One seed, one order.
    std::optional<std::uint64_t> order_seed = std::nullopt;
    // Called for each, on the thread where it is found out. It must not throw.
    std::function<void(const DeadLetter&)> on_dead_letter = nullptr;
};

class SystemState {
public:
    explicit SystemState(SystemOptions given) : options(std::move(given)) {}

    void count_dead_letter(const Cell& cell, const std::type_info& message) noexcept;
    [[nodiscard]] std::uint64_t dead_letter_count() const noexcept {
        // Relaxed: a figure.
        return dead_letters_.load(std::memory_order_relaxed);
    }

    // False: the name is taken.
    [[nodiscard]] bool add_name(const std::string& name, Cell& cell);
    void remove_name(const std::string& name) noexcept;
    [[nodiscard]] AnyRef find(const std::string& name) const;

    // The thread that opens a loop adds it.
    void add_host(Host& host);
    void remove_host(Host& host) noexcept;
    // By its name; null where there is none.
    [[nodiscard]] Host* host_named(const std::string& name) const;
    // Round robin; null where there is none.
    [[nodiscard]] Host* next_host() noexcept;
    void for_each_host(const std::function<void(Host&)>& visit) const;

    // Whether an exclusive actor was ever spawned: else nobody need look for cycles.
    void note_exclusive() noexcept { has_exclusive_.store(true, std::memory_order_relaxed); }
    [[nodiscard]] bool has_exclusive() const noexcept {
        // Relaxed: whoever asks such an actor has learnt of it after its spawn.
        return has_exclusive_.load(std::memory_order_relaxed);
    }

    const SystemOptions options;
    CallWaits call_waits;

private:
    mutable std::mutex mutex_;
    std::map<std::string, AnyRef> names_;  // this and the next two: guarded by mutex_
    std::vector<Host*> hosts_;
    std::size_t next_host_ = 0;
    Atomic<std::uint64_t> dead_letters_{0};
    Atomic<bool> has_exclusive_{false};
};

}  // namespace gyre::actor
