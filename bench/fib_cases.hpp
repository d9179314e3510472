// SPDX-License-Identifier: Apache-2.0
// The cases of parallel computation: fib(32) by recursion down to 0 and 1, where each of the 3.5
// million calls that is no leaf could run its two halves at the same time. There is next to nothing
// to compute, so that the price of a fork is what is measured.
//
// An adapter `Fibber` has
//     explicit Fibber(unsigned thread_count)
//     std::uint64_t fib(unsigned n)
// and is used from the main thread.
#pragma once

#include <cstdlib>

#include "bench/protocol.hpp"
#include "bench/stopwatch.hpp"

namespace gyre::bench {

template <class Fibber>
double fib_ms(const Run& run, unsigned thread_count) {
    const unsigned n = run.is_quick() ? 24 : 32;
    const std::uint64_t expected = run.is_quick() ? 46'368 : 2'178'309;
    Fibber fibber{thread_count};
    if (fibber.fib(n) != expected) std::abort();  // The first time starts the threads.
    const Stopwatch stopwatch;
    if (fibber.fib(n) != expected) std::abort();
    return stopwatch.elapsed_ns() / 1e6;
}

template <class Fibber>
std::vector<Entry> fib_entries() {
    return {
        {{"pool_fib_1"}, [](Run& run) { run.report("pool_fib_1", fib_ms<Fibber>(run, 1)); }},
        {{"pool_fib_2"}, [](Run& run) { run.report("pool_fib_2", fib_ms<Fibber>(run, 2)); }},
    };
}

}  // namespace gyre::bench
