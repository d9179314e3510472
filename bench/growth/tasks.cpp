// SPDX-License-Identifier: Apache-2.0
// Timers and tasks, on a loop whose platform serves nothing and whose time is a number.
#include <deque>
#include <memory>

#include "bench/growth/subjects.hpp"
#include "bench/manual_platform.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/sync/channel.hpp"
#include "gyre/task/sync/event.hpp"

namespace gyre::bench {
namespace {

constexpr std::uint64_t batch = 64;

template <class App>
struct ManualLoop {
    template <class... Arguments>
    explicit ManualLoop(Arguments&&... arguments) : app(std::forward<Arguments>(arguments)...) {}
    ~ManualLoop() { loop->close(); }

    // To the next deadline.
    void turn_on() {
        platform.time = loop->next_deadline();
        loop->turn();
    }
    void turn_while_ready() {
        while (loop->has_ready_work()) loop->turn();
    }

    ManualPlatform platform;
    App app;
    std::unique_ptr<Loop> loop = std::make_unique<Loop>(platform, app);
};

// ---- Timers ----

class TimerApp final : public Machine {
public:
    explicit TimerApp(std::size_t count)
        : Machine("timers"),
          ops_(count),
          delays_(delays_ns(std::max<std::size_t>(count, 4096), 2)) {}

    void start_all() {
        for (TimerOp& op : ops_) start(op);
    }
    void move(std::size_t i) {
        if (!reschedule(ops_[i], loop().now() + next_delay())) std::abort();
    }
    std::uint64_t fired_count = 0;

protected:
    void tick(Instant) override {
        while (Op* op = next_completion()) {
            if (op->is_cancelled()) continue;
            ++fired_count;
            start(static_cast<TimerOp&>(*op));
        }
    }
    void on_close() override {
        for (TimerOp& op : ops_) cancel(op);
    }

private:
    void start(TimerOp& op) {
        op.deadline = loop().now() + next_delay();
        submit(op);
    }
    Duration next_delay() { return Duration(delays_[at_++ % delays_.size()]); }

