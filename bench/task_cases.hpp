// SPDX-License-Identifier: Apache-2.0
// The cases of the group task, written once for every C++ library with coroutines.
//
// An adapter `Tasks` owns one executor, on the thread that made it, and has
//     Task<T>                what a coroutine returns; `co_await` gives its T
//     yield()                awaitable: to the back of the run queue
//     spawn(Task<void>)      starts a task beside the others
//     run()                  returns when every task has ended
//     Signal                 made of (Tasks&); wait() is awaitable, by one task; wake() queues it
//     Channel                made of (Tasks&, capacity); send(value) and receive() are awaitable
//     Group                  made of (Tasks&); spawn(Task<uint64_t>), and then sum(), awaitable
// and for single cases, each where the library has such a thing:
//     static four_ready(value)  an array of four awaitables, ready; not inlined     await_ready
//     static child(value)    a Task<uint64_t> that returns at once; not inlined     child_await
//     static open_child(value)  the same, open to the compiler               child_await_elided
//     poll_pending(meter)    polls a future that is not ready while the meter runs  poll
//     Promise                made of (Tasks&); settle(value), then get(), awaitable promise
//     sleep(duration_ns)     awaitable, in virtual time                             timer_await
//     turn_at(time_ns)       moves virtual time and runs what can run               timer_await
//
// A pool adapter `Pool` is made of a number of threads and has Task<T>, Group and
//     sum_of(Task<uint64_t>) runs it and what it spawns to the end
//
// Values cross functions that are not inlined, so that nothing is folded away. Where many tasks
// take part there are 64, so that what a library does once a turn is shared by them. A case that a
// library has no equivalent of is left out of its tables. Trees of tasks and very many of them are
// in task_tree_cases.hpp.
//
// The cases (units: ns, unless said):
//     await_ready          await something that is ready
//     child_await          create a child that returns at once, and await it
//     child_await_elided   the same where the compiler sees the child, and may leave out its frame
//                          (clang can, g++ never does); ours only
//     poll                 poll a future that is not ready
//     promise              make a promise, settle it, await it
//     wake                 wake a waiting task, until it waits again
//     yield                go to the back of the run queue, until it runs again
//     spawn                start a task that returns at once, until it is gone
//     channel_ping_pong    a message to a task that waits for it; it answers in the same way
//     channel_ping_pong_2  the same between two threads
//     channel_stream       a message through a channel that holds 64
//     timer_await          await a timer, in virtual time
//     idle_tasks           bytes of a task that waits, among 1M
//     skynet_1, skynet_2   ms; a tree of tasks, 10 children each, 1M leaves, sum of their numbers;
//                          on one thread, on two; gyre forks on its pool there
//     skynet_tasks         the same for gyre as tasks on its loop's thread, as the peers' skynet_1
//     idle_sleepers        for gyre: bytes of a task that sleeps, among 1M
//     fib32_1, fib32_2     ms; fib(32), each call forks one of its two; pool of 1 or 2 threads
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "bench/protocol.hpp"
#include "bench/stopwatch.hpp"

namespace gyre::bench {

inline constexpr std::uint64_t tasks_at_once = 64;
inline constexpr std::uint64_t stream_capacity = 64;
inline constexpr std::uint64_t operations_at_once = 1024;
inline constexpr std::int64_t sleep_ns = 1'000'000;

// Counts operations until enough time has passed. Ask goes_on before each batch. The figure is that
// of the best slice: long enough for all that a library does now and then, short enough to pass
// between two interruptions by other programs.
class Meter {
public:
    explicit Meter(const Run& run) : span_ns_(run.span_ns()) {}

    [[nodiscard]] bool goes_on(std::uint64_t batch_count) {
        if (slice_count_ >= slice_operations) end_slice();
        slice_count_ += batch_count;
        return elapsed_ns_ < span_ns_;
    }
    [[nodiscard]] double ns() const { return best_ns_; }

private:
    static constexpr std::uint64_t slice_operations = 16 * 1024;

    [[gnu::noinline]] void end_slice() {
        const double each_ns = stopwatch_.lap_ns_per(slice_count_);
        best_ns_ = std::min(best_ns_, each_ns);
        elapsed_ns_ += each_ns * static_cast<double>(slice_count_);
        slice_count_ = 0;
    }

