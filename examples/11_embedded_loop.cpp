// SPDX-License-Identifier: Apache-2.0
// A loop inside another one. The outer loop waits for the inner one's descriptor and for its next
// timer, and runs it without waiting: any loop that can poll a descriptor can do the same.
//
//     $ build/release/bin/examples/11_embedded_loop
//     inner: a timer
//     inner: woken by another thread
//     outer: nothing left inside

#include <cstdio>
#include <thread>

#include "gyre/handle/async.hpp"
#include "gyre/handle/fd_poll.hpp"
#include "gyre/handle/phased_loop.hpp"
#include "gyre/handle/timer.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"

using namespace std::chrono_literals;
using namespace gyre::handle;

int main() {
    gyre::platform::SystemClock clock;
    const auto inner_platform = gyre::platform::make_platform(clock).value();
    const auto outer_platform = gyre::platform::make_platform(clock).value();
    PhasedLoop inner(*inner_platform);
    PhasedLoop outer(*outer_platform);

    // The inner callbacks know nothing of the outer loop.
    Timer timer(inner);
    Async async(inner);
    std::thread other;
    async.start([&](Async&) {
        std::puts("inner: woken by another thread");
        async.close();
        timer.close();
    });
    timer.start(
        [&](Timer&) {
            std::puts("inner: a timer");
            other = std::thread([&] { async.send(); });
        },
        5ms);

    FdPoll ready(outer, inner.backend_fd());
    Timer due(outer);
    auto step = [&] {
        if (!inner.run(RunMode::no_wait)) {
            std::puts("outer: nothing left inside");
            ready.close();
            due.close();
            return false;
        }
        return true;
    };
    Callback<> go_on;
    go_on = [&] {
        if (!step()) return;
        const auto timeout = inner.next_timeout();
        if (timeout) due.start([&](Timer&) { go_on(); }, *timeout);
    };
    ready.start(gyre::Events::readable, [&](FdPoll&, auto) { go_on(); });
    due.start([&](Timer&) { go_on(); }, 0ms);
    outer.run();
    other.join();
}
