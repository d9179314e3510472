// SPDX-License-Identifier: Apache-2.0
// The timer cases, written once for every C++ program. All of them run in virtual time: an adapter
// is told the time, so "all due" is exact and no case waits for a real clock.
//
// An adapter `Timers` owns a loop and `count` idle timers, and has
//     Timers(std::size_t count, Fired& fired)
//     void start(std::size_t i, std::int64_t delay_ns)    timer i, idle, relative to the loop's now
//     void cancel(std::size_t i)                          timer i, active
//     void rearm(std::size_t i, std::int64_t delay_ns)    timer i, active, to a new deadline
//     void turn_at(std::int64_t time_ns)                  one turn that does not wait, at that time
// and calls `fired.on_fire(i, *this)` from the callback of timer i. Where a program measures timers
// in two ways, one of them has a `case_prefix` instead of "timers_". One thread; an adapter lives
// for one pass.
#pragma once

#include <string>
#include <utility>

#include "bench/protocol.hpp"
#include "bench/stopwatch.hpp"
#include "bench/workload.hpp"

namespace gyre::bench {

// What a timer's callback does: count, and in the steady case start the same timer again.
struct Fired {
    std::uint64_t count = 0;
    const std::vector<std::int64_t>* restart_delays = nullptr;

    template <class Timers>
    void on_fire(std::size_t i, Timers& timers) {
        ++count;
        if (restart_delays == nullptr) return;
        timers.start(i, (*restart_delays)[count % restart_delays->size()]);
    }
};

inline std::size_t timer_count(const Run& run) noexcept {
    return run.is_quick() ? timer_count_quick : timer_count_full;
}

template <class Timers>
std::string timer_case(const char* name) {
    if constexpr (requires { Timers::case_prefix; }) return std::string(Timers::case_prefix) + name;
    return std::string("timers_") + name;
}

// insert, cancel, fire, memory_timer: start all, cancel every second one, then move the time past
// the last deadline. Some libraries start timers or deliver a cancelled wait in a turn: that turn
// counts as part of inserting and cancelling. The first pass warms memory.
template <class Timers>
void measure_timers(Run& run) {
    const std::size_t count = timer_count(run);
    const auto delays = delays_ns(count, 1);
    keep_freed_memory();
    for (int pass = 0; pass < 3; ++pass) {
        const HeapMeter heap;
        Fired fired;
        Timers timers{count, fired};

        Stopwatch stopwatch;
        for (std::size_t i = 0; i < count; ++i) timers.start(i, delays[i]);
        timers.turn_at(0);
        run.report(timer_case<Timers>("insert"), stopwatch.lap_ns_per(count));
        run.report("memory_timer", heap.bytes_per(count));

        stopwatch = {};
        for (std::size_t i = 0; i < count; i += 2) timers.cancel(i);
        timers.turn_at(0);
        run.report(timer_case<Timers>("cancel"), stopwatch.lap_ns_per(count / 2));

        fired.count = 0;
        stopwatch = {};
        while (fired.count < count / 2) timers.turn_at(delay_max_ns + ns_per_ms);
        run.report(timer_case<Timers>("fire"), stopwatch.lap_ns_per(count / 2));
    }
}

// refire: all active, time moves in steps of 1 ms, what fires is started again.
template <class Timers>
void measure_refire(Run& run) {
    const std::size_t count = timer_count(run);
    const auto delays = delays_ns(count, 1);
    const auto restart_delays = delays_ns(count, 2);
    Fired fired{.restart_delays = &restart_delays};
    Timers timers{count, fired};
    for (std::size_t i = 0; i < count; ++i) timers.start(i, delays[i]);
    timers.turn_at(0);

    Stopwatch stopwatch;
    std::int64_t time_ns = 0;
    while (fired.count < count) timers.turn_at(time_ns += ns_per_ms);
    run.report(timer_case<Timers>("refire"), stopwatch.lap_ns_per(fired.count));
}

// rearm: all active, each moved to a new deadline.
template <class Timers>
void measure_rearm(Run& run) {
    const std::size_t count = timer_count(run);
    const auto delays = delays_ns(count, 1);
    const auto new_delays = delays_ns(count, 3);
    Fired fired;
    Timers timers{count, fired};
    for (std::size_t i = 0; i < count; ++i) timers.start(i, delays[i]);
    timers.turn_at(0);

    Stopwatch stopwatch;
    for (std::size_t i = 0; i < count; ++i) timers.rearm(i, new_delays[i]);
    timers.turn_at(0);
    run.report(timer_case<Timers>("rearm"), stopwatch.lap_ns_per(count));
}

template <class Timers>
std::vector<Entry> timer_entries() {
    Entry first{
        {timer_case<Timers>("insert"), timer_case<Timers>("cancel"), timer_case<Timers>("fire")},
        measure_timers<Timers>};
    if constexpr (!requires { Timers::case_prefix; }) first.cases.push_back("memory_timer");
    return {
        std::move(first),
        {{timer_case<Timers>("refire")}, measure_refire<Timers>},
        {{timer_case<Timers>("rearm")}, measure_rearm<Timers>},
    };
}

}  // namespace gyre::bench
