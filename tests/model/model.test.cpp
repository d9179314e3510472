// SPDX-License-Identifier: Apache-2.0
// The checker checked: it finds planted bugs, passes correct programs, and explores exactly as many
// schedules as one counts by hand. Litmus tests of the memory stand in memory.test.cpp.
#include "model.hpp"

#include <gtest/gtest.h>

#include <string>

#include "gyre/base/assert.hpp"
#include "gyre/base/detail/atomic.hpp"

namespace model {
namespace {

using gyre::Atomic;

constexpr auto relaxed = std::memory_order_relaxed;

// How many schedules two threads of `accesses` read-modify-writes each have.
std::uint64_t schedules_of_two(int accesses, std::uint32_t preemptions_max) {
    const Options options{.preemptions_max = preemptions_max};
    const Outcome outcome = explore(options, [=](model::Run& run) {
        Atomic<int> count{0};
        const auto body = [&] {
            for (int i = 0; i < accesses; ++i) count.fetch_add(1, relaxed);
        };
        run.thread("one", body);
        run.thread("two", body);
        run.start_and_join();
        require(count.load() == 2 * accesses, "every increment counts");
    });
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
    return outcome.schedules_explored;
}

TEST(Explore, makes_one_run_of_one_thread) {
    const Outcome outcome = explore({}, [](model::Run& run) {
        Atomic<int> count{0};
        run.thread("alone", [&] { count.store(count.load() + 1); });
        run.start_and_join();
        require(count.load() == 1, "it counts");
    });
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
    EXPECT_EQ(outcome.schedules_explored, 1u);
    EXPECT_EQ(outcome.steps, 2u);
}

TEST(Explore, makes_every_interleaving_once) {
    EXPECT_EQ(schedules_of_two(1, 100), 2u);   // 2 over 1
    EXPECT_EQ(schedules_of_two(2, 100), 6u);   // 4 over 2
    EXPECT_EQ(schedules_of_two(3, 100), 20u);  // 6 over 3
}

TEST(Explore, keeps_the_bound_of_preemptions) {
    // aabb bbaa; then abba baab; then abab baba, where the last change follows an end.
    EXPECT_EQ(schedules_of_two(2, 0), 2u);
    EXPECT_EQ(schedules_of_two(2, 1), 4u);
    EXPECT_EQ(schedules_of_two(2, 2), 6u);
    EXPECT_EQ(schedules_of_two(2, 3), 6u);
    // Of three each: with exactly 0, 1, 2, 3, 4 preemptions 2, 4, 8, 4, 2 schedules.
    EXPECT_EQ(schedules_of_two(3, 0), 2u);
    EXPECT_EQ(schedules_of_two(3, 1), 6u);
    EXPECT_EQ(schedules_of_two(3, 2), 14u);
    EXPECT_EQ(schedules_of_two(3, 3), 18u);
    EXPECT_EQ(schedules_of_two(3, 4), 20u);
}

TEST(Explore, starts_three_threads_in_every_order) {
    const Outcome outcome = explore({}, [](model::Run& run) {
        Atomic<int> count{0};
        for (const char* name : {"one", "two", "three"}) {
            run.thread(name, [&] { count.fetch_add(1); });
        }
        run.start_and_join();
    });
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
    EXPECT_EQ(outcome.schedules_explored, 6u);
}

TEST(Explore, gives_up_loudly_when_there_is_too_much_to_do) {
    const Outcome outcome = explore({.schedules_max = 1}, [](model::Run& run) {
        Atomic<int> count{0};
        run.thread("one", [&] { count.fetch_add(1); });
        run.thread("two", [&] { count.fetch_add(1); });
        run.start_and_join();
    });
    EXPECT_FALSE(outcome.ok);
    EXPECT_EQ(outcome.schedule, "gave up: more than 1 schedules; make the scenario smaller\n");
}

TEST(Explore, finds_a_lost_update_and_prints_its_schedule) {
    const Outcome outcome = explore({}, [](model::Run& run) {
        Atomic<int> count{0};
        run.name(count, "count");
        const auto increment = [&] { count.store(count.load() + 1); };
        run.thread("one", increment);
        run.thread("two", increment);
        run.start_and_join();
        require(count.load() == 2, "both count");
    });
    EXPECT_FALSE(outcome.ok);
    EXPECT_EQ(outcome.schedule,
              "does not hold: both count\n"
              "one: load count = 0 (seq_cst)\n"
              "two: load count = 0 (seq_cst)\n"
              "two: store count := 1 (seq_cst)\n"
              "two: end\n"
              "one: store count := 1 (seq_cst)\n"
              "one: end\n"
              "scenario: load count = 1 (seq_cst)\n");
}

TEST(Explore, needs_as_many_preemptions_as_the_bug) {
    const auto lost_update = [](model::Run& run) {
        Atomic<int> count{0};
        const auto increment = [&] { count.store(count.load() + 1); };
        run.thread("one", increment);
        run.thread("two", increment);
        run.start_and_join();
        require(count.load() == 2, "both count");
    };
    EXPECT_TRUE(explore({.preemptions_max = 0}, lost_update).ok);
    EXPECT_FALSE(explore({.preemptions_max = 1}, lost_update).ok);
}

TEST(Explore, reports_an_assertion_of_the_source_and_unwinds_nothing) {
    bool is_destroyed = false;
    struct Witness {
        bool& is_destroyed;
        ~Witness() { is_destroyed = true; }
    };
    const Outcome outcome = explore({}, [&](model::Run& run) {
        run.thread("one", [&] {
            const Witness witness{is_destroyed};
            GYRE_ASSERT(1 > 2, "one of %d", 2);
        });
        run.start_and_join();
    });
    EXPECT_FALSE(outcome.ok);
    EXPECT_TRUE(outcome.schedule.starts_with("assertion failed: one of 2 (1 > 2) at "))
        << outcome.schedule;
    EXPECT_FALSE(is_destroyed);
}

// A worker that sleeps when it finds nothing, and a poster that wakes it.
Outcome sleep_and_wake(bool looks_again_before_sleep) {
    return explore({}, [=](model::Run& run) {
        Atomic<int> letters{0};
        Atomic<bool> is_sleeping{false};
        Parker parker;
        run.name(letters, "letters");
        run.name(is_sleeping, "is_sleeping");
        run.name(parker, "parker");
        run.thread("poster", [&] {
            letters.store(1);
            if (is_sleeping.exchange(false)) parker.unpark();
        });
        run.thread("worker", [&] {
            while (letters.load() == 0) {
                is_sleeping.store(true);
                if (looks_again_before_sleep && letters.load() != 0) continue;
                parker.park();
            }
        });
        run.start_and_join();
    });
}

TEST(Parker, lost_wake_is_a_deadlock) {
    const Outcome outcome = sleep_and_wake(false);
    EXPECT_FALSE(outcome.ok);
    EXPECT_TRUE(outcome.schedule.starts_with("deadlock: nothing can wake worker\n"))
        << outcome.schedule;
}

TEST(Parker, a_second_look_before_sleep_loses_no_wake) {
    const Outcome outcome = sleep_and_wake(true);
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
    EXPECT_GT(outcome.schedules_explored, 10u);
}

TEST(Parker, keeps_a_wake_that_comes_first_and_hands_over_data) {
    const Outcome outcome = explore({}, [](model::Run& run) {
        Parker parker;
        Shared<int> data{0};
        run.thread("waker", [&] {
            data.set(1);
            parker.unpark();
        });
        run.thread("sleeper", [&] {
            parker.park();
            require(data.get() == 1, "written before the wake");
        });
        run.start_and_join();
    });
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
    EXPECT_EQ(outcome.schedules_explored, 2u);
}

TEST(WaitUntil, blocks_until_the_condition_holds) {
    const Outcome outcome = explore({}, [](model::Run& run) {
        Atomic<int> step{0};
        bool is_open = false;
        run.thread("opener", [&] {
            step.fetch_add(1);
            is_open = true;
        });
        run.thread("guest", [&] {
            wait_until([&] { return is_open; });
            require(step.load() == 1, "open only after the step");
        });
        run.start_and_join();
    });
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
}

TEST(Yield, makes_a_spinning_thread_wait_for_the_others) {
    const auto spin = [](bool yields) {
        return explore({}, [=](model::Run& run) {
            Atomic<bool> is_set{false};
            run.thread("setter", [&] { is_set.store(true); });
            for (const char* name : {"spinner", "other spinner"}) {
                run.thread(name, [&] {
                    while (!is_set.load()) {
                        if (yields) gyre::spin_pause();
                    }
                });
            }
            run.start_and_join();
        });
    };
    EXPECT_TRUE(spin(true).ok) << spin(true).schedule;
    EXPECT_TRUE(spin(false).schedule.starts_with("livelock: more than 2000 steps in one run\n"));
}

TEST(Yield, does_not_hide_that_nobody_will_ever_come) {
    const Outcome outcome = explore({}, [](model::Run& run) {
        Atomic<bool> is_set{false};
        run.thread("spinner", [&] {
            while (!is_set.load()) yield();
        });
        run.start_and_join();
    });
    EXPECT_TRUE(outcome.schedule.starts_with("livelock")) << outcome.schedule;
}

}  // namespace
}  // namespace model
