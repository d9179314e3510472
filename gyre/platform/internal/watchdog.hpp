// SPDX-License-Identifier: Apache-2.0
// Watchdog: detects that a loop's thread has not returned to its wait for too long, and logs what
// it is doing, with a backtrace. A separate thread checks a counter that the platform increments
// around each wait; only if the counter has not changed does it interrupt the loop's thread, with
// SIGURG, which is ignored by default. Created and destroyed by the thread it watches; owned by its
// platform.
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "gyre/base/detail/atomic.hpp"
#include "gyre/kernel/clock.hpp"
#include "gyre/kernel/platform.hpp"

namespace gyre::platform {

class Watchdog {
public:
    // Logs once for each period in which the thread is busy for at least `after`, at the latest
    // after twice that time.
    Watchdog(const Watched& who, Duration after);
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    // While it exists, the thread is in its wait. The pointer may be null.
    class Rest {
    public:
        explicit Rest(Watchdog* dog) noexcept : dog_(dog) { beat(); }
        ~Rest() { beat(); }
        Rest(const Rest&) = delete;
        Rest& operator=(const Rest&) = delete;

    private:
        void beat() const noexcept {
            // Relaxed: the count guards no data, and reading a stale value does no harm.
            if (dog_ != nullptr) dog_->beats_.fetch_add(1, std::memory_order_relaxed);
        }
        Watchdog* dog_;
    };

private:
    void watch() noexcept;
    void report() noexcept;

    const Watched& who_;
    const Duration after_;
    const pthread_t watched_;
    Atomic<std::uint64_t> beats_{1};  // odd while the thread is busy
    std::mutex mutex_;
    std::condition_variable ending_;
    bool is_ending_ = false;  // guarded by mutex_
    std::thread thread_;      // last: it uses all other members
};

}  // namespace gyre::platform
