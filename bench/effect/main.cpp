// SPDX-License-Identifier: Apache-2.0
// bench_effect: gyre's own rows of the group effect. Called by bench/run.py; see protocol.hpp.
//
// Guests are C++ coroutines on a real loop; samples of many steps or runs, the best of them.
#include <vector>

#include "bench/protocol.hpp"
#include "bench/stopwatch.hpp"
#include "gyre/effect/coroutine_guest.hpp"
#include "gyre/effect/scheduler.hpp"
#include "gyre/platform/internal/epoll/epoll.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/task/core/promise.hpp"

namespace gyre::bench {
namespace {

using effect::Answer;
using effect::CoroutineGuest;
using effect::Effectful;
using effect::Handlers;
using effect::perform;
using effect::Reply;
using effect::resume;
using effect::ResumeOp;
using effect::RunHandle;
using effect::Scheduler;

struct Step {
    static constexpr ResumeOp<int(int)> plain{"bench", "plain"};
    static constexpr ResumeOp<int(int)> async{"bench", "async"};
    static constexpr ResumeOp<int(int)> wait{"bench", "wait"};
    static constexpr ResumeOp<int(int)> reply{"bench", "reply"};
};

Effectful<int> steps_plain(int count) {
    int at = 0;
    while (at < count) at = co_await perform(Step::plain, at);
    co_return at;
}
Effectful<int> steps_async(int count) {
    int at = 0;
    while (at < count) at = co_await perform(Step::async, at);
    co_return at;
}
Effectful<int> one_step(int of) {
    co_return co_await perform(Step::plain, of);
}
Effectful<int> one_wait(int of) {
    co_return co_await perform(Step::wait, of);
}
Effectful<int> one_reply(int of) {
    co_return co_await perform(Step::reply, of);
}

class EffectBench {
public:
    explicit EffectBench(Run& run) : run_(run) {
        guest_.add("steps_plain", steps_plain).add("steps_async", steps_async);
        guest_.add("one_step", one_step).add("one_wait", one_wait).add("one_reply", one_reply);
        handlers_.on(Step::plain, [](int n) { return resume(n + 1); });
        handlers_.on(Step::async, [](int n) -> Future<Answer> { co_return resume(n + 1); });
        handlers_.on(Step::wait, [this](int n) -> Future<Answer> {
            co_await never_.future();
            co_return resume(n);
        });
        handlers_.on(Step::reply,
                     [this](Reply reply, int /*n*/) { replies_.push_back(std::move(reply)); });
    }
    EffectBench(const EffectBench&) = delete;
    EffectBench& operator=(const EffectBench&) = delete;
    ~EffectBench() { loop_.close(); }

    // One run, its steps one after the other: nothing but what a step costs.
    void steps(const char* name, const char* entry) {
        constexpr int count = 20'000;
        const Stopwatch all;
        while (all.elapsed_ns() < run_.span_ns()) {
            auto handle = scheduler_.start<int>(guest_, handlers_, entry, {count});
            const Stopwatch watch;
            while (!handle.is_terminal()) loop_.turn();
            run_.report(name, watch.elapsed_ns() / count);
        }
    }

    // From the start to the outcome, with one step between them.
    void starts(const char* name) {
        constexpr int count = 1'000;
        std::vector<RunHandle<int>> handles;
        handles.reserve(count);
        const Stopwatch all;
        while (all.elapsed_ns() < run_.span_ns()) {
            const Stopwatch watch;
            for (int i = 0; i < count; ++i) {
                handles.push_back(scheduler_.start<int>(guest_, handlers_, "one_step", {i}));
            }
            while (scheduler_.run_count() > 0) loop_.turn();
            handles.clear();
            run_.report(name, watch.elapsed_ns() / count);
        }
    }

    // Waiting runs, each in an async handler; what one takes, and what cancelling each costs.
    void waits(const char* memory, const char* cancel, const char* entry) {
        constexpr int count = 100'000;
        std::vector<RunHandle<int>> handles;
        handles.reserve(count);
        if (entry == std::string_view("one_reply")) replies_.reserve(count);
        const HeapMeter heap;
        for (int i = 0; i < count; ++i) {
            handles.push_back(scheduler_.start<int>(guest_, handlers_, entry, {i}));
            if (i % 1'000 == 0) turn_until(static_cast<std::uint64_t>(i));
        }
        turn_until(count);
        run_.report(memory, heap.bytes_per(count));
        const Stopwatch watch;
        for (RunHandle<int>& handle : handles) handle.cancel("enough");
        while (loop_.has_ready_work()) loop_.turn();
        run_.report(cancel, watch.elapsed_ns() / count);
    }

private:
    void turn_until(std::uint64_t steps) {
        while (scheduler_.counts().steps < steps) loop_.turn();
    }

    Run& run_;
    platform::SystemClock clock_;
    std::unique_ptr<Platform> platform_ = platform::EpollPlatform::make(clock_).value();
    Executor executor_;
    Promise<void> never_;
    CoroutineGuest guest_;
    Handlers handlers_;
    Scheduler scheduler_{executor_};
    Loop loop_{*platform_, executor_};
    std::vector<Reply> replies_;
};

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(
        argument_count, arguments,
        {{{{"effect_step"}, [](Run& run) { EffectBench(run).steps("effect_step", "steps_plain"); }},
          {{"effect_async_step"},
           [](Run& run) { EffectBench(run).steps("effect_async_step", "steps_async"); }},
          {{"effect_run"}, [](Run& run) { EffectBench(run).starts("effect_run"); }},
          {{"effect_memory_async", "effect_cancel_async"},
           [](Run& run) {
               EffectBench(run).waits("effect_memory_async", "effect_cancel_async", "one_wait");
           }},
          {{"effect_memory_reply", "effect_cancel_reply"}, [](Run& run) {
               EffectBench(run).waits("effect_memory_reply", "effect_cancel_reply", "one_reply");
           }}}});
}
