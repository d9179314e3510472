// SPDX-License-Identifier: Apache-2.0
// Litmus tests: which results the checker's memory gives under which orders. Each test asks for
// both sides, the order that is too weak and the one that is enough.
#include "memory.hpp"

#include <gtest/gtest.h>

#include <array>

#include "model.hpp"

namespace model {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;
constexpr auto acq_rel = std::memory_order_acq_rel;
constexpr auto seq_cst = std::memory_order_seq_cst;

Outcome one_store_one_load(std::memory_order store, std::memory_order load,
                           std::uint32_t surprises_max) {
    return explore({.surprises_max = surprises_max}, [=](model::Run& run) {
        Atomic<int> x{0};
        run.thread("writer", [&] { x.store(1, store); });
        run.thread("reader", [&] { (void)x.load(load); });
        run.start_and_join();
    });
}

TEST(Memory, an_old_value_is_one_more_schedule) {
    // Reader first; writer first and the reader sees it; writer first and the reader does not.
    EXPECT_EQ(one_store_one_load(relaxed, relaxed, 1).schedules_explored, 3u);
    EXPECT_EQ(one_store_one_load(release, acquire, 1).schedules_explored, 3u);
    EXPECT_EQ(one_store_one_load(seq_cst, relaxed, 1).schedules_explored, 3u);
    EXPECT_EQ(one_store_one_load(seq_cst, seq_cst, 1).schedules_explored, 2u);
    EXPECT_EQ(one_store_one_load(relaxed, relaxed, 0).schedules_explored, 2u);
}

TEST(Memory, a_weak_compare_exchange_may_fail_for_no_reason) {
    const auto schedules = [](bool is_weak) {
        return explore({.surprises_max = 1},
                       [=](model::Run& run) {
                           Atomic<int> x{0};
                           run.thread("one", [&] {
                               int expected = 0;
                               const bool is_done = is_weak
                                                        ? x.compare_exchange_weak(expected, 1)
                                                        : x.compare_exchange_strong(expected, 1);
                               require(is_done || expected == 0,
                                       "a failure for no reason shows no change");
                           });
                           run.start_and_join();
                       })
            .schedules_explored;
    };
    EXPECT_EQ(schedules(true), 2u);
    EXPECT_EQ(schedules(false), 1u);
}

// Each thread stores its own flag, then looks at the other's.
Outcome store_buffer(std::memory_order store, std::memory_order load) {
    return explore({}, [=](model::Run& run) {
        Atomic<int> x{0};
        Atomic<int> y{0};
        int seen_x = -1;
        int seen_y = -1;
        run.thread("one", [&] {
            x.store(1, store);
            seen_y = y.load(load);
        });
        run.thread("two", [&] {
            y.store(1, store);
            seen_x = x.load(load);
        });
        run.start_and_join();
        require(seen_x == 1 || seen_y == 1, "one of them sees the other");
    });
}

TEST(Memory, store_buffers_show_unless_both_accesses_are_seq_cst) {
    EXPECT_FALSE(store_buffer(relaxed, relaxed).ok);
    EXPECT_FALSE(store_buffer(release, acquire).ok);
    EXPECT_FALSE(store_buffer(seq_cst, acquire).ok);
    EXPECT_FALSE(store_buffer(release, seq_cst).ok);
    EXPECT_TRUE(store_buffer(seq_cst, seq_cst).ok);
}

// The same with a read-modify-write instead of the store: it is no fence for another atomic.
TEST(Memory, a_read_modify_write_orders_no_other_atomic_by_itself) {
    const auto outcome_of = [](std::memory_order change, std::memory_order load) {
        return explore({}, [=](model::Run& run) {
            Atomic<int> x{0};
            Atomic<int> y{0};
            int seen_x = -1;
            int seen_y = -1;
            run.thread("one", [&] {
                x.exchange(1, change);
                seen_y = y.load(load);
            });
            run.thread("two", [&] {
                y.exchange(1, change);
                seen_x = x.load(load);
            });
            run.start_and_join();
            require(seen_x == 1 || seen_y == 1, "one of them sees the other");
        });
    };
    EXPECT_FALSE(outcome_of(acq_rel, acquire).ok);
    EXPECT_TRUE(outcome_of(seq_cst, seq_cst).ok);
}

Outcome pass_message(std::memory_order store, std::memory_order load) {
    return explore({}, [=](model::Run& run) {
        Shared<int> data{0};
        Atomic<bool> is_ready{false};
        run.name(data, "data");
        run.name(is_ready, "is_ready");
        run.thread("writer", [&] {
            data.set(42);
            is_ready.store(true, store);
        });
        run.thread("reader", [&] {
            if (is_ready.load(load)) require(data.get() == 42, "the message is whole");
        });
        run.start_and_join();
    });
}

TEST(Memory, passing_a_message_needs_release_and_acquire) {
    EXPECT_TRUE(pass_message(release, acquire).ok);
    EXPECT_TRUE(pass_message(seq_cst, seq_cst).ok);
    EXPECT_FALSE(pass_message(relaxed, acquire).ok);
    EXPECT_FALSE(pass_message(release, relaxed).ok);
    EXPECT_TRUE(pass_message(relaxed, relaxed)
                    .schedule.starts_with("data race on data: reader reads what writer writes\n"))
        << pass_message(relaxed, relaxed).schedule;
}

TEST(Memory, a_write_after_the_release_is_not_part_of_it) {
    const Outcome outcome = explore({}, [](model::Run& run) {
        Shared<int> data{0};
        Atomic<bool> is_ready{false};
        run.thread("writer", [&] {
            is_ready.store(true, release);
            data.set(42);
        });
        run.thread("reader", [&] {
            if (is_ready.load(acquire)) (void)data.get();
        });
        run.start_and_join();
    });
    EXPECT_FALSE(outcome.ok);
}

TEST(Memory, a_read_that_races_with_a_later_write_is_found) {
    const Outcome outcome = explore({.preemptions_max = 0}, [](model::Run& run) {
        Shared<int> data{0};
        run.name(data, "data");
        run.thread("reader", [&] { (void)data.get(); });
        run.thread("writer", [&] { data.set(1); });
        run.start_and_join();
    });
    EXPECT_TRUE(outcome.schedule.starts_with("data race on data: writer writes what reader reads"))
        << outcome.schedule;
}

// The reader gets the release of the first through the change of the second.
TEST(Memory, a_relaxed_read_modify_write_carries_a_release_on) {
    const auto outcome_of = [](bool is_change) {
        return explore({}, [=](model::Run& run) {
            Shared<int> data{0};
            Atomic<int> flag{0};
            run.thread("first", [&] {
                data.set(1);
                flag.store(1, release);
            });
            run.thread("second", [&] {
                int expected = 1;
                if (is_change) {
                    (void)flag.compare_exchange_strong(expected, 2, relaxed);
                } else if (flag.load(relaxed) == 1) {
                    flag.store(2, relaxed);
                }
            });
            run.thread("reader", [&] {
                if (flag.load(acquire) == 2) (void)data.get();
            });
            run.start_and_join();
        });
    };
    EXPECT_TRUE(outcome_of(true).ok) << outcome_of(true).schedule;
    EXPECT_FALSE(outcome_of(false).ok);
}

TEST(Memory, one_atomic_never_goes_backwards_for_a_reader) {
    const Outcome outcome = explore({}, [](model::Run& run) {
        Atomic<int> x{0};
        run.thread("writer", [&] {
            x.store(1, relaxed);
            x.store(2, relaxed);
        });
        run.thread("reader", [&] {
            const int first = x.load(relaxed);
            require(x.load(relaxed) >= first, "no older value after a newer one");
        });
        run.start_and_join();
    });
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
}

// Two readers look at two independent writers in opposite order.
TEST(Memory, readers_agree_on_an_order_of_writers_only_under_seq_cst) {
    const auto outcome_of = [](std::memory_order store, std::memory_order load) {
        return explore({}, [=](model::Run& run) {
            Atomic<int> x{0};
            Atomic<int> y{0};
            std::array<int, 4> seen{};
            run.thread("writer of x", [&] { x.store(1, store); });
            run.thread("writer of y", [&] { y.store(1, store); });
            run.thread("reader of x, y", [&] {
                seen[0] = x.load(load);
                seen[1] = y.load(load);
            });
            run.thread("reader of y, x", [&] {
                seen[2] = y.load(load);
                seen[3] = x.load(load);
            });
            run.start_and_join();
            require(seen != std::array{1, 0, 1, 0}, "both see the same writer first");
        });
    };
    EXPECT_FALSE(outcome_of(release, acquire).ok);
    EXPECT_TRUE(outcome_of(seq_cst, seq_cst).ok);
}

TEST(Memory, weakening_plants_the_bug_in_an_unchanged_program) {
    const auto outcome_of = [](Weaken weaken) {
        return explore({.weaken = weaken}, [](model::Run& run) {
            Shared<int> data{0};
            Atomic<bool> is_ready{false};
            run.thread("writer", [&] {
                data.set(1);
                is_ready.store(true, release);
            });
            run.thread("reader", [&] {
                if (is_ready.load(acquire)) (void)data.get();
            });
            run.start_and_join();
        });
    };
    EXPECT_TRUE(outcome_of(Weaken::nothing).ok);
    EXPECT_TRUE(outcome_of(Weaken::seq_cst_to_acq_rel).ok);
    EXPECT_FALSE(outcome_of(Weaken::everything_to_relaxed).ok);
}

TEST(Memory, outside_of_a_run_an_atomic_is_a_plain_variable) {
    Atomic<int> number{1};
    number.store(2);
    EXPECT_EQ(number.fetch_add(5), 2);
    EXPECT_EQ(number.fetch_sub(3), 7);
    EXPECT_EQ(number.exchange(12), 4);
    EXPECT_EQ(number.fetch_and(6), 12);
    EXPECT_EQ(number.fetch_or(1), 4);
    int expected = 5;
    EXPECT_TRUE(number.compare_exchange_strong(expected, 6));
    EXPECT_FALSE(number.compare_exchange_weak(expected, 7));
    EXPECT_EQ(expected, 6);
}

}  // namespace
}  // namespace model
