// SPDX-License-Identifier: Apache-2.0
// Mutex: one task at a time, across its awaits; between awaits a task is alone anyway. Who asks
// first gets it first. Only on its executor's thread; it outlives its guards and the tasks that
// wait for it.
//
//     MutexGuard guard = co_await mutex.lock();          // unlocked when `guard` goes
//
// Cancel class of lock: did nothing. A grant that came before the request is kept, and passed on
// when the cancelled task drops its guard.
#pragma once

#include "gyre/task/semaphore.hpp"

namespace gyre {

using MutexGuard = Permits;

class Mutex {
public:
    explicit Mutex(const char* name = "a mutex") noexcept : one_(1, name) {}

    [[nodiscard]] auto lock() noexcept { return one_.acquire(); }
    // Converts to false where it is locked.
    [[nodiscard]] MutexGuard try_lock() noexcept { return one_.try_acquire(); }
    [[nodiscard]] bool is_locked() const noexcept { return one_.available() == 0; }

private:
    Semaphore one_;
};

}  // namespace gyre
