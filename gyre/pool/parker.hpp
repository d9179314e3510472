// SPDX-License-Identifier: Apache-2.0
// Parker: where one thread sleeps. Only that thread parks, any thread unparks; an unpark that comes
// first is kept, and several of them are one. It must outlive both.
#pragma once

#include <condition_variable>
#include <mutex>

namespace gyre::pool {

class Parker {
public:
    void park() {
        std::unique_lock lock(mutex_);
        unparked_.wait(lock, [this] { return is_unparked_; });
        is_unparked_ = false;
    }

    void unpark() {
        const std::lock_guard lock(mutex_);
        is_unparked_ = true;
        unparked_.notify_one();
    }

private:
    std::mutex mutex_;
    std::condition_variable unparked_;
    bool is_unparked_ = false;
};

}  // namespace gyre::pool
