// SPDX-License-Identifier: Apache-2.0
// TestClock: the clock of tests that move time themselves. It stands still until the test moves it,
// or follows another clock with an offset, and can be stopped meanwhile. Any thread may read it and
// move it while it stands still; to follow another clock is for one thread.
#pragma once

#include <atomic>
#include <functional>

#include "gyre/kernel/clock.hpp"

namespace gyre::test {

class TestClock final : public Clock {
public:
    explicit TestClock(Instant start = Instant(1'000'000'000)) noexcept
        : time_(start.nanoseconds()) {}
    explicit TestClock(Clock& followed, Duration offset = {}) noexcept
        : followed_(&followed), offset_(offset) {}

    [[nodiscard]] Instant now() noexcept override {
        const Instant read =
            followed_ == nullptr || is_stopped_ ? peek() : followed_->now() + offset_;
        if (on_read) on_read(read);
        return read;
    }
    // The time at which it stands, without a reading.
    [[nodiscard]] Instant peek() const noexcept { return Instant(time_.load()); }
    void set(Instant time) noexcept { time_ = time.nanoseconds(); }
    // By a negative duration: back.
    void jump(Duration by) noexcept {
        offset_ += by;
        set(peek() + by);
    }
    // Until `go_on` it stands still; then it has the followed clock's time again.
    void stop() noexcept {
        time_ = now().nanoseconds();
        is_stopped_ = true;
    }
    void go_on() noexcept { is_stopped_ = false; }

    std::function<void(Instant)> on_read;  // after each reading, with its time

private:
    Clock* followed_ = nullptr;
    Duration offset_{0};
    bool is_stopped_ = false;
    std::atomic<std::uint64_t> time_{0};
};

}  // namespace gyre::test
