// SPDX-License-Identifier: Apache-2.0
// bench_task: gyre's own rows of the group task. Called by bench/run.py; see protocol.hpp. Trees
// run on the workers of the CPU pool, one or two, by forking and joining, and one on the loop's own
// thread, of tasks.
#include <optional>

#include "bench/task/tasks.hpp"
#include "bench/task/two_threads.hpp"
#include "bench/task_tree_cases.hpp"
#include "gyre/pool/workers.hpp"

namespace gyre::bench {
namespace {

std::uint64_t forked_fib(std::uint64_t n) {
    if (n < 2) return n;
    const auto [one, two] =
        pool::fork_join([n] { return forked_fib(n - 1); }, [n] { return forked_fib(n - 2); });
    return one + two;
}

template <int worker_count>
void measure_forked_fib(Run& run) {
    const std::uint64_t n = fib_number(run);
    pool::Workers workers({.worker_count = worker_count});
    const Stopwatch stopwatch;
    const std::uint64_t sum = workers.run([n] { return forked_fib(n); });
    run.report(worker_count == 1 ? "fib32_1" : "fib32_2", stopwatch.elapsed_ns() / 1e6);
    check_sum(sum, fib_of(n));
}

// The ten children of a node, forked in halves.
std::uint64_t forked_skynet(std::uint64_t first, std::uint64_t leaf_count);
std::uint64_t forked_children(std::uint64_t first, std::uint64_t each, std::uint64_t count) {
    if (count == 1) return forked_skynet(first, each);
    const std::uint64_t half = count / 2;
    const auto [left, right] =
        pool::fork_join([=] { return forked_children(first, each, half); },
                        [=] { return forked_children(first + half * each, each, count - half); });
    return left + right;
}
std::uint64_t forked_skynet(std::uint64_t first, std::uint64_t leaf_count) {
    if (leaf_count == 1) return first;
    return forked_children(first, leaf_count / 10, 10);
}

template <int worker_count>
void measure_forked_skynet(Run& run) {
    const std::uint64_t leaf_count = skynet_leaf_count(run);
    pool::Workers workers({.worker_count = worker_count});
    const Stopwatch stopwatch;
    const std::uint64_t sum = workers.run([leaf_count] { return forked_skynet(0, leaf_count); });
    run.report(worker_count == 1 ? "skynet_1" : "skynet_2", stopwatch.elapsed_ns() / 1e6);
    check_sum(sum, skynet_sum(leaf_count));
}

// As measure_idle_tasks, but each waits for its own timer, and has nothing else in its frame.
std::uint64_t asleep_count = 0;
Future<void> idle_sleeper() {
    ++asleep_count;
    co_await sleep(std::chrono::hours(1));
}

void measure_idle_sleepers(Run& run) {
    const std::uint64_t count = idle_task_count(run);
    GyreTasks tasks;
    asleep_count = 0;
    const HeapMeter heap;
    for (std::uint64_t i = 0; i < count; ++i) tasks.spawn(idle_sleeper());
    while (asleep_count < count) tasks.turn_at(0);
    run.report("idle_sleepers", heap.bytes_per(count));
}

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(
        argument_count, arguments,
        {{await_ready_entry<GyreTasks>(),
          child_await_entry<GyreTasks>(),
          child_await_elided_entry<GyreTasks>(),
          poll_entry<GyreTasks>(),
          promise_entry<GyreTasks>(),
          timer_await_entry<GyreTasks>(),
          {{"channel_ping_pong_2"}, measure_channel_ping_pong_2},
          {{"idle_tasks"}, measure_idle_tasks<GyreTasks>},
          {{"idle_sleepers"}, measure_idle_sleepers},
          {{"skynet_tasks"}, [](Run& run) { measure_skynet<GyreTasks>(run, "skynet_tasks"); }},
          {{"skynet_1"}, measure_forked_skynet<1>},
          {{"skynet_2"}, measure_forked_skynet<2>},
          {{"fib32_1"}, measure_forked_fib<1>},
          {{"fib32_2"}, measure_forked_fib<2>}},
         task_entries<GyreTasks>()});
}
