// SPDX-License-Identifier: Apache-2.0
// A loop as a program would have it: the system's clock, a real platform (epoll where the case does
// not say), and an app machine of the case. Belongs to the thread that makes it. The app's on_close
// must give everything back.
#pragma once

#include <cstdlib>
#include <memory>
#include <utility>

#include "gyre/kernel/loop.hpp"
#include "gyre/platform/internal/epoll/epoll.hpp"
#include "gyre/platform/system_clock.hpp"

namespace gyre::bench {

template <class App, class RealPlatform = platform::EpollPlatform>
class RealLoop {
public:
    template <class... Arguments>
    explicit RealLoop(LoopOptions options, Arguments&&... app_arguments)
        : app(std::forward<Arguments>(app_arguments)...), loop(*platform_, app, options) {}
    ~RealLoop() { loop.close(); }

    // One turn that does not wait: a loop that was told to stop, but is turned all the same, never
    // blocks. For cases that call nothing else.
    void poll() {
        if (!std::exchange(is_polled_, true)) loop.stop();
        loop.turn();
    }

private:
    static std::unique_ptr<RealPlatform> make_platform(Clock& clock) {
        auto made = RealPlatform::make(clock);
        if (!made) std::abort();
        return std::move(*made);
    }

    platform::SystemClock clock_;
    std::unique_ptr<RealPlatform> platform_ = make_platform(clock_);
    bool is_polled_ = false;

public:
    App app;
    Loop loop;
};

}  // namespace gyre::bench
