// SPDX-License-Identifier: Apache-2.0
// The cases of handles, written once for gyre and for libuv. Every handle and callback is the
// library's own; the loops are the same in both programs.
//
// An adapter `Face` is a loop and has types Timer, Idle, Async, Poll and Work with
//     Timer                init(face), start(delay_ms, count), stop(), close()   counts its calls
//     Idle(face)           start(), close()
//     Async(face, call)    send(), close()                       `call` runs on the loop's thread
//     Poll(face, fd, count, answers)  reads one byte for each call, and sends one back where it
//                          answers; close()
//     Work(face, count)    queue()
// and bool run_once(), bool run_no_wait(), void run(), void stop(). One thread but where said.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <thread>

#include "bench/fd_cases.hpp"
#include "bench/protocol.hpp"
#include "bench/stopwatch.hpp"
#include "bench/workload.hpp"

namespace gyre::bench {

inline std::size_t handle_count(const Run& run) noexcept {
    return run.is_quick() ? 20'000 : 200'000;
}

// start, stop, fire and memory: delays as in the kernel's cases, then all at once with none.
template <class Face>
void measure_handle_timers(Run& run) {
    const std::size_t count = handle_count(run);
    const auto delays = delays_ns(count, 1);
    keep_freed_memory();
    for (int pass = 0; pass < 3; ++pass) {
        Face face;
        std::uint64_t fired = 0;
        const HeapMeter heap;
        auto timers = std::make_unique<typename Face::Timer[]>(count);
        for (std::size_t i = 0; i < count; ++i) timers[i].init(face);

        Stopwatch stopwatch;
        for (std::size_t i = 0; i < count; ++i) timers[i].start(delays[i] / ns_per_ms, fired);
        run.report("handle_timer_start", stopwatch.lap_ns_per(count));
        run.report("handle_memory_timer", heap.bytes_per(count));
        stopwatch = {};
        for (std::size_t i = 0; i < count; ++i) timers[i].stop();
        run.report("handle_timer_stop", stopwatch.lap_ns_per(count));

        for (std::size_t i = 0; i < count; ++i) timers[i].start(0, fired);
        stopwatch = {};
        while (fired < count) face.run_no_wait();
        run.report("handle_timer_fire", stopwatch.lap_ns_per(count));

        for (std::size_t i = 0; i < count; ++i) timers[i].start(1'000, fired);
        stopwatch = {};
        for (std::size_t i = 0; i < count; ++i) timers[i].close();
        face.run();
        run.report("handle_close", stopwatch.lap_ns_per(count));
    }
}

template <class Face>
void measure_handle_idle(Run& run) {
    Face face;
    typename Face::Idle idle(face);
    idle.start();
    run.report("handle_idle_spin",
               ns_per_operation(run.span_ns(), [&] { idle.iterate(1000); }) / 1000);
    idle.close();
    face.run();
}

// Another thread sends; the loop waits in the system between two sends.
template <class Face>
void measure_handle_async(Run& run) {
    std::atomic<Face*> face = nullptr;
    std::atomic<typename Face::Async*> wake = nullptr;
    std::atomic<std::uint64_t> calls = 0;
    std::atomic<bool> is_over = false;
    std::thread looper([&] {
        Face own;
        typename Face::Async async(own, [&] {
            calls.fetch_add(1);
            if (is_over.load()) wake.load()->close();
        });
        face.store(&own);
        wake.store(&async);
        own.run();
    });
    while (wake.load() == nullptr) std::this_thread::yield();
    typename Face::Async& async = *wake.load();
    run.report("handle_async_send", ns_per_operation(run.span_ns(), [&] { async.send(); }));
    run.report("handle_async_round_trip", ns_per_operation(run.span_ns(), [&] {
                   const std::uint64_t before = calls.load();
                   async.send();
                   while (calls.load() == before) std::this_thread::yield();
               }));
    is_over.store(true);
    async.send();
    looper.join();
}

template <class Face>
double handle_fd_ns(const Run& run, std::size_t fd_count) {
    SocketPairs pairs{fd_count};
    std::uint64_t delivered = 0;
    Face face;
    std::deque<typename Face::Poll> polls;
    for (const int fd : pairs.near) polls.emplace_back(face, fd, delivered, false);
    for (int i = 0; i < 4; ++i) face.run_no_wait();
    const double round_ns = ns_per_operation(run.span_ns(), [&] {
        const std::uint64_t target = delivered + fd_count;
        for (const int fd : pairs.far) write_byte(fd);
        while (delivered < target) face.run_once();
    });
    for (auto& poll : polls) poll.close();
    face.run();
    return round_ns / static_cast<double>(fd_count);
}

// The descriptor that was called back is quiet in the next iteration, and the other one ready.
template <class Face>
double handle_fd_echo_ns(const Run& run) {
    SocketPairs pairs{1};
    std::uint64_t delivered = 0;
    Face face;
    typename Face::Poll near(face, pairs.near[0], delivered, true);
    typename Face::Poll far(face, pairs.far[0], delivered, true);
    for (int i = 0; i < 4; ++i) face.run_no_wait();
    write_byte(pairs.far[0]);
    const double ns = ns_per_operation(run.span_ns(), [&] { face.run_once(); });
    near.close();
    far.close();
    face.run();
    return ns;
}

template <class Face>
void measure_handle_fd(Run& run) {
    run.report("handle_fd_echo", handle_fd_echo_ns<Face>(run));
    run.report("handle_fd_event", handle_fd_ns<Face>(run, 1));
    run.report("handle_fd_event_100", handle_fd_ns<Face>(run, 100));
}

template <class Face>
void measure_handle_work(Run& run) {
    Face face;
    std::uint64_t done = 0;
    std::deque<typename Face::Work> works;
    for (int i = 0; i < 64; ++i) works.emplace_back(face, done);
    run.report("handle_work_1", ns_per_operation(run.span_ns(), [&] {
                   works.front().queue();
                   face.run();
               }));
    run.report("handle_work_64", ns_per_operation(run.span_ns(), [&] {
                                     for (auto& work : works) work.queue();
                                     face.run();
                                 }) / 64);
}

template <class Face>
std::vector<Entry> handle_entries() {
    return {
        {{"handle_timer_start", "handle_timer_stop", "handle_timer_fire", "handle_close",
          "handle_memory_timer"},
         measure_handle_timers<Face>},
        {{"handle_idle_spin"}, measure_handle_idle<Face>},
        {{"handle_async_send", "handle_async_round_trip"}, measure_handle_async<Face>},
        {{"handle_fd_event", "handle_fd_event_100", "handle_fd_echo"}, measure_handle_fd<Face>},
        {{"handle_work_1", "handle_work_64"}, measure_handle_work<Face>},
    };
}

}  // namespace gyre::bench
