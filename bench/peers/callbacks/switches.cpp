// SPDX-License-Identifier: Apache-2.0
// From one thing to the next: waking, going to the back of the queue, starting something new, and
// timers, which stand in a binary heap.
#include <algorithm>
#include <memory>

#include "bench/peers/callbacks/entries.hpp"
#include "bench/peers/callbacks/run_queue.hpp"
#include "bench/task_cases.hpp"

namespace gyre::bench {
namespace {

// Any number may wait for it, and each can leave before it is woken.
class Signal {
public:
    struct Waiter : Step {
        using Step::Step;
        void leave() {
            before->after = after;
            after->before = before;
        }
        Waiter* before = nullptr;
        Waiter* after = nullptr;
    };

    explicit Signal(RunQueue& queue) : queue_(queue) { clear(); }
    Signal(const Signal&) = delete;
    Signal& operator=(const Signal&) = delete;

    [[gnu::noinline]] void wait(Waiter& waiter) {
        waiter.before = list_.before;
        waiter.after = &list_;
        list_.before->after = &waiter;
        list_.before = &waiter;
    }
    [[gnu::noinline]] void wake() {
        for (Waiter* waiter = list_.after; waiter != &list_; waiter = waiter->after) {
            queue_.push(*waiter);
        }
        clear();
    }

private:
    void clear() { list_.before = list_.after = &list_; }

    RunQueue& queue_;
    Waiter list_{nullptr};
};

struct Sleeper : Signal::Waiter {
    explicit Sleeper(RunQueue& queue) : Waiter(&Sleeper::go_on), signal(queue) {
        signal.wait(*this);
    }
    ~Sleeper() { leave(); }
    Sleeper(const Sleeper&) = delete;
    Sleeper& operator=(const Sleeper&) = delete;
    static void go_on(Step& step) {
        auto& self = static_cast<Sleeper&>(step);
        ++self.woken_count;
        self.signal.wait(self);
    }
    Signal signal;
    std::uint64_t woken_count = 0;
};

void measure_wake(Run& run) {
    Meter meter(run);
    RunQueue queue;
    std::vector<std::unique_ptr<Sleeper>> sleepers;
    for (std::uint64_t i = 0; i < tasks_at_once; ++i) {
        sleepers.push_back(std::make_unique<Sleeper>(queue));
    }
    while (meter.goes_on(tasks_at_once)) {
        for (auto& sleeper : sleepers) sleeper->signal.wake();
        queue.run();
    }
    run.report("wake", meter.ns());
}

struct Yielder : Step {
    Yielder(RunQueue& run_queue, const bool& over)
        : Step(&Yielder::go_on), queue(run_queue), is_over(over) {}
    [[gnu::noinline]] static void go_on(Step& step) {
        auto& self = static_cast<Yielder&>(step);
        if (!self.is_over) self.queue.push(self);
    }
    RunQueue& queue;
    const bool& is_over;
};

struct YieldDriver : Step {
    YieldDriver(RunQueue& run_queue, Meter& by, bool& over)
        : Step(&YieldDriver::go_on), queue(run_queue), meter(by), is_over(over) {}
    static void go_on(Step& step) {
        auto& self = static_cast<YieldDriver&>(step);
        self.is_over = !self.meter.goes_on(tasks_at_once);
        if (!self.is_over) self.queue.push(self);
    }
    RunQueue& queue;
    Meter& meter;
    bool& is_over;
};

void measure_yield(Run& run) {
    Meter meter(run);
    RunQueue queue;
    bool is_over = false;
    YieldDriver driver(queue, meter, is_over);
    std::vector<Yielder> yielders(tasks_at_once - 1, Yielder(queue, is_over));
    queue.push(driver);
    for (Yielder& yielder : yielders) queue.push(yielder);
    queue.run();
    run.report("yield", meter.ns());
}

struct Counter : Step {
    explicit Counter(std::uint64_t& of)
        : Step([](Step& step) {
              auto* self = static_cast<Counter*>(&step);
              ++self->count;
              delete self;
          }),
          count(of) {}
    std::uint64_t& count;
};
[[gnu::noinline]] void spawn(RunQueue& queue, std::uint64_t& count) {
    queue.push(*new Counter(count));
}

void measure_spawn(Run& run) {
    Meter meter(run);
    RunQueue queue;
    std::uint64_t count = 0;
    std::uint64_t expected = 0;
    while (meter.goes_on(tasks_at_once)) {
        expected += tasks_at_once;
        for (std::uint64_t i = 0; i < tasks_at_once; ++i) spawn(queue, count);
        queue.run();
    }
    if (count != expected) std::abort();
    run.report("spawn", meter.ns());
}

// Timers of one deadline fire in the order in which they were started.
class Timers {
public:
    [[gnu::noinline]] void start(std::int64_t deadline_ns, Step& step) {
        timers_.push_back({deadline_ns, ++last_number_, &step});
        std::push_heap(timers_.begin(), timers_.end(), is_later);
    }
    [[gnu::noinline]] void take_due(std::int64_t now_ns, RunQueue& queue) {
        while (!timers_.empty() && timers_.front().deadline_ns <= now_ns) {
            std::pop_heap(timers_.begin(), timers_.end(), is_later);
            queue.push(*timers_.back().step);
            timers_.pop_back();
        }
    }

private:
    struct Timer {
        std::int64_t deadline_ns;
        std::uint64_t number;
        Step* step;
    };
    static bool is_later(const Timer& a, const Timer& b) {
        return a.deadline_ns != b.deadline_ns ? a.deadline_ns > b.deadline_ns : a.number > b.number;
    }
    std::vector<Timer> timers_;
    std::uint64_t last_number_ = 0;
};

struct Napper : Step {
    Napper(Timers& of, const std::int64_t& now)
        : Step([](Step& step) {
              auto& self = static_cast<Napper&>(step);
              self.timers.start(self.now_ns + sleep_ns, self);
          }),
          timers(of),
          now_ns(now) {}
    Timers& timers;
    const std::int64_t& now_ns;
};

void measure_timer_await(Run& run) {
    Meter meter(run);
    RunQueue queue;
    Timers timers;
    std::int64_t now_ns = 0;
    std::vector<Napper> nappers(tasks_at_once, Napper(timers, now_ns));
    for (Napper& napper : nappers) queue.push(napper);
    queue.run();
    while (meter.goes_on(tasks_at_once)) {
        now_ns += sleep_ns;
        timers.take_due(now_ns, queue);
        queue.run();
    }
    run.report("timer_await", meter.ns());
}

}  // namespace

std::vector<Entry> switch_entries() {
    return {
        {{"wake"}, measure_wake},
        {{"yield"}, measure_yield},
        {{"spawn"}, measure_spawn},
        {{"timer_await"}, measure_timer_await},
    };
}

}  // namespace gyre::bench