    double span_ns_;
    Stopwatch stopwatch_;
    double elapsed_ns_ = 0;
    double best_ns_ = std::numeric_limits<double>::infinity();
    std::uint64_t slice_count_ = 0;
};

// The compiler must have the value, and may keep it in a register.
inline void use(std::uint64_t value) {
    asm volatile("" : : "r"(value));
}

// Runs one coroutine that measures, and reports what it came to.
template <class Tasks, class Body>
void report_task(Run& run, const char* name, Body body) {
    Tasks tasks;
    Meter meter(run);
    tasks.spawn(body(tasks, meter));
    tasks.run();
    run.report(name, meter.ns());
}

template <class Tasks>
typename Tasks::template Task<void> await_ready_case(Tasks& /*tasks*/, Meter& meter) {
    while (meter.goes_on(operations_at_once)) {
        // Four from one call: a call that is not inlined is slower than the await.
        for (std::uint64_t i = 0; i < operations_at_once; i += 4) {
            auto ready = Tasks::four_ready(i);
            use(co_await std::move(ready[0]));
            use(co_await std::move(ready[1]));
            use(co_await std::move(ready[2]));
            use(co_await std::move(ready[3]));
        }
    }
}

template <class Tasks>
typename Tasks::template Task<void> child_await_case(Tasks& /*tasks*/, Meter& meter) {
    std::uint64_t sum = 0;
    while (meter.goes_on(operations_at_once)) {
        for (std::uint64_t i = 0; i < operations_at_once; ++i) sum += co_await Tasks::child(i);
    }
    if (sum == 1) std::abort();
}

template <class Tasks>
typename Tasks::template Task<void> child_await_elided_case(Tasks& /*tasks*/, Meter& meter) {
    std::uint64_t sum = 0;
    while (meter.goes_on(operations_at_once)) {
        for (std::uint64_t i = 0; i < operations_at_once; ++i) sum += co_await Tasks::open_child(i);
    }
    if (sum == 1) std::abort();
}

template <class Tasks>
typename Tasks::template Task<void> promise_case(Tasks& tasks, Meter& meter) {
    std::uint64_t sum = 0;
    while (meter.goes_on(operations_at_once)) {
        for (std::uint64_t i = 0; i < operations_at_once; ++i) {
            typename Tasks::Promise promise(tasks);
            promise.settle(i);
            sum += co_await promise.get();
        }
    }
    if (sum == 1) std::abort();
}

template <class Tasks>
struct Sleepers {
    explicit Sleepers(Tasks& tasks) {
        for (std::uint64_t i = 0; i < tasks_at_once; ++i) {
            signals.push_back(std::make_unique<typename Tasks::Signal>(tasks));
        }
    }
    void wake_all() {
        for (auto& signal : signals) signal->wake();
    }
    std::vector<std::unique_ptr<typename Tasks::Signal>> signals;
    bool is_over = false;
};

template <class Tasks>
typename Tasks::template Task<void> sleeper(typename Tasks::Signal& signal, const bool& is_over) {
    while (!is_over) co_await signal.wait();
}

// They stand in the queue before the one that wakes them, so it runs when all of them have.
template <class Tasks>
typename Tasks::template Task<void> wake_case(Tasks& tasks, Meter& meter) {
    Sleepers<Tasks> sleepers(tasks);
    for (auto& signal : sleepers.signals) tasks.spawn(sleeper<Tasks>(*signal, sleepers.is_over));
    co_await tasks.yield();
    while (meter.goes_on(tasks_at_once)) {
        sleepers.wake_all();
        co_await tasks.yield();
    }
    sleepers.is_over = true;
    sleepers.wake_all();
    co_await tasks.yield();
}

template <class Tasks>
typename Tasks::template Task<void> yielder(Tasks& tasks, const bool& is_over) {
    while (!is_over) co_await tasks.yield();
}

template <class Tasks>
typename Tasks::template Task<void> yield_case(Tasks& tasks, Meter& meter) {
    bool is_over = false;
    for (std::uint64_t i = 1; i < tasks_at_once; ++i) tasks.spawn(yielder(tasks, is_over));
    while (meter.goes_on(tasks_at_once)) co_await tasks.yield();
    is_over = true;
    co_await tasks.yield();
}

template <class Tasks>
typename Tasks::template Task<void> counter(std::uint64_t& count) {
    ++count;
    co_return;
}

template <class Tasks>
typename Tasks::template Task<void> spawn_case(Tasks& tasks, Meter& meter) {
    std::uint64_t count = 0;
    std::uint64_t target = 0;
    while (meter.goes_on(tasks_at_once)) {
        target += tasks_at_once;
        for (std::uint64_t i = 0; i < tasks_at_once; ++i) tasks.spawn(counter<Tasks>(count));
        while (count < target) co_await tasks.yield();
    }
}

inline constexpr std::uint64_t last_message = ~std::uint64_t{0};

template <class Channel, class Task>
Task answer_all(Channel& questions, Channel& answers) {
    for (;;) {
        const std::uint64_t value = co_await questions.receive();
        co_await answers.send(value);
        if (value == last_message) co_return;
    }
}

template <class Channel, class Task>
Task ask_all(Channel& questions, Channel& answers, Meter& meter) {
    std::uint64_t sum = 0;
    while (meter.goes_on(2 * tasks_at_once)) {
        for (std::uint64_t i = 0; i < tasks_at_once; ++i) {
            co_await questions.send(i);
            sum += co_await answers.receive();
        }
    }
    co_await questions.send(last_message);
    sum += co_await answers.receive();
    if (sum == 1) std::abort();
}

template <class Tasks>
typename Tasks::template Task<void> channel_ping_pong_case(Tasks& tasks, Meter& meter) {
    using Task = typename Tasks::template Task<void>;
    typename Tasks::Channel questions(tasks, 1);
    typename Tasks::Channel answers(tasks, 1);
    tasks.spawn(answer_all<typename Tasks::Channel, Task>(questions, answers));
    co_await ask_all<typename Tasks::Channel, Task>(questions, answers, meter);
}

template <class Tasks>
typename Tasks::template Task<void> stream_out(typename Tasks::Channel& channel, Meter& meter) {
    while (meter.goes_on(operations_at_once)) {
        for (std::uint64_t i = 0; i < operations_at_once; ++i) co_await channel.send(i);
    }
    co_await channel.send(last_message);
}

template <class Tasks>
typename Tasks::template Task<void> channel_stream_case(Tasks& tasks, Meter& meter) {
    typename Tasks::Channel channel(tasks, stream_capacity);
    tasks.spawn(stream_out<Tasks>(channel, meter));
    while (co_await channel.receive() != last_message) continue;
}

template <class Tasks>
typename Tasks::template Task<void> napper(Tasks& tasks, const bool& is_over,
                                           std::uint64_t& count) {
    while (!is_over) {
        co_await tasks.sleep(sleep_ns);
        ++count;
    }
}

template <class Tasks>
void measure_timer_await(Run& run) {
    Tasks tasks;
    Meter meter(run);
    bool is_over = false;
    std::uint64_t count = 0;
    std::uint64_t target = 0;
    std::int64_t time_ns = 0;
    for (std::uint64_t i = 0; i < tasks_at_once; ++i) tasks.spawn(napper(tasks, is_over, count));
    tasks.turn_at(time_ns);
    const auto wake_all = [&] {
        target += tasks_at_once;
        time_ns += sleep_ns;
        while (count < target) tasks.turn_at(time_ns);
    };
    while (meter.goes_on(tasks_at_once)) wake_all();
    is_over = true;
    wake_all();
    tasks.run();
    run.report("timer_await", meter.ns());
}

// What every library with coroutines has, on one thread.
template <class Tasks>
std::vector<Entry> task_entries() {
    return {
        {{"wake"}, [](Run& run) { report_task<Tasks>(run, "wake", wake_case<Tasks>); }},
        {{"yield"}, [](Run& run) { report_task<Tasks>(run, "yield", yield_case<Tasks>); }},
        {{"spawn"}, [](Run& run) { report_task<Tasks>(run, "spawn", spawn_case<Tasks>); }},
        {{"channel_ping_pong"},
         [](Run& run) {
             report_task<Tasks>(run, "channel_ping_pong", channel_ping_pong_case<Tasks>);
         }},
        {{"channel_stream"},
         [](Run& run) { report_task<Tasks>(run, "channel_stream", channel_stream_case<Tasks>); }},
    };
}

// What only some have.
template <class Tasks>
Entry await_ready_entry() {
    return {{"await_ready"},
            [](Run& run) { report_task<Tasks>(run, "await_ready", await_ready_case<Tasks>); }};
}
template <class Tasks>
Entry child_await_entry() {
    return {{"child_await"},
            [](Run& run) { report_task<Tasks>(run, "child_await", child_await_case<Tasks>); }};
}
template <class Tasks>
Entry child_await_elided_entry() {
    return {{"child_await_elided"}, [](Run& run) {
                report_task<Tasks>(run, "child_await_elided", child_await_elided_case<Tasks>);
            }};
}
template <class Tasks>
Entry promise_entry() {
    return {{"promise"}, [](Run& run) { report_task<Tasks>(run, "promise", promise_case<Tasks>); }};
}
template <class Tasks>
Entry timer_await_entry() {
    return {{"timer_await"}, measure_timer_await<Tasks>};
}
template <class Tasks>
Entry poll_entry() {
    return {{"poll"}, [](Run& run) {
                Tasks tasks;
                Meter meter(run);
                tasks.poll_pending(meter);
                run.report("poll", meter.ns());
            }};
}

}  // namespace gyre::bench
