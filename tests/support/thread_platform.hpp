// SPDX-License-Identifier: Apache-2.0
// A platform for tests with several threads: real time, a condition variable for the wait, and no
// outside. It keeps the ops it is given until they are cancelled.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "gyre/kernel/loop.hpp"
#include "gyre/platform/system_clock.hpp"

namespace gyre::test {

class ThreadPlatform : public Platform {
public:
    ThreadPlatform() : Platform("thread") {}

    [[nodiscard]] Instant wait(Instant deadline) noexcept override {
        const Instant start = now();
        std::unique_lock lock(mutex_);
        if (deadline > start) {
            ++sleeps;
            // A bound, so that a lost wake shows as a slow test and a count, not as a hang.
            const auto longest = std::min(deadline - start, Duration(std::chrono::seconds(1)));
            woken_.wait_for(lock, longest, [this] { return is_woken_; });
        }
        is_woken_ = false;
        return now();
    }
    void wake() noexcept override {
        const std::lock_guard lock(mutex_);
        is_woken_ = true;
        ++wakes;
        woken_.notify_one();
    }
    [[nodiscard]] Instant now() noexcept override { return clock_.now(); }

    int wakes = 0;
    int sleeps = 0;

protected:
    void tick(Instant) override {
        while (Op* op = next_submission()) (void)op;
        while (Op* op = next_cancellation()) complete(*op, failure(std::errc::operation_canceled));
    }

private:
    platform::SystemClock clock_;
    std::mutex mutex_;
    std::condition_variable woken_;
    bool is_woken_ = false;
};

// The outside of a TestWorld.
class ThreadPlatformOutside {
public:
    struct Options {};

    explicit ThreadPlatformOutside(const Options& /*options*/) {}

    [[nodiscard]] ThreadPlatform& platform() noexcept { return platform_; }
    [[nodiscard]] static Offload* offload() noexcept { return nullptr; }

private:
    ThreadPlatform platform_;
};

}  // namespace gyre::test
