// SPDX-License-Identifier: Apache-2.0
// gyre/pool's deque, sleepers and join flag under the model checker. Planted bugs as in
// inbox.test.cpp.
#include "gyre/pool/detail/steal_deque.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "gyre/pool/detail/parking.hpp"
#include "model.hpp"

namespace {

using gyre::pool::JoinFlag;
using gyre::pool::Sleepers;

using Item = model::Shared<int>;
using Deque = gyre::pool::StealDeque<Item>;

enum class Fault : std::uint8_t {
    none,
    two_owners,
    sleeps_without_a_second_look,
    looks_before_it_says_so,
    wakes_before_it_pushes,
};

void take(Item* item) {
    if (item == nullptr) return;
    model::require(item->get() == 0, "an item is taken once");
    item->set(1);
}

// The owner meets the deque full and empty, and writes each slot more than once.
model::Outcome owner_and_thieves(const model::Options& options, std::size_t thieves, Fault fault) {
    return model::explore(options, [=](model::Run& run) {
        Deque deque(2);
        std::array<Item, 4> items;
        run.name(deque, "deque");
        run.thread("owner", [&] {
            const auto push = [&](Item& item) {
                item.set(0);
                if (!deque.push(item)) item.set(1);
            };
            push(items[0]);
            push(items[1]);
            push(items[2]);
            take(deque.pop());
            push(items[3]);
            take(deque.pop());
            take(deque.pop());
        });
        for (std::size_t i = 0; i < thieves; ++i) {
            run.thread(i == 0 ? "thief" : "other thief", [&] {
                take(fault == Fault::two_owners ? deque.pop() : deque.steal());
                take(fault == Fault::two_owners ? deque.pop() : deque.steal());
            });
        }
        run.start_and_join();
        while (Item* item = deque.pop()) take(item);
        for (Item& item : items) model::require(item.get() == 1, "no item is lost");
    });
}

TEST(StealDequeModel, an_item_goes_to_one_of_owner_and_thief) {
    const auto outcome = owner_and_thieves({.preemptions_max = 5}, 1, Fault::none);
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
    RecordProperty("schedules", std::to_string(outcome.schedules_explored));
}

TEST(StealDequeModel, an_item_goes_to_one_of_two_thieves) {
    const auto outcome = owner_and_thieves({.surprises_max = 1}, 2, Fault::none);
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
    RecordProperty("schedules", std::to_string(outcome.schedules_explored));
}

TEST(StealDequeModel, an_order_without_sequential_consistency_is_found) {
    const auto outcome =
        owner_and_thieves({.weaken = model::Weaken::seq_cst_to_acq_rel}, 1, Fault::none);
    EXPECT_FALSE(outcome.ok);
}

TEST(StealDequeModel, orders_that_are_too_weak_are_found) {
    const auto outcome =
        owner_and_thieves({.weaken = model::Weaken::everything_to_relaxed}, 1, Fault::none);
    EXPECT_FALSE(outcome.ok);
}

TEST(StealDequeModel, a_thief_that_pops_is_found) {
    EXPECT_FALSE(owner_and_thieves({}, 1, Fault::two_owners).ok);
}

// A worker forks once while another falls asleep: that one must find the fork, or be woken.
model::Outcome fork_against_sleep(const model::Options& options, Fault fault) {
    return model::explore(options, [=](model::Run& run) {
        Deque deque(2);
        Sleepers sleepers;
        model::Parker parker;
        Item item;
        run.name(deque, "deque");
        run.name(sleepers, "sleepers");
        const auto wake_one = [&] {
            if (sleepers.empty()) return;
            if (sleepers.pick()) parker.unpark();
        };
        run.thread("forks", [&, fault] {
            item.set(0);
            if (fault == Fault::wakes_before_it_pushes) wake_one();
            model::require(deque.push(item), "there is room");
            if (fault != Fault::wakes_before_it_pushes) wake_one();
        });
        run.thread("sleeps", [&, fault] {
            Item* stolen = deque.steal();
            while (stolen == nullptr) {
                const bool looked = deque.looks_empty();
                sleepers.add(0);
                const bool looks = fault == Fault::none || fault == Fault::wakes_before_it_pushes;
                const bool is_empty = looks ? deque.looks_empty() : looked;
                if (fault == Fault::sleeps_without_a_second_look || is_empty) parker.park();
                sleepers.remove(0);
                stolen = deque.steal();
            }
            take(stolen);
        });
        run.start_and_join();
    });
}

TEST(SleepersModel, a_fork_is_found_or_wakes_the_sleeper) {
    const auto outcome = fork_against_sleep({}, Fault::none);
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
    RecordProperty("schedules", std::to_string(outcome.schedules_explored));
}

TEST(SleepersModel, an_order_without_sequential_consistency_is_found) {
    const auto outcome =
        fork_against_sleep({.weaken = model::Weaken::seq_cst_to_acq_rel}, Fault::none);
    EXPECT_TRUE(outcome.schedule.starts_with("deadlock: nothing can wake sleeps\n"))
        << outcome.schedule;
}

TEST(SleepersModel, lost_wakes_are_found) {
    for (const Fault fault : {Fault::sleeps_without_a_second_look, Fault::looks_before_it_says_so,
                              Fault::wakes_before_it_pushes}) {
        const auto outcome = fork_against_sleep({}, fault);
        EXPECT_TRUE(outcome.schedule.starts_with("deadlock: nothing can wake sleeps\n"))
            << outcome.schedule;
    }
}

// A thief finishes a task while its joiner falls asleep for it, and ends the task's life.
model::Outcome finish_against_join(const model::Options& options, bool parks_without_asking) {
    return model::explore(options, [=](model::Run& run) {
        JoinFlag<model::Parker> flag;
        model::Parker joiner;
        model::Shared<int> value;
        run.name(flag, "flag");
        run.thread("thief", [&] {
            value.set(1);
            if (model::Parker* waiter = flag.finish()) waiter->unpark();
        });
        run.thread("joiner", [&, parks_without_asking] {
            while (!flag.is_done()) {
                const bool must_park = flag.wait(joiner);
                if (must_park || parks_without_asking) joiner.park();
            }
            model::require(value.get() == 1, "the task is done");
            value.set(2);
        });
        run.start_and_join();
    });
}

TEST(JoinFlagModel, a_joiner_sees_the_end_or_is_woken_by_it) {
    const auto outcome = finish_against_join({}, false);
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
}

TEST(JoinFlagModel, parking_for_a_task_that_is_done_is_found) {
    const auto outcome = finish_against_join({}, true);
    EXPECT_TRUE(outcome.schedule.starts_with("deadlock: nothing can wake joiner\n"))
        << outcome.schedule;
}

TEST(JoinFlagModel, orders_that_are_too_weak_are_found) {
    const auto outcome =
        finish_against_join({.weaken = model::Weaken::everything_to_relaxed}, false);
    EXPECT_TRUE(outcome.schedule.starts_with("data race on ")) << outcome.schedule;
}

}  // namespace
