// SPDX-License-Identifier: Apache-2.0
// One loop, used from four other threads. Each call is posted to the loop's own thread, in order,
// and its result can be awaited. No lock is needed, because only the loop's thread accesses the
// handles.
//
//     $ build/release/bin/examples/12_from_four_threads
//     4000 calls, all on the loop's thread
//     a timer started by another thread: yes, stopped by it: yes
//     a closed timer refuses: Invalid argument

#include <array>
#include <cstdio>
#include <thread>

#include "gyre/handle/async.hpp"
#include "gyre/handle/phased_loop.hpp"
#include "gyre/handle/timer.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"

using namespace std::chrono_literals;
using namespace gyre::handle;

int main() {
    gyre::platform::SystemClock clock;
    const auto platform = gyre::platform::make_platform(clock).value();
    PhasedLoop loop(*platform);
    Async keep_alive(loop);
    keep_alive.start([](Async& self) { self.close(); });

    const auto here = std::this_thread::get_id();
    int calls = 0;  // Not atomic: only the loop's thread writes it.
    std::thread foreman([&] {
        std::array<std::thread, 4> threads;
        for (std::thread& thread : threads) {
            thread = std::thread([&] {
                for (int i = 0; i < 1000; ++i) {
                    loop.call([&] { calls += std::this_thread::get_id() == here ? 1 : 0; });
                }
                // Calls keep their order, so the thousand before this one have run.
                if (!loop.call([] {}).get()) std::puts("the loop was closed too early");
            });
        }
        for (std::thread& thread : threads) thread.join();

        Timer timer(loop);
        const bool is_started = timer.start([](Timer&) {}, 1h).get().has_value();
        const bool is_stopped = timer.stop().get().has_value();
        timer.close();
        const Status refused = timer.start([](Timer&) {}, 1h).get();
        loop.call([&] {
            std::printf("%d calls, all on the loop's thread\n", calls);
            std::printf("a timer started by another thread: %s, stopped by it: %s\n",
                        is_started ? "yes" : "no", is_stopped ? "yes" : "no");
            std::printf("a closed timer refuses: %s\n", refused.error().message().c_str());
        });
        // This thread owns the handle until the loop has closed it.
        while (loop.call([&] { return loop.closing_handle_count(); }).get().value() > 0) {
        }
        keep_alive.send();
    });
    loop.run();
    foreman.join();
}
