// SPDX-License-Identifier: Apache-2.0
// Watchdog: notices when a loop's thread stays away from its wait for too long, and says in the log
// what it is doing, with a backtrace. A thread of its own looks at a counter that the platform
// moves around each wait; only when that stands still does it interrupt the loop's thread, with
// SIGURG, whose default does nothing. Made and destroyed by the thread it watches, which its
// platform owns.
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
    // Speaks once for each time that the thread is busy for at least `after`, twice that at most.
    Watchdog(const Watched& who, Duration after);
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    // While it lives, the thread waits for something to do. Null is fine.
    class Rest {
    public:
        explicit Rest(Watchdog* dog) noexcept : dog_(dog) { beat(); }
        ~Rest() { beat(); }
        Rest(const Rest&) = delete;
        Rest& operator=(const Rest&) = delete;

    private:
        void beat() const noexcept {
            // Relaxed: the count guards nothing, and a look that comes late is no harm.
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
    std::thread thread_;      // last: it uses all the others
};

}  // namespace gyre::platform
