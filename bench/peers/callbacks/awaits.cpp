// SPDX-License-Identifier: Apache-2.0
// One caller and one answer: ready, from a child operation with state of its own, from a promise,
// and not there yet.

#include "bench/peers/callbacks/entries.hpp"
#include "bench/task_cases.hpp"

namespace gyre::bench {
namespace {

using Done = void (*)(void* self, std::uint64_t value);

struct Caller {
    std::uint64_t sum = 0;
    static void on_value(void* self, std::uint64_t value) {
        static_cast<Caller*>(self)->sum += value;
    }
};

struct Answer {
    bool is_ready;
    std::uint64_t value;
};
[[gnu::noinline]] Answer ask(std::uint64_t value) {
    asm volatile("" : "+r"(value));
    return {true, value};
}

void measure_await_ready(Run& run) {
    Meter meter(run);
    std::uint64_t sum = 0;
    while (meter.goes_on(operations_at_once)) {
        for (std::uint64_t i = 0; i < operations_at_once; ++i) {
            const Answer answer = ask(i);
            if (!answer.is_ready) std::abort();
            sum += answer.value;
        }
    }
    if (sum == 1) std::abort();
    run.report("await_ready", meter.ns());
}

// An operation that would have to keep its state if it had to wait.
struct Child {
    std::uint64_t value;
    Done done;
    void* caller;

    [[gnu::noinline]] void finish() {
        const Child self = *this;
        delete this;
        self.done(self.caller, self.value);
    }
};
[[gnu::noinline]] Child* make_child(std::uint64_t value, Done done, void* caller) {
    return new Child{value, done, caller};
}

void measure_child_await(Run& run) {
    Meter meter(run);
    Caller caller;
    while (meter.goes_on(operations_at_once)) {
        for (std::uint64_t i = 0; i < operations_at_once; ++i) {
            make_child(i, &Caller::on_value, &caller)->finish();
        }
    }
    if (caller.sum == 1) std::abort();
    run.report("child_await", meter.ns());
}

struct Promise {
    std::uint64_t value = 0;
    bool is_settled = false;
    Done done = nullptr;
    void* caller = nullptr;

    [[gnu::noinline]] void settle(std::uint64_t settled) {
        value = settled;
        is_settled = true;
        if (done != nullptr) done(caller, value);
    }
    [[gnu::noinline]] void then(Done callback, void* self) {
        done = callback;
        caller = self;
        if (is_settled) done(caller, value);
    }
};
[[gnu::noinline]] Promise* make_promise() {
    return new Promise;
}

void measure_promise(Run& run) {
    Meter meter(run);
    Caller caller;
    while (meter.goes_on(operations_at_once)) {
        for (std::uint64_t i = 0; i < operations_at_once; ++i) {
            Promise* promise = make_promise();
            promise->settle(i);
            promise->then(&Caller::on_value, &caller);
            delete promise;
        }
    }
    if (caller.sum == 1) std::abort();
    run.report("promise", meter.ns());
}

struct Pending {
    bool (*poll)(Pending& self, std::uint64_t& value);
    bool is_ready = false;
};
[[gnu::noinline]] bool poll_pending(Pending& self, std::uint64_t& value) {
    value = 0;
    return self.is_ready;
}

void measure_poll(Run& run) {
    Meter meter(run);
    Pending pending{&poll_pending};
    std::uint64_t value = 0;
    while (meter.goes_on(operations_at_once)) {
        for (std::uint64_t i = 0; i < operations_at_once; ++i) {
            Pending* future = &pending;
            asm volatile("" : "+r"(future));
            if (future->poll(*future, value)) std::abort();
        }
    }
    run.report("poll", meter.ns());
}

}  // namespace

std::vector<Entry> await_entries() {
    return {
        {{"await_ready"}, measure_await_ready},
        {{"child_await"}, measure_child_await},
        {{"promise"}, measure_promise},
        {{"poll"}, measure_poll},
    };
}

}  // namespace gyre::bench
