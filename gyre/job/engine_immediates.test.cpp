// SPDX-License-Identifier: Apache-2.0
// An engine that keeps its immediates: their batches, checkpoints, errors and references.
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <utility>

#include "gyre/job/job_world.test.hpp"
#include "gyre/job/pump.hpp"

namespace gyre::job {
namespace {

// The immediates of an engine. `calls` has the number of immediates of each call of run_batch.
class EngineImmediates : public ImmediateSource {
public:
    bool has_any() const noexcept override { return !batch.empty() || !waiting.empty(); }
    bool has_batch() const noexcept override { return !batch.empty(); }
    std::size_t reference_count() const noexcept override {
        return is_referenced ? batch.size() + waiting.size() : 0;
    }
    void take_batch() noexcept override {
        for (auto& job : waiting) batch.push_back(std::move(job));
        waiting.clear();
    }
    JobsRun run_batch(std::size_t max) noexcept override {
        JobsRun ran;
        bool leaves_work = false;
        while (ran.count < max && ran.error == nullptr && !batch.empty() && !leaves_work) {
            Callback<> job = std::move(batch.front());
            batch.pop_front();
            ++ran.count;
            try {
                job();
            } catch (...) {
                ran.error = std::current_exception();
            }
            leaves_work = has_work && has_work();
        }
        calls.push_back(ran.count);
        return ran;
    }
    void queue_nothing() noexcept override {
        waiting.push_back([] {});
    }

    std::deque<Callback<>> batch;
    std::deque<Callback<>> waiting;
    std::vector<std::size_t> calls;
    std::function<bool()> has_work;
    bool is_referenced = true;
};

TEST(EngineImmediates, of_one_batch_run_in_one_call_and_later_ones_in_the_next_iteration) {
    // clause: J06
    EngineImmediates immediates;
    JobWorld world({.immediates = &immediates});
    EXPECT_EQ(world.run([&] {
        immediates.waiting.push_back([&] {
            world.log("1");
            immediates.waiting.push_back(world.says("3"));
            world.jobs.set_immediate(world.says("the scheduler's 3"));
        });
        world.jobs.set_immediate(world.says("the scheduler's 2"));
        immediates.waiting.push_back(world.says("2"));
    }),
              (Lines{"1", "2", "the scheduler's 2", "3", "the scheduler's 3"}));
    EXPECT_EQ(immediates.calls, (std::vector<std::size_t>{2, 1}));
}

TEST(EngineImmediates, leave_their_ticks_to_a_checkpoint_before_the_next_one) {
    // clause: J06, J07
    EngineImmediates immediates;
    JobWorld world({.immediates = &immediates});
    bool has_tick = false;
    immediates.has_work = [&] { return std::exchange(has_tick, false); };
    EXPECT_EQ(world.run([&] {
        immediates.waiting.push_back([&] {
            world.log("1");
            world.jobs.next_tick(world.says("tick"));
            has_tick = true;
        });
        immediates.waiting.push_back(world.says("2"));
    }),
              (Lines{"1", "tick", "2"}));
}

TEST(EngineImmediates, of_which_one_throws_go_on_before_its_ticks) {
    // clause: J07, J15
    EngineImmediates immediates;
    JobWorld world({.immediates = &immediates});
    EXPECT_EQ(world.run([&] {
        immediates.waiting.push_back([&] {
            world.jobs.next_tick(world.says("tick"));
            fail("in 1");
        });
        immediates.waiting.push_back(world.says("2"));
    }),
              (Lines{"error in 1", "2", "tick"}));
}

TEST(EngineImmediates, that_were_added_follow_at_once_when_the_last_one_throws) {
    // clause: J07, J15
    EngineImmediates immediates;
    JobWorld world({.immediates = &immediates});
    EXPECT_EQ(world.run([&] {
        immediates.waiting.push_back([&] {
            world.jobs.next_tick(world.says("tick"));
            immediates.waiting.push_back(world.says("2"));
            fail("in 1");
        });
    }),
              (Lines{"error in 1", "2", "tick"}));
}

TEST(EngineImmediates, without_references_do_not_keep_the_loop_alive) {
    // clause: J13
    EngineImmediates immediates;
    immediates.is_referenced = false;
    JobWorld world({.immediates = &immediates});
    EXPECT_EQ(world.run([&] { immediates.waiting.push_back(world.says("never")); }), Lines{});
}

TEST(EngineImmediates, run_within_the_slice) {
    // clause: J08
    EngineImmediates immediates;
    JobWorld world({.immediates = &immediates, .slice = 100});
    int ran = 0;
    world.run([&] {
        for (int i = 0; i < 250; ++i) immediates.waiting.push_back([&ran] { ++ran; });
    });
    EXPECT_EQ(ran, 250);
    EXPECT_EQ(immediates.calls, (std::vector<std::size_t>{100, 100, 50}));
}

TEST(EngineImmediates, beyond_the_bound_stay_first_in_profile_js2il) {
    // clause: J13
    EngineImmediates immediates;
    JobWorld world({.profile = Profile::js2il, .immediates = &immediates, .slice = 2});
    EXPECT_EQ(world.run([&] {
        immediates.waiting.push_back([&] {
            world.log("1");
            immediates.waiting.push_back(world.says("4"));
        });
        immediates.waiting.push_back(world.says("2"));
        immediates.waiting.push_back(world.says("3"));
        world.jobs.queue_callback(world.says("callback"));
    }),
              (Lines{"1", "2", "callback", "3", "4"}));
    EXPECT_EQ(immediates.calls, (std::vector<std::size_t>{1, 1, 1, 1}));
}

}  // namespace
}  // namespace gyre::job
