// SPDX-License-Identifier: Apache-2.0
// A message between tasks of two loops, each made, run and ended by its own thread on a core of its
// own. The loops look for posts before they sleep, as they do by default.
#include "bench/task/two_threads.hpp"

#include <atomic>
#include <thread>

#include "bench/affinity.hpp"
#include "bench/kernel/real_loop.hpp"
#include "bench/task_cases.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/thread/thread_channel.hpp"

namespace gyre::bench {
namespace {

class SharedChannel {
public:
    auto send(std::uint64_t value) { return channel_.send(value); }
    Future<std::uint64_t> receive() { co_return *co_await channel_.receive(); }

private:
    ThreadChannel<std::uint64_t> channel_{2};
};

}  // namespace

void measure_channel_ping_pong_2(Run& run) {
    SharedChannel questions;
    SharedChannel answers;
    std::atomic<bool> is_over{false};
    std::thread other([&] {
        const PinnedThread pinned{1};
        RealLoop<Executor> there{LoopOptions{.thread_id = 2}};
        there.app.root().spawn(answer_all<SharedChannel, Future<void>>(questions, answers));
        static_cast<void>(there.loop.run());
        while (!is_over.load()) std::this_thread::yield();  // It outlives the last post to it.
    });
    Meter meter(run);
    {
        const PinnedThread pinned{0};
        RealLoop<Executor> here{LoopOptions{.thread_id = 1}};
        here.app.root().spawn(ask_all<SharedChannel, Future<void>>(questions, answers, meter));
        static_cast<void>(here.loop.run());
        is_over.store(true);
        other.join();
    }
    run.report("channel_ping_pong_2", meter.ns());
}

}  // namespace gyre::bench
