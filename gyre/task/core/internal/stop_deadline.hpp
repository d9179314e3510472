// SPDX-License-Identifier: Apache-2.0
// StopDeadline: ends the process if a program has not ended in time after a signal, whatever holds
// it up: a blocked loop, another loop that is joined, blocking work that never returns. The timer of
// the first loop comes before it, with a list of the tasks; this one needs no loop. Made, started and
// destroyed by one thread.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "gyre/kernel/clock.hpp"

namespace gyre {

class StopDeadline {
public:
    StopDeadline() noexcept = default;
    // The program has ended in time.
    ~StopDeadline();
    StopDeadline(const StopDeadline&) = delete;
    StopDeadline& operator=(const StopDeadline&) = delete;

    // Once. Without a thread for it, nothing ends the process.
    void start(Duration within) noexcept;

private:
    void wait(Duration within);

    std::mutex mutex_;
    std::condition_variable ended_;
    bool has_ended_ = false;
    std::thread thread_;
};

}  // namespace gyre
