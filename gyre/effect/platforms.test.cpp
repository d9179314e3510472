// SPDX-License-Identifier: Apache-2.0
// The same guest and the same handlers on every platform, and from other threads.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "gyre/base/random.hpp"
#include "gyre/effect/effect_world.test.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/task/core/frame_check.test.hpp"
#include "tests/support/platforms.hpp"
#include "tests/support/thread_platform.hpp"

namespace gyre::effect {
namespace {

using script::give_last;
using script::perform;

class RunLines final : public RunObserver {
public:
    void on_run(const RunEvent& event) noexcept override {
        of[event.run].push_back(to_line(event));
    }
    std::map<RunId, Lines> of;
};

// The outcomes of the runs of one program on a platform.
std::map<RunId, Lines> traces_on(Platform& platform) {
    RunLines lines;
    Executor executor;
    Scheduler scheduler(executor, {.steps_per_tick_max = 2, .observer = &lines});
    Loop loop(platform, executor);
    Handlers handlers;
    handlers.on(Async::await, [](int n) -> Future<Answer> {
        co_await sleep(std::chrono::milliseconds(n));
        co_return resume(n + 1);
    });
    handlers.on(Async::other, [](int n) -> Answer {
        if (n == 13) throw std::runtime_error("unlucky");
        return n == 99 ? end(n) : resume(n).after(2ms);
    });
    handlers.on(Async::now, [](int n) { return tail(n); });
    ScriptedGuest guest(async_ops());
    guest.add("value", {perform(0, {1}), perform(1, {2}), perform(2, {3}), give_last()});
    guest.add("failed", {perform(2, {3}), perform(1, {13})});
    guest.add("ended", {perform(0, {1}), perform(1, {99})});
    guest.add("cancelled", {perform(2, {1}), perform(0, {3'600'000})});
    guest.add("tasks", {script::spawn("value"), perform(0, {3}), script::wait(0), give_last()});
    for (const char* entry : {"value", "failed", "ended", "tasks"}) {
        static_cast<void>(scheduler.start(guest, handlers, entry));
    }
    auto cancelled = scheduler.start(guest, handlers, "cancelled");
    auto canceller = executor.root().spawn([&]() -> Future<void> {
        co_await sleep(5ms);
        cancelled.cancel("enough");
    });
    static_cast<void>(loop.run());
    EXPECT_EQ(scheduler.run_count(), 0u);
    EXPECT_EQ(guest.held_count(), 0u);
    loop.close();
    return lines.of;
}

TEST(Platforms, give_the_same_trace_and_outcome_for_the_same_guest_and_handlers) {
    // clause: V35
    sim::VirtualClock virtual_clock;
    sim::SimPlatform simulated(virtual_clock);
    const std::map<RunId, Lines> wanted = traces_on(simulated);
    ASSERT_EQ(wanted.size(), 5u);
    EXPECT_EQ(wanted.at(1).back(), "run 1: settled value 3");
    EXPECT_EQ(wanted.at(2).back(), "run 2: settled failed: unlucky");
    EXPECT_EQ(wanted.at(3).back(), "run 3: settled value 99");
    EXPECT_EQ(wanted.at(5).back(), "run 5: settled cancelled: enough");
    for (const char* name : test::real_platforms) {
        platform::SystemClock clock;
        auto made = platform::make_platform(clock, name);
        if (!made && !test::is_required(name)) continue;  // not on this system
        ASSERT_TRUE(made) << name;
        EXPECT_EQ(traces_on(**made), wanted) << name;
    }
}

TEST(Adapters, give_the_same_trace_and_outcome_for_the_same_program) {
    // clause: V35
    const auto trace_in = [](Guest& guest) {
        EffectWorld world;
        world.handlers.on(Async::await, [](int n) -> Future<Answer> {
            co_await sleep(1ms);
            co_return resume(n + 1);
        });
        world.handlers.on(Async::now, [](int n) { return tail(10 * n); });
        world.handlers.on(Async::other, [](int n) -> Answer {
            if (n == 13) throw std::runtime_error("unlucky");
            return end(n);
        });
        for (const char* entry : {"value", "ended", "failed", "trapped"}) {
            static_cast<void>(world.run(guest, entry));
        }
        return world.observer.lines;
    };
    ScriptedGuest scripted(async_ops());
    scripted.add("value", {perform(0, {1}), perform(2, {2}), give_last()});
    scripted.add("ended", {perform(0, {1}), perform(1, {5}), script::give(0)});
    scripted.add("failed", {perform(1, {13}), script::give(0)});
    scripted.add("trapped", {perform(2, {1}), script::fail("broken")});
    CoroutineGuest coroutines;
    coroutines.add("value", []() -> Effectful<int> {
        co_await perform(Async::await, 1);
        co_return co_await perform(Async::now, 2);
    });
    coroutines.add("ended", []() -> Effectful<int> {
        co_await perform(Async::await, 1);
        co_await perform(Async::other, 5);
        co_return 0;
    });
    coroutines.add("failed", []() -> Effectful<int> {
        co_await perform(Async::other, 13);
        co_return 0;
    });
    coroutines.add("trapped", []() -> Effectful<int> {
        co_await perform(Async::now, 1);
        throw std::runtime_error("broken");
    });
    const Lines wanted = trace_in(scripted);
    EXPECT_EQ(
        std::ranges::count_if(
            wanted, [](const std::string& line) { return line.find("settled") != line.npos; }),
        4);
    EXPECT_EQ(trace_in(coroutines), wanted);
}

// A loop with a scheduler on a thread of its own, full of runs that wait.
class LoopOfRuns {
public:
    static constexpr int count = 200;

