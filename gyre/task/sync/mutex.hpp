// SPDX-License-Identifier: Apache-2.0
// Mutex: held by one task at a time across its awaits (between awaits a task is alone anyway).
// Fair: first come, first served.
//
//     MutexGuard guard = co_await mutex.lock();          // unlocked by the destructor of `guard`
//
// Thread: its executor's thread.
// Lifetime: outlives its guards and the tasks that wait for it.
// Cancel: did nothing. A lock granted before the request is kept, and released with the guard.
#pragma once

#include "gyre/task/sync/semaphore.hpp"

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
