// SPDX-License-Identifier: Apache-2.0
// What a program costs that waits: two loops on two threads that have exchanged messages a moment
// ago, so that one that looks around before it sleeps does so, and then have nothing but a timer
// each. Uses the adapter of post_cases.hpp; an `IdleLoop` also has
//     a timer of its own that fires every `idle_timer_ms`
// Each loop is made, run and ended by its own thread; the main thread sleeps meanwhile.
#pragma once

#include <time.h>

#include <array>
#include <chrono>

#include "bench/post_cases.hpp"

namespace gyre::bench {

inline constexpr int idle_timer_ms = 100;

inline double process_cpu_ns() noexcept {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) * 1e9 + static_cast<double>(used.tv_nsec);
}

template <class IdleLoop>
class IdlePair {
public:
    // Returns when the last message has been answered.
    IdlePair() {
        for (std::size_t i = 0; i < 2; ++i) {
            Side& side = sides_[i];
            side.other = &sides_[1 - i];
            side.message.callback = {on_message, &side};
            side.farewell.callback = {on_farewell, &side};
            side.thread = std::thread{[&side] {
                IdleLoop loop;
                side.loop.store(&loop);
                loop.run();
                while (!side.is_done.load()) std::this_thread::yield();
            }};
            while (side.loop.load() == nullptr) std::this_thread::yield();
        }
        sides_[0].loop.load()->post(sides_[0].message);
        while (!has_answered_all()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ~IdlePair() {
        for (Side& side : sides_) side.loop.load()->post(side.farewell);
        for (Side& side : sides_) side.is_done.store(true);
        for (Side& side : sides_) side.thread.join();
    }

private:
    using Message = typename IdleLoop::Message;
    static constexpr int message_count = 10'000;

    struct Side {
        std::atomic<IdleLoop*> loop{nullptr};
        std::atomic<int> left{message_count};
        std::atomic<bool> is_done{false};  // nobody posts to it any more
        Side* other = nullptr;
        Message message;
        Message farewell;
        std::thread thread;
    };

    // In a loop's thread: its message has come, the other's goes.
    static void on_message(void* argument) {
        Side& side = *static_cast<Side*>(argument);
        if (side.left.fetch_sub(1) <= 1) return;
        side.other->loop.load()->post(side.other->message);
    }
    static void on_farewell(void* argument) { static_cast<Side*>(argument)->loop.load()->stop(); }

    bool has_answered_all() const { return sides_[0].left.load() <= 0; }

    std::array<Side, 2> sides_;
};

template <class IdleLoop>
void measure_idle_cpu(Run& run) {
    const auto idle_time = std::chrono::milliseconds(run.is_quick() ? 300 : 1000);
    const IdlePair<IdleLoop> pair;
    const double used_before_ns = process_cpu_ns();
    const Stopwatch stopwatch;
    std::this_thread::sleep_for(idle_time);
    const double used_ns = process_cpu_ns() - used_before_ns;
    run.report("idle_cpu", 100 * used_ns / stopwatch.elapsed_ns());
}

template <class IdleLoop>
std::vector<Entry> idle_entries() {
    return {{{"idle_cpu"}, measure_idle_cpu<IdleLoop>}};
}

}  // namespace gyre::bench
