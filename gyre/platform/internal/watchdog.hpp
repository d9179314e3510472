// SPDX-License-Identifier: Apache-2.0
// Watchdog: detects that a loop's thread has not returned to its wait for too long, and logs what
// it is doing, with a backtrace. A separate thread checks a counter that the platform increments
// around each wait; only if the counter has not changed does it interrupt the loop's thread, with
// SIGURG, which is ignored by default. While the loop rests, the separate thread rests too: it is
// woken by the first wait that ends. Created and destroyed by the thread it watches; owned by its
// platform.
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>
#include <thread>

#include "gyre/base/detail/atomic.hpp"
#include "gyre/kernel/clock.hpp"
#include "gyre/kernel/platform.hpp"

namespace gyre::platform {

class Watchdog {
public:
    // Logs a period in which the thread is busy for at least `after`, at the latest after twice
    // that time; once for each place of `who`, and whenever a SIGQUIT is not heard meanwhile.
    Watchdog(const Watched& who, Duration after);
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    // While it exists, the thread is in its wait. The pointer may be null.
    class Rest {
    public:
        explicit Rest(Watchdog* dog) noexcept : dog_(dog) {
            if (dog_ != nullptr) dog_->beat();
        }
        ~Rest() {
            if (dog_ == nullptr) return;
            dog_->beat();
            // Relaxed: missed once, it is seen at the end of the next wait.
            if (dog_->is_resting_.load(std::memory_order_relaxed)) dog_->rouse();
        }
        Rest(const Rest&) = delete;
        Rest& operator=(const Rest&) = delete;

    private:
        Watchdog* dog_;
    };

private:
    // Only the watched thread writes it. Relaxed: the count guards no data, and reading a stale
    // value does no harm.
    void beat() noexcept {
        beats_.store(beats_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    [[gnu::cold]] void rouse() noexcept;
    void watch() noexcept;
    void report(bool is_asked) noexcept;

    const Watched& who_;
    const Duration after_;
    const pthread_t watched_;
    Atomic<std::uint64_t> beats_{1};  // odd while the thread is busy
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_ending_ = false;          // guarded by mutex_
    Atomic<bool> is_resting_{false};  // until the loop's thread leaves its wait
    std::set<const void*> told_;      // places; its own thread only
    std::thread thread_;              // last: it uses all other members
};

}  // namespace gyre::platform
