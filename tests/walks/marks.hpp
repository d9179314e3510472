// SPDX-License-Identifier: Apache-2.0
// Tells callgrind where a walk starts and ends: it collects only in between. A walk starts when the
// blocking system call returns, and ends at the first line of user code. Does nothing outside of
// callgrind.
#pragma once

#include <functional>

namespace walks {

// Rounds before the measured one: pools, buffers and tables are warm by then.
inline constexpr int warm_up_rounds = 8;

// The walk of that name is measured on this thread, from the wait to the user's line.
void measure_here(const char* name);

// The external event: called on the measured thread right before each blocking wait.
void set_outside(std::function<void()> outside);

// The first line of user code. Counts rounds; true in the measured one, which is the last.
bool reached();

// For a walk that starts with a call on another thread. wait_for_measured_thread returns when the
// measured thread is about to block; begin_here measures the calling thread too, until it wakes the
// measured one.
void wait_for_measured_thread();
void begin_here();

// For the functions that replace system calls: around each blocking wait, and before a write.
void before_wait();
void after_wait();
void note_wake();
template <class Wait>
int waited(Wait wait) {
    before_wait();
    const int result = wait();
    after_wait();
    return result;
}

}  // namespace walks
