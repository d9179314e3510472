// SPDX-License-Identifier: Apache-2.0
// RunTimer: calls a function on a thread of its own when a run of script takes longer than its limit
// (the option `timeout` of node:vm). In real time, as --time-limit.
//
//     const RunTimer timer(limit, [this] { interrupt(); });
//
// Thread: the function runs on another one, at most once and before the destructor returns.
// Lifetime: that of the run.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace gyre::script {

class RunTimer {
public:
    // 0: no limit, and no thread.
    RunTimer(std::chrono::milliseconds limit, std::function<void()> on_expired) {
        if (limit.count() <= 0) return;
        thread_ = std::thread([this, limit, expire = std::move(on_expired)] {
            std::unique_lock lock(mutex_);
            if (!is_over_.wait_for(lock, limit, [this] { return has_ended_; })) expire();
        });
    }
    ~RunTimer() {
        if (!thread_.joinable()) return;
        {
            const std::lock_guard lock(mutex_);
            has_ended_ = true;
        }
        is_over_.notify_one();
        thread_.join();
    }
    RunTimer(const RunTimer&) = delete;
    RunTimer& operator=(const RunTimer&) = delete;

private:
    std::mutex mutex_;
    std::condition_variable is_over_;
    bool has_ended_ = false;
    std::thread thread_;
};

}  // namespace gyre::script