    explicit LoopOfRuns(std::vector<Reply>& replies, std::mutex& mutex)
        : thread_([this, &replies, &mutex] { run(replies, mutex); }) {
        ids_ = started_.get_future().get();
    }
    // Its scheduler is not used any more.
    void let_go() {
        finished_.set_value();
        thread_.join();
    }
    [[nodiscard]] Scheduler& scheduler() const noexcept { return *scheduler_; }
    [[nodiscard]] const std::vector<RunId>& ids() const noexcept { return ids_; }
    std::map<RunEndKind, int> ends;
    std::atomic<bool> is_over{false};  // its runs have ended

private:
    void run(std::vector<Reply>& replies, std::mutex& mutex) {
        const FrameCheck frames;
        test::ThreadPlatform platform;
        Executor executor;
        Scheduler scheduler(executor);
        Loop loop(platform, executor);
        Handlers handlers;
        handlers.on(Async::await, [](int n) -> Future<Answer> {
            co_await sleep(1h);
            co_return resume(n);
        });
        handlers.on(Async::other, [&](Reply reply, int) {
            const std::lock_guard lock(mutex);
            replies.push_back(std::move(reply));
        });
        ScriptedGuest guest(async_ops());
        guest.add("async", {perform(0, {1}), give_last()});
        guest.add("reply", {perform(1, {1}), give_last()});
        scheduler_ = &scheduler;
        std::vector<RunHandle<int>> runs;
        std::vector<RunId> ids;
        for (int i = 0; i < count; ++i) {
            const char* entry = i % 2 == 0 ? "async" : "reply";
            runs.push_back(scheduler.start<int>(guest, handlers, entry));
            ids.push_back(runs.back().id());
        }
        started_.set_value(std::move(ids));
        auto waiter = executor.root().spawn([&]() -> Future<void> {
            for (RunHandle<int>& one : runs) {
                const RunOutcome<int> outcome = co_await one;
                ++ends[outcome.kind()];
            }
            loop.stop();
        });
        static_cast<void>(loop.run_until_stopped());
        is_over.store(true);
        finished_.get_future().wait();
        loop.close();
        EXPECT_EQ(guest.held_count(), 0u);
    }

    Scheduler* scheduler_ = nullptr;
    std::vector<RunId> ids_;
    std::promise<std::vector<RunId>> started_;
    std::promise<void> finished_;
    std::thread thread_;
};

TEST(Threads, runs_on_four_loops_are_cancelled_and_answered_from_a_fifth) {
    // clause: V05, V11, V20
    std::mutex mutex;
    std::vector<Reply> replies;
    std::vector<std::unique_ptr<LoopOfRuns>> loops;
    for (int i = 0; i < 4; ++i) loops.push_back(std::make_unique<LoopOfRuns>(replies, mutex));
    Random random(7);
    std::vector<std::pair<LoopOfRuns*, RunId>> targets;
    for (const auto& loop : loops) {
        for (const RunId id : loop->ids()) targets.emplace_back(loop.get(), id);
    }
    for (std::size_t i = targets.size() - 1; i > 0; --i) {
        std::swap(targets[i], targets[random.below(i + 1)]);
    }
    // The async ones are cancelled, some again and again; the others are answered or cancelled.
    for (const auto& [loop, id] : targets) {
        if (id % 2 == 1 || random.one_in(4)) {
            loop->scheduler().cancel(id, "from the fifth thread");
            if (random.one_in(3)) loop->scheduler().cancel(id, "again");
        }
        const std::lock_guard lock(mutex);
        if (!replies.empty() && random.one_in(2)) {
            replies.back().answer(resume(5));
            replies.pop_back();
        }
    }
    for (bool are_over = false; !are_over;) {
        {
            const std::lock_guard lock(mutex);
            for (Reply& reply : replies) reply.answer(resume(5));
            replies.clear();
        }
        std::this_thread::yield();
        are_over = true;
        for (const auto& loop : loops) {
            are_over = are_over && loop->is_over.load();
        }
    }
    for (const auto& loop : loops) {
        loop->let_go();
        EXPECT_EQ(loop->ends[RunEndKind::value] + loop->ends[RunEndKind::cancelled],
                  LoopOfRuns::count);
        EXPECT_GE(loop->ends[RunEndKind::cancelled], LoopOfRuns::count / 2);
        EXPECT_EQ(loop->ends[RunEndKind::failed], 0);
    }
}

}  // namespace
}  // namespace gyre::effect
