// SPDX-License-Identifier: Apache-2.0
// BlockingWatch: while it exists, the platform's watchdog logs when a task of this executor blocks
// its loop, which task, and where. Made and destroyed on the loop's thread.
#pragma once

#include "gyre/kernel/platform.hpp"
#include "gyre/task/core/detail/task_report.hpp"

namespace gyre {

class BlockingWatch final : public Watched {
public:
    BlockingWatch(Platform& platform, const Executor& executor, Duration after)
        : platform_(platform), executor_(executor) {
        platform_.watch_for_blocking(this, after);
    }
    ~BlockingWatch() { platform_.watch_for_blocking(nullptr, {}); }
    BlockingWatch(const BlockingWatch&) = delete;
    BlockingWatch& operator=(const BlockingWatch&) = delete;

    [[nodiscard]] std::size_t describe_now(std::span<char> into) const noexcept override {
        return TaskReport::running(executor_, into);
    }
    [[nodiscard]] const void* place_now() const noexcept override {
        return TaskReport::running_place(executor_);
    }

private:
    Platform& platform_;
    const Executor& executor_;
};

}  // namespace gyre
