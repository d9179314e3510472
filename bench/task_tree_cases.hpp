// SPDX-License-Identifier: Apache-2.0
// Cases of the group task in which there are very many tasks: waiting ones, and trees of them. For
// the adapters that task_cases.hpp describes.
#pragma once

#include <utility>

#include "bench/task_cases.hpp"

namespace gyre::bench {

inline std::uint64_t idle_task_count(const Run& run) {
    return run.is_quick() ? 100'000 : 1'000'000;
}
inline std::uint64_t skynet_leaf_count(const Run& run) {
    return run.is_quick() ? 10'000 : 1'000'000;
}
inline std::uint64_t fib_number(const Run& run) {
    return run.is_quick() ? 20 : 32;
}
inline std::uint64_t fib_of(std::uint64_t n) {
    std::uint64_t a = 0;
    std::uint64_t b = 1;
    for (; n > 0; --n) a = std::exchange(b, a + b);
    return a;
}

// A benchmark that computes nonsense measures nothing.
inline void check_sum(std::uint64_t sum, std::uint64_t expected) {
    if (sum == expected) return;
    std::fprintf(stderr, "the sum is %llu, it should be %llu\n",
                 static_cast<unsigned long long>(sum), static_cast<unsigned long long>(expected));
    std::abort();
}
inline std::uint64_t skynet_sum(std::uint64_t leaf_count) {
    return leaf_count * (leaf_count - 1) / 2;
}

template <class Tasks>
typename Tasks::template Task<void> idler(Tasks& tasks,
                                          std::vector<typename Tasks::Signal*>& signals) {
    typename Tasks::Signal signal(tasks);
    signals.push_back(&signal);
    co_await signal.wait();
}

template <class Tasks>
void measure_idle_tasks(Run& run) {
    const std::uint64_t count = idle_task_count(run);
    Tasks tasks;
    std::vector<typename Tasks::Signal*> signals;
    signals.reserve(count);
    const auto measure = [&]() -> typename Tasks::template Task<void> {
        const HeapMeter heap;
        for (std::uint64_t i = 0; i < count; ++i) tasks.spawn(idler(tasks, signals));
        while (signals.size() < count) co_await tasks.yield();
        run.report("idle_tasks", heap.bytes_per(count));
        for (auto* signal : signals) signal->wake();
    };
    tasks.spawn(measure());
    tasks.run();
}

template <class Tasks>
typename Tasks::template Task<std::uint64_t> skynet(Tasks& tasks, std::uint64_t first,
                                                    std::uint64_t leaf_count) {
    if (leaf_count == 1) co_return first;
    typename Tasks::Group group(tasks);
    const std::uint64_t each = leaf_count / 10;
    for (std::uint64_t i = 0; i < 10; ++i) group.spawn(skynet(tasks, first + i * each, each));
    co_return co_await group.sum();
}

template <class Tasks>
void measure_skynet(Run& run, const char* name) {
    const std::uint64_t leaf_count = skynet_leaf_count(run);
    Tasks tasks;
    std::uint64_t sum = 0;
    const auto measure = [&]() ->
        typename Tasks::template Task<void> { sum = co_await skynet(tasks, 0, leaf_count); };
    const Stopwatch stopwatch;
    tasks.spawn(measure());
    tasks.run();
    run.report(name, stopwatch.elapsed_ns() / 1e6);
    check_sum(sum, skynet_sum(leaf_count));
}

template <class Pool>
void measure_skynet_2(Run& run) {
    const std::uint64_t leaf_count = skynet_leaf_count(run);
    Pool pool(2);
    const Stopwatch stopwatch;
    const std::uint64_t sum = pool.sum_of(skynet(pool, 0, leaf_count));
    run.report("skynet_2", stopwatch.elapsed_ns() / 1e6);
    check_sum(sum, skynet_sum(leaf_count));
}

template <class Pool>
typename Pool::template Task<std::uint64_t> fib(Pool& pool, std::uint64_t n) {
    if (n < 2) co_return n;
    typename Pool::Group group(pool);
    group.spawn(fib(pool, n - 1));
    const std::uint64_t own = co_await fib(pool, n - 2);
    co_return own + co_await group.sum();
}

template <class Pool, int thread_count>
void measure_fib(Run& run) {
    const std::uint64_t n = fib_number(run);
    Pool pool(thread_count);
    const Stopwatch stopwatch;
    const std::uint64_t sum = pool.sum_of(fib(pool, n));
    run.report(thread_count == 1 ? "fib32_1" : "fib32_2", stopwatch.elapsed_ns() / 1e6);
    check_sum(sum, fib_of(n));
}

template <class Tasks>
std::vector<Entry> task_tree_entries() {
    return {
        {{"idle_tasks"}, measure_idle_tasks<Tasks>},
        {{"skynet_1"}, [](Run& run) { measure_skynet<Tasks>(run, "skynet_1"); }},
    };
}

template <class Pool>
std::vector<Entry> task_pool_entries() {
    return {
        {{"skynet_2"}, measure_skynet_2<Pool>},
        {{"fib32_1"}, measure_fib<Pool, 1>},
        {{"fib32_2"}, measure_fib<Pool, 2>},
    };
}

}  // namespace gyre::bench
