// SPDX-License-Identifier: Apache-2.0
// LoopThread: an executor on a loop and thread of its own, in real time, for tests with several
// threads. The thread that makes it destroys it; the destructor stops and closes the loop, whose
// memory stays valid until then.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <thread>

#include "gyre/task/core/frame_check.test.hpp"
#include "gyre/task/core/scope.hpp"
#include "tests/support/thread_platform.hpp"

namespace gyre {

class LoopThread {
public:
    // Calls `begin` on the new thread before the loop turns, to spawn tasks.
    explicit LoopThread(LoopOptions options, std::function<void(Executor&)> begin = {})
        : thread_([this, options, begin = std::move(begin)] { run(options, begin); }) {
        made_.get_future().wait();
    }
    LoopThread(const LoopThread&) = delete;
    LoopThread& operator=(const LoopThread&) = delete;
    ~LoopThread() {
        loop_->stop();
        released_.set_value();
        thread_.join();
    }

    [[nodiscard]] MachineRef app_ref() const noexcept { return loop_->app_ref(); }

private:
    void run(const LoopOptions& options, const std::function<void(Executor&)>& begin) {
        const FrameCheck frames;
        test::ThreadPlatform platform;
        Executor executor;
        Loop loop(platform, executor, options);
        loop_ = &loop;
        if (begin) begin(executor);
        made_.set_value();
        static_cast<void>(loop.run_until_stopped());
        loop.close();
        released_.get_future().wait();
    }

    Loop* loop_ = nullptr;
    std::promise<void> made_;
    std::promise<void> released_;
    std::thread thread_;
};

}  // namespace gyre
