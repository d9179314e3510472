// SPDX-License-Identifier: Apache-2.0
// Metrics: what a loop has done so far. Written by the loop's thread, read by any. Part of the
// loop. One of the few files that use atomics.
//
// Every order is relaxed: each number stands for itself, and nothing is read because of it.
#pragma once

#include <cstdint>

#include "gyre/base/atomic.hpp"
#include "gyre/kernel/clock.hpp"

namespace gyre::handle {

class Metrics {
public:
    // How long the loop has waited, up to `now` where it is waiting. A reading taken while a wait
    // begins or ends may miss that one.
    [[nodiscard]] Duration idle_time(Instant now) const noexcept {
        const std::uint64_t since = waiting_since_.load(std::memory_order_relaxed);
        const Duration before(static_cast<Duration::rep>(idle_ns_.load(std::memory_order_relaxed)));
        return since == 0 || now < Instant(since) ? before : before + (now - Instant(since));
    }
    [[nodiscard]] std::uint64_t iterations() const noexcept {
        return iterations_.load(std::memory_order_relaxed);
    }
    // Completions, doorbells and carried calls that reached a handle or a request.
    [[nodiscard]] std::uint64_t events() const noexcept {
        return events_.load(std::memory_order_relaxed);
    }

    // The rest is for the loop, the only writer.
    void count_iteration() noexcept { add(iterations_, 1); }
    void count_event() noexcept { add(events_, 1); }
    void begin_wait(Instant now) noexcept {
        waiting_since_.store(now.nanoseconds(), std::memory_order_relaxed);
    }
    void end_wait(Instant now) noexcept {
        const Instant since(waiting_since_.load(std::memory_order_relaxed));
        if (now > since) add(idle_ns_, static_cast<std::uint64_t>((now - since).count()));
        waiting_since_.store(0, std::memory_order_relaxed);
    }

private:
    // One writer: no other addition can get lost.
    static void add(Atomic<std::uint64_t>& number, std::uint64_t more) noexcept {
        number.store(number.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
    }

    Atomic<std::uint64_t> idle_ns_{0};
    Atomic<std::uint64_t> waiting_since_{0};
    Atomic<std::uint64_t> iterations_{0};
    Atomic<std::uint64_t> events_{0};
};

}  // namespace gyre::handle
