// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/internal/stop_deadline.hpp"

#include <chrono>
#include <cstdlib>
#include <system_error>

#include "gyre/base/log.hpp"
#include "gyre/task/core/run.hpp"

namespace gyre {
namespace {

// The loop's own timer, which can name the tasks, comes first.
constexpr Duration after_the_loop = std::chrono::milliseconds(250);

}  // namespace

StopDeadline::~StopDeadline() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        has_ended_ = true;
    }
    ended_.notify_one();
    thread_.join();
}

void StopDeadline::start(Duration within) noexcept {
    try {
        thread_ = std::thread([this, within] { wait(within); });
    } catch (const std::system_error& error) {
        log(LogLevel::warn, "no thread for stop_within: %s", error.what());
    }
}

void StopDeadline::wait(Duration within) {
    std::unique_lock lock(mutex_);
    if (ended_.wait_for(lock, within + after_the_loop, [this] { return has_ended_; })) return;
    log(LogLevel::error,
        "the program did not end within %.3g s after a signal: a blocked loop or blocking work is "
        "left",
        std::chrono::duration<double>(within).count());
    std::_Exit(static_cast<int>(ExitCode::cancelled));
}

}  // namespace gyre