    std::vector<TimerOp> ops_;
    std::vector<std::int64_t> delays_;
    std::size_t at_ = 0;
};

// A timer fires, and is started again.
void timers_fire(Meter& meter, std::size_t count) {
    const HeapMeter heap;
    ManualLoop<TimerApp> timers(count);
    timers.app.start_all();
    meter.report_bytes(heap.bytes_per(count));
    while (meter.goes_on()) {
        const std::uint64_t target = timers.app.fired_count + batch;
        meter.measure(batch, [&] {
            while (timers.app.fired_count < target) timers.turn_on();
        });
    }
}

void timers_move(Meter& meter, std::size_t count) {
    ManualLoop<TimerApp> timers(count);
    timers.app.start_all();
    Picks picks(count);
    while (meter.goes_on()) {
        meter.measure(batch, [&] {
            for (std::uint64_t i = 0; i < batch; ++i) timers.app.move(picks.next());
        });
    }
}

// ---- Tasks ----

struct Tasks : ManualLoop<Executor> {
    void spawn(Future<void> task) { app.root().spawn(std::move(task)); }
};

Future<void> sleep_on(const std::vector<std::int64_t>& delays, std::size_t first,
                      std::uint64_t& woken_count) {
    for (std::size_t i = first;; i = (i + 1) % delays.size()) {
        co_await sleep(Duration(delays[i]));
        ++woken_count;
    }
}

// A sleeping task wakes, and sleeps again.
void tasks_asleep(Meter& meter, std::size_t count) {
    const auto delays = delays_ns(4096, 2);
    std::uint64_t woken_count = 0;
    Tasks tasks;
    const HeapMeter heap;
    for (std::size_t i = 0; i < count; ++i) {
        tasks.spawn(sleep_on(delays, i * 31 % delays.size(), woken_count));
    }
    tasks.turn_while_ready();
    meter.report_bytes(heap.bytes_per(count));
    while (meter.goes_on()) {
        const std::uint64_t target = woken_count + batch;
        meter.measure(batch, [&] {
            while (woken_count < target) tasks.turn_on();
        });
    }
}

Future<void> wait_on(Event& event, std::uint64_t& woken_count) {
    for (;;) {
        co_await event.wait();
        ++woken_count;
    }
}

void pulse(Event& event) {
    event.set();
    event.reset();
}

// One of the waiting tasks is woken, and waits again.
void tasks_waiting(Meter& meter, std::size_t count) {
    std::deque<Event> events(count);
    std::uint64_t woken_count = 0;
    Tasks tasks;
    const HeapMeter heap;
    for (Event& event : events) tasks.spawn(wait_on(event, woken_count));
    tasks.turn_while_ready();
    meter.report_bytes(heap.bytes_per(count));
    Picks picks(count);
    while (meter.goes_on()) {
        meter.measure(batch, [&] {
            for (std::uint64_t i = 0; i < batch; ++i) pulse(events[picks.next()]);
            tasks.turn_while_ready();
        });
    }
}

// All of those that wait for one event are woken, for each.
void event_subscribers(Meter& meter, std::size_t count) {
    Event event;
    std::uint64_t woken_count = 0;
    Tasks tasks;
    for (std::size_t i = 0; i < count; ++i) tasks.spawn(wait_on(event, woken_count));
    tasks.turn_while_ready();
    while (meter.goes_on()) {
        meter.measure(count, [&] {
            pulse(event);
            tasks.turn_while_ready();
        });
    }
    if (woken_count % count != 0) std::abort();
}

Future<void> take_from(Channel<int>& channel, std::uint64_t& taken_count) {
    while (const auto item = co_await channel.receive()) taken_count += item.has_value() ? 1 : 0;
}

// A value through a channel at whose other end so many wait.
void channel_receivers(Meter& meter, std::size_t count) {
    Channel<int> channel(batch);
    std::uint64_t taken_count = 0;
    Tasks tasks;
    const HeapMeter heap;
    for (std::size_t i = 0; i < count; ++i) tasks.spawn(take_from(channel, taken_count));
    tasks.turn_while_ready();
    meter.report_bytes(heap.bytes_per(count));
    while (meter.goes_on()) {
        const std::uint64_t target = taken_count + batch;
        meter.measure(batch, [&] {
            for (std::uint64_t i = 0; i < batch; ++i) {
                if (!channel.try_send(1)) std::abort();
            }
            while (taken_count < target) tasks.loop->turn();
        });
    }
}

Future<void> end_at_once(std::uint64_t& ended_count) {
    ++ended_count;
    co_return;
}

// A task from its start to its end, among others that wait.
void tasks_spawn(Meter& meter, std::size_t count) {
    Event never;
    std::uint64_t ended_count = 0;
    Tasks tasks;
    for (std::size_t i = 0; i < count; ++i) tasks.spawn(wait_on(never, ended_count));
    tasks.turn_while_ready();
    while (meter.goes_on()) {
        meter.measure(batch, [&] {
            for (std::uint64_t i = 0; i < batch; ++i) tasks.spawn(end_at_once(ended_count));
            tasks.turn_while_ready();
        });
    }
}

Future<void> hold_children(std::size_t count, Event& never, std::uint64_t& woken_count) {
    co_await with_scope([&](Scope& scope) -> Future<void> {
        for (std::size_t i = 0; i < count; ++i) scope.spawn(wait_on(never, woken_count));
        co_await never.wait();
    });
}

// The cancel of a scope, for each of its children.
void scope_cancel(Meter& meter, std::size_t count) {
    Event never;
    std::uint64_t woken_count = 0;
    Tasks tasks;
    while (meter.goes_on()) {
        auto handle = tasks.app.root().spawn(hold_children(count, never, woken_count));
        tasks.turn_while_ready();
        meter.measure(count, [&] {
            handle.cancel("enough");
            tasks.turn_while_ready();
        });
    }
}

}  // namespace

std::vector<Subject> task_subjects() {
    return {
        {"timers_fire", million, timers_fire},
        {"timers_move", million, timers_move},
        {"tasks_asleep", million, tasks_asleep},
        {"tasks_waiting", million, tasks_waiting},
        {"tasks_spawn", million, tasks_spawn},
        {"channel_receivers", million, channel_receivers},
        {"event_subscribers", million, event_subscribers},
        {"scope_cancel", million, scope_cancel},
    };
}

}  // namespace gyre::bench
