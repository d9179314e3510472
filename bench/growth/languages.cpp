// SPDX-License-Identifier: Apache-2.0
// What languages stand on: actors and their names, jobs, runs of effectful functions.
#include <memory>
#include <string>

#include "bench/growth/subjects.hpp"
#include "bench/manual_platform.hpp"
#include "gyre/actor/actor.hpp"
#include "gyre/effect/coroutine_guest.hpp"
#include "gyre/effect/scheduler.hpp"
#include "gyre/job/pump.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/sync/event.hpp"

namespace gyre::bench {
namespace {

constexpr std::uint64_t batch = 64;

// ---- Actors ----

struct Item {};
class Sink : public actor::Actor<Sink> {
public:
    explicit Sink(std::uint64_t* seen) : seen_(seen) {}
    void handle(Item) { ++*seen_; }

private:
    std::uint64_t* seen_;
};

// The task of the body, and the system's: on a loop in which the case makes the turns.
struct ActorLoop {
    ActorLoop() {
        executor.root().spawn(hold_open());
        turn_while_ready();
    }
    ~ActorLoop() {
        system.stop_now();
        is_over.set();
        turn_while_ready();
        loop.close();
    }
    Future<void> hold_open() {
        co_await with_scope([this](Scope& scope) -> Future<void> {
            system.open(scope);
            co_await is_over.wait();
        });
    }
    void turn_while_ready() {
        while (loop.has_ready_work()) loop.turn();
    }

    ManualPlatform platform;
    Executor executor;
    actor::System system;
    Event is_over;
    Loop loop{platform, executor};
};

// A message to one actor, among others that are idle.
void actors(Meter& meter, std::size_t count) {
    ActorLoop actors;
    std::uint64_t seen = 0;
    std::vector<actor::Ref<Sink>> sinks;
    sinks.reserve(count);
    const HeapMeter heap;
    for (std::size_t i = 0; i < count; ++i) sinks.push_back(actors.system.spawn<Sink>(&seen));
    actors.turn_while_ready();
    meter.report_bytes(heap.bytes_per(count));
    Picks picks(count);
    while (meter.goes_on()) {
        const std::uint64_t target = seen + batch;
        meter.measure(batch, [&] {
            for (std::uint64_t i = 0; i < batch; ++i) {
                if (!sinks[picks.next()].send(Item())) std::abort();
            }
            while (seen < target) actors.loop.turn();
        });
    }
}

// An actor is found by its name.
void actor_names(Meter& meter, std::size_t count) {
    ActorLoop actors;
    std::uint64_t seen = 0;
    std::vector<std::string> names;
    std::vector<actor::Ref<Sink>> sinks;
    names.reserve(count);
    sinks.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        names.push_back("actor number " + std::to_string(i));
        sinks.push_back(actors.system.spawn_with<Sink>({.name = names.back()}, &seen));
    }
    actors.turn_while_ready();
    Picks picks(count);
    while (meter.goes_on()) {
        meter.measure(batch, [&] {
            for (std::uint64_t i = 0; i < batch; ++i) {
                if (!actors.system.find<Sink>(names[picks.next()])) std::abort();
            }
        });
    }
}

// ---- Jobs ----

// So many microtasks are queued, then run; for each.
void jobs_pending(Meter& meter, std::size_t count) {
    platform::SystemClock clock;
    ManualPlatform platform;
    job::Host host;
    job::Scheduler jobs(clock, host);
    job::Pump pump(jobs);
    Loop loop(platform, pump);
    pump.start();
    std::uint64_t run_count = 0;
    const auto queue_all = [&] {
        for (std::size_t i = 0; i < count; ++i) jobs.queue_microtask([&] { ++run_count; });
    };
    const auto run_until = [&](std::uint64_t target) {
        while (run_count < target) loop.turn();
    };
    // The queue has grown once before it is measured.
    const HeapMeter heap;
    queue_all();
    meter.report_bytes(heap.bytes_per(count));
    run_until(count);
    while (meter.goes_on()) {
        meter.measure(count, [&] {
            const std::uint64_t target = run_count + count;
            queue_all();
            run_until(target);
        });
    }
    loop.close();
}

// ---- Runs ----

struct Ask {
    static constexpr effect::ResumeOp<int(int)> plain{"growth", "plain"};
    static constexpr effect::ResumeOp<int(int)> wait{"growth", "wait"};
};
effect::Effectful<int> one_step(int of) {
    co_return co_await effect::perform(Ask::plain, of);
}
effect::Effectful<int> one_wait(int of) {
    co_return co_await effect::perform(Ask::wait, of);
}

// A run from its start to its outcome, among others that wait in a handler.
void runs_waiting(Meter& meter, std::size_t count) {
    ManualPlatform platform;
    Executor executor;
    Promise<void> never;
    effect::CoroutineGuest guest;
    effect::Handlers handlers;
    effect::Scheduler scheduler(executor, {.run_count_max = count + batch});
    Loop loop(platform, executor);
    guest.add("one_step", one_step).add("one_wait", one_wait);
    handlers.on(Ask::plain, [](int n) { return effect::resume(n + 1); });
    handlers.on(Ask::wait, [&never](int n) -> Future<effect::Answer> {
        co_await never.future();
        co_return effect::resume(n);
    });
    const auto turn_while_ready = [&loop] {
        while (loop.has_ready_work()) loop.turn();
    };
    std::vector<effect::RunHandle<int>> waiting;
    waiting.reserve(count);
    const HeapMeter heap;
    for (std::size_t i = 0; i < count; ++i) {
        waiting.push_back(scheduler.start<int>(guest, handlers, "one_wait", {1}));
    }
    turn_while_ready();
    meter.report_bytes(heap.bytes_per(count));
    std::vector<effect::RunHandle<int>> started;
    while (meter.goes_on()) {
        meter.measure(batch, [&] {
            for (std::uint64_t i = 0; i < batch; ++i) {
                started.push_back(scheduler.start<int>(guest, handlers, "one_step", {1}));
            }
            turn_while_ready();
            started.clear();
        });
    }
    for (auto& handle : waiting) handle.cancel("enough");
    turn_while_ready();
    loop.close();
}

}  // namespace

std::vector<Subject> language_subjects() {
    return {
        {"actors", million, actors},
        {"actor_names", million, actor_names},
        {"jobs_pending", million, jobs_pending},
        {"runs_waiting", million, runs_waiting},
    };
}

}  // namespace gyre::bench
