// SPDX-License-Identifier: Apache-2.0
// The queue that users of libuv and libev write beside the library's wake-up, which carries no data
// and may be merged: a vector under a mutex, swapped out whole by the loop.
//
// Any thread may push; the loop's thread runs. Lives as long as its loop.
#pragma once

#include <mutex>
#include <span>
#include <vector>

#include "bench/post_cases.hpp"

namespace gyre::bench {

class UserQueue {
public:
    void push(std::span<const PlainMessage> messages) {
        const std::lock_guard lock{mutex_};
        waiting_.insert(waiting_.end(), messages.begin(), messages.end());
    }

    void run_all() {
        {
            const std::lock_guard lock{mutex_};
            running_.swap(waiting_);
        }
        for (const PlainMessage& message : running_)
            message.callback.run(message.callback.argument);
        running_.clear();
    }

private:
    std::mutex mutex_;
    std::vector<PlainMessage> waiting_;
    std::vector<PlainMessage> running_;
};

}  // namespace gyre::bench
