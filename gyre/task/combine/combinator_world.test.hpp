// SPDX-License-Identifier: Apache-2.0
// For the tests of combinators: futures that succeed or fail, and record when they begin and are
// cancelled. Checks at its end that no frame is left. One test, one thread.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "gyre/task/combine/shield.hpp"
#include "gyre/task/core/frame_check.test.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task_world.test.hpp"

namespace gyre {

using namespace std::chrono_literals;

inline Future<int> give_after(Duration delay, int value) {
    co_await sleep(delay);
    co_return value;
}
inline Future<void> nap(Duration delay) {
    co_await sleep(delay);
}
inline Future<int> fail_after(Duration delay, const char* text) {
    co_await sleep(delay);
    throw std::runtime_error(text);
}
template <class T>
Future<T> shielded(Future<T> future) {
    co_return co_await shield(std::move(future));
}
// The text of its failure; empty if it succeeds.
template <class T>
Future<std::string> failure_of(Future<T> future) {
    try {
        (void)co_await std::move(future);
    } catch (const std::exception& e) {
        co_return e.what();
    }
    co_return std::string();
}

struct CombinatorWorld : FrameCheck, TaskWorld {
    static constexpr Duration clean_up_time = 1us;

    using TaskWorld::TaskWorld;

    [[nodiscard]] Duration elapsed() { return clock.now() - began; }

    Future<int> note_begin(int number) {
        begun.push_back(number);
        co_return number;
    }
    // Awaits the future; if it is cancelled, records the number after a clean-up that awaits.
    template <class T>
    Future<T> note_end(Future<T> future, int number) {
        std::exception_ptr cancel;
        try {
            co_return co_await std::move(future);
        } catch (const Cancelled&) {
            cancel = std::current_exception();
        }
        co_await sleep(clean_up_time);
        cancelled.push_back(number);
        std::rethrow_exception(cancel);
    }

    const Instant began = clock.now();
    std::vector<int> begun;
    std::vector<int> cancelled;
};

}  // namespace gyre
