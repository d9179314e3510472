// SPDX-License-Identifier: Apache-2.0
// TimeLimit: calls a function on a thread of its own after a real time, also in virtual time, unless
// it is destroyed before. The thread ends with the object.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "gyre/kernel/clock.hpp"

namespace gyre::cli {

class TimeLimit {
public:
    // Without a limit it does nothing.
    TimeLimit(std::optional<Duration> limit, std::move_only_function<void()> on_over) {
        if (!limit) return;
        thread_ = std::thread([this, limit = *limit, on_over = std::move(on_over)]() mutable {
            std::unique_lock lock(mutex_);
            if (!ended_.wait_for(lock, limit, [this] { return is_over_; })) on_over();
        });
    }
    ~TimeLimit() {
        {
            const std::lock_guard lock(mutex_);
            is_over_ = true;
        }
        ended_.notify_all();
        if (thread_.joinable()) thread_.join();
    }
    TimeLimit(const TimeLimit&) = delete;
    TimeLimit& operator=(const TimeLimit&) = delete;

private:
    std::mutex mutex_;
    std::condition_variable ended_;
    bool is_over_ = false;
    std::thread thread_;
};

}  // namespace gyre::cli
