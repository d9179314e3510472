// SPDX-License-Identifier: Apache-2.0
// Epochs: the thread that counts time for guests. It calls a function at every tick while a guest runs, so that
// the engine can stop the guest, and sleeps while none does. `enter` and `leave` come from any thread, in
// pairs; they cost one atomic operation each while the thread is awake.
//
// Protocol: `running_` counts the guests. The thread sets `is_asleep_` under the mutex before it waits, after
// it has seen `running_` at 0; a guest that enters increments `running_` first and then looks at `is_asleep_`. Both
// in sequentially consistent order: one of them sees the other.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "gyre/kernel/clock.hpp"

namespace gyre::wasm {

class Epochs {
public:
    Epochs(Duration tick, std::function<void()> on_tick)
        : tick_(tick), on_tick_(std::move(on_tick)), thread_([this] { run(); }) {}
    Epochs(const Epochs&) = delete;
    Epochs& operator=(const Epochs&) = delete;
    ~Epochs() {
        {
            const std::scoped_lock lock(mutex_);
            is_ending_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }

    void enter() noexcept {
        running_.fetch_add(1);
        if (is_asleep_.load()) wake();
    }
    void leave() noexcept { running_.fetch_sub(1); }
    [[nodiscard]] Duration tick() const noexcept { return tick_; }
    // Ticks so far: a guest that sees another number than before has had its time.
    [[nodiscard]] std::uint64_t count() const noexcept { return count_.load(); }

private:
    // After the last guest the thread ticks a few times more: the next one often comes soon.
    static constexpr int idle_ticks_max = 8;

    void wake() noexcept {
        const std::scoped_lock lock(mutex_);
        changed_.notify_all();
    }
    void run() {
        std::unique_lock lock(mutex_);
        int idle_ticks = 0;
        while (!is_ending_) {
            if (running_.load() > 0) {
                idle_ticks = 0;
            } else if (++idle_ticks > idle_ticks_max) {
                is_asleep_.store(true);
                changed_.wait(lock, [this] { return is_ending_ || running_.load() > 0; });
                is_asleep_.store(false);
                idle_ticks = 0;
            }
            changed_.wait_for(lock, tick_, [this] { return is_ending_; });
            count_.fetch_add(1);
            on_tick_();
        }
    }

    const Duration tick_;
    const std::function<void()> on_tick_;
    std::atomic<std::uint32_t> running_{0};
    std::atomic<bool> is_asleep_{false};
    std::atomic<std::uint64_t> count_{0};
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_ending_ = false;
    std::thread thread_;  // last: it uses the others
};

}  // namespace gyre::wasm
