// SPDX-License-Identifier: Apache-2.0
// Random runs: handlers of every style and timing, budgets, failures and cancellations. Every run
// has one outcome, its requests keep their order, no run starves, and no resource leaks.
// GYRE_TEST_SEED=<seed> runs that one alone; GYRE_TEST_LONG=1 tries 5,000, otherwise 500.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "gyre/base/random.hpp"
#include "gyre/effect/effect_world.test.hpp"
#include "gyre/task/core/frame_check.test.hpp"

namespace gyre::effect {
namespace {

class Laws final : public RunObserver {
public:
    Laws(std::uint64_t run_count, std::uint64_t budget) noexcept
        // All others may be ahead of it, and its own tick has begun.
        : ticks_max_((run_count + budget - 1) / budget + 1) {}

    void on_run(const RunEvent& event) noexcept override {
        State& run = of[event.run];
        EXPECT_EQ(run.settled, 0) << "after its end: " << to_line(event);
        switch (event.kind) {
            case RunEventKind::started:
                run.is_ready_since = 0;
                break;
            case RunEventKind::performed:
                EXPECT_FALSE(run.is_asking) << "before its answer: " << to_line(event);
                EXPECT_EQ(event.arguments->begin()->integer(), run.asked) << "out of order";
                ++run.asked;
                run.is_asking = true;
                break;
            case RunEventKind::answered:
                EXPECT_TRUE(run.is_asking);
                run.is_asking = false;
                if (run.is_immediate) {
                    EXPECT_LE(scheduler->counts().ticks - run.is_ready_since, ticks_max_)
                        << "run " << event.run << " starves";
                    ++bounds_checked;
                }
                run.is_immediate = false;
                break;
            case RunEventKind::settled:
                ++run.settled;
                break;
            default:
                break;
        }
    }

    struct State {
        int settled = 0;
        std::int64_t asked = 0;
        bool is_asking = false;
        bool is_immediate = false;  // its answer was given inside the request
        std::uint64_t is_ready_since = 0;
    };
    std::map<RunId, State> of;
    const Scheduler* scheduler = nullptr;
    std::uint64_t bounds_checked = 0;

private:
    std::uint64_t ticks_max_;
};

std::uint64_t run_seed(std::uint64_t seed) {
    Random random(seed);
    const FrameCheck frames;
    const std::uint64_t run_count = 1 + random.below(12);
    const auto budget = static_cast<std::uint32_t>(1 + random.below(8));
    Laws laws(run_count, budget);
    int clean_ups = 0;
    int clean_ups_wanted = 0;
    ScriptedGuest guest(
        {OpInfo("p", "plain", ResumeKind::resume), OpInfo("p", "async", ResumeKind::resume),
         OpInfo("p", "tail", ResumeKind::tail), OpInfo("p", "reply", ResumeKind::resume),
         OpInfo("p", "timer", ResumeKind::resume)});
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    Executor executor;
    Scheduler scheduler(executor, {.steps_per_tick_max = budget, .observer = &laws});
    Loop loop(platform, executor);
    laws.scheduler = &scheduler;
    Handlers handlers;
    std::vector<Reply> replies;

    const auto immediate = [&](Context& context, Answer answer) -> Answer {
        if (random.one_in(40)) throw std::runtime_error("random");
        if (random.one_in(40)) answer = end(1);
        if (random.one_in(60)) scheduler.cancel(context.run_id(), "by its handler");
        Laws::State& run = laws.of[context.run_id()];
        run.is_immediate = true;
        run.is_ready_since = scheduler.counts().ticks;
        if (random.one_in(8)) {
            ++clean_ups_wanted;
            context.on_end([&clean_ups] { ++clean_ups; });
        }
        return answer;
    };
    handlers.on("p", "plain", any_signature,
                [&](Context& context, Arguments) { return immediate(context, resume(1)); });
    handlers.on("p", "tail", any_signature,
                [&](Context& context, Arguments) { return immediate(context, tail(1)); });
    handlers.on("p", "timer", any_signature, [&](Context&, Arguments) {
        return resume(1).after(std::chrono::microseconds(random.below(30)));
    });
    handlers.on("p", "reply", any_signature,
                [&](Context&, Arguments, Reply reply) { replies.push_back(std::move(reply)); });
    handlers.on("p", "async", any_signature, [&](Context&, Arguments) -> Future<Answer> {
        const std::uint64_t way = random.below(4);
        if (way == 0) co_await yield();
        if (way == 1) co_await sleep(std::chrono::microseconds(random.below(40)));
        if (way == 2 && random.one_in(10)) throw std::runtime_error("async");
        co_return resume(1);
    });

    std::vector<RunHandle<Value>> runs;
    for (std::uint64_t i = 0; i < run_count; ++i) {
        std::vector<script::Action> actions;
        const std::uint64_t length = random.below(40);
        for (std::uint64_t step = 0; step < length; ++step) {
            actions.push_back(script::perform(random.below(5), {step}));
        }
        const std::string entry = std::to_string(i);
        guest.add(entry, std::move(actions));
        runs.push_back(scheduler.start(guest, handlers, entry));
    }
    auto outside = executor.root().spawn([&]() -> Future<void> {
        while (scheduler.run_count() > 0) {
            co_await sleep(std::chrono::microseconds(1 + random.below(5)));
            if (random.one_in(15)) runs[random.below(run_count)].cancel("at random");
            while (!replies.empty()) {
                const std::size_t at = random.below(replies.size());
                Reply reply = std::move(replies[at]);
                replies.erase(replies.begin() + static_cast<std::ptrdiff_t>(at));
                if (random.one_in(30)) continue;  // dropped: its run fails
                reply.answer(random.one_in(30) ? tail(1) : resume(1));
                EXPECT_FALSE(reply.answer(resume(2)));
            }
        }
    });
    static_cast<void>(loop.run());
    for (const RunHandle<Value>& run : runs) {
        EXPECT_TRUE(run.is_terminal());
        EXPECT_EQ(laws.of[run.id()].settled, 1);
    }
    EXPECT_EQ(clean_ups, clean_ups_wanted);
    EXPECT_EQ(guest.held_count(), 0u);
    EXPECT_EQ(scheduler.run_count(), 0u);
    loop.close();
    return laws.bounds_checked;
}

TEST(Properties, random_runs_end_once_keep_their_order_and_starve_nobody) {
    // clause: V01, V14, V15, V18, V21
    const char* one = std::getenv("GYRE_TEST_SEED");
    const bool is_long = std::getenv("GYRE_TEST_LONG") != nullptr;
    const std::uint64_t first = one != nullptr ? std::strtoull(one, nullptr, 10) : 1;
    const std::uint64_t count = one != nullptr ? 1 : is_long ? 5'000 : 500;
    std::uint64_t bounds_checked = 0;
    for (std::uint64_t seed = first; seed < first + count && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("GYRE_TEST_SEED=" + std::to_string(seed));
        bounds_checked += run_seed(seed);
    }
    if (one == nullptr) {
        EXPECT_GT(bounds_checked, count);  // otherwise the test proves nothing
    }
}

}  // namespace
}  // namespace gyre::effect
