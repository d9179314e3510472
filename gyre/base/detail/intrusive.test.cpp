// SPDX-License-Identifier: Apache-2.0
#include "gyre/base/detail/intrusive.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace gyre {
namespace {

struct FirstLinks;
struct SecondLinks;
struct Item : Link<FirstLinks>, Link<SecondLinks> {
    int number = 0;
    [[nodiscard]] Link<FirstLinks>& first() { return *this; }
};
using Items = Queue<Item, FirstLinks>;

struct Numbered {
    std::array<Item, 6> items;
    Numbered() {
        for (int number = 0; Item & item : items) item.number = number++;
    }
    Item& operator[](std::size_t index) { return items[index]; }
};

std::vector<int> numbers_of(Items& queue) {
    std::vector<int> numbers;
    queue.for_each([&numbers](Item& item) { numbers.push_back(item.number); });
    EXPECT_EQ(numbers.size(), queue.count());
    return numbers;
}
using Ints = std::vector<int>;

TEST(Queue, is_empty_at_first_and_after_the_last_is_out) {
    Items queue;
    Item item;
    EXPECT_TRUE(queue.empty());
    EXPECT_EQ(queue.front(), nullptr);
    EXPECT_EQ(queue.pop_front(), nullptr);
    queue.push_back(item);
    EXPECT_FALSE(queue.empty());
    EXPECT_EQ(queue.front(), &item);
    EXPECT_EQ(queue.pop_front(), &item);
    EXPECT_TRUE(queue.empty());
}

TEST(Queue, gives_out_first_what_came_in_first) {
    Numbered of;
    Items queue;
    for (Item& item : of.items) queue.push_back(item);
    for (Item& item : of.items) EXPECT_EQ(queue.pop_front(), &item);
}

TEST(Queue, an_element_says_whether_it_is_queued_also_as_the_only_one_and_as_the_last) {
    Numbered of;
    Items queue;
    EXPECT_FALSE(of[0].first().is_linked());
    queue.push_back(of[0]);
    EXPECT_TRUE(of[0].first().is_linked());
    queue.push_back(of[1]);
    EXPECT_TRUE(of[1].first().is_linked());
    (void)queue.pop_front();
    EXPECT_FALSE(of[0].first().is_linked());
    EXPECT_TRUE(of[1].first().is_linked());
}

TEST(Queue, an_element_leaves_from_anywhere_without_knowing_the_queue) {
    Numbered of;
    Items queue;
    for (Item& item : of.items) queue.push_back(item);
    of[2].first().unlink();
    EXPECT_EQ(numbers_of(queue), (Ints{0, 1, 3, 4, 5}));
    of[0].first().unlink();
    of[5].first().unlink();
    EXPECT_EQ(numbers_of(queue), (Ints{1, 3, 4}));
    EXPECT_FALSE(of[2].first().is_linked());
    queue.push_back(of[2]);
    EXPECT_EQ(numbers_of(queue), (Ints{1, 3, 4, 2}));
}

TEST(Queue, takes_all_of_another_behind_its_own) {
    Numbered of;
    Items one;
    Items two;
    one.take_all(two);
    EXPECT_TRUE(one.empty());
    two.push_back(of[0]);
    two.push_back(of[1]);
    one.take_all(two);
    EXPECT_TRUE(two.empty());
    EXPECT_EQ(numbers_of(one), (Ints{0, 1}));
    two.push_back(of[2]);
    one.take_all(two);
    EXPECT_EQ(numbers_of(one), (Ints{0, 1, 2}));
    // A moved element can be unlinked from its new queue.
    of[1].first().unlink();
    EXPECT_EQ(numbers_of(one), (Ints{0, 2}));
    EXPECT_TRUE(numbers_of(two).empty());
}

TEST(Queue, gives_out_all_at_once_in_order_and_is_empty_then) {
    Items queue;
    Numbered items;
    for (Item& item : items.items) queue.push_fresh(item);
    Ints taken;
    queue.take_each([&taken](Item& item) { taken.push_back(item.number); });
    EXPECT_EQ(taken, (Ints{0, 1, 2, 3, 4, 5}));
    EXPECT_TRUE(queue.empty());
    queue.push_fresh(items[3]);
    EXPECT_EQ(numbers_of(queue), Ints{3});
}

TEST(Queue, gives_out_fresh_ones_in_order) {
    Items queue;
    Numbered items;
    for (Item& item : items.items) queue.push_fresh(item);
    items[1].first().unlink();
    EXPECT_EQ(queue.take_front()->number, 0);
    EXPECT_EQ(queue.take_front()->number, 2);
    EXPECT_EQ(numbers_of(queue), (Ints{3, 4, 5}));
    queue.push_fresh(items[0]);
    EXPECT_EQ(numbers_of(queue), (Ints{3, 4, 5, 0}));
    while (queue.take_front() != nullptr) continue;
    EXPECT_TRUE(queue.empty());
}

TEST(Queue, the_visitor_may_take_out_what_it_is_given) {
    Numbered of;
    Items queue;
    for (Item& item : of.items) queue.push_back(item);
    queue.for_each([](Item& item) {
        if (item.number % 2 == 0) item.first().unlink();
    });
    EXPECT_EQ(numbers_of(queue), (Ints{1, 3, 5}));
}

TEST(Queue, what_is_pushed_in_front_comes_out_first) {
    Numbered of;
    Items queue;
    queue.push_front(of[0]);
    queue.push_back(of[1]);
    queue.push_front(of[2]);
    EXPECT_EQ(queue.pop_front(), &of[2]);
    EXPECT_EQ(queue.pop_front(), &of[0]);
    EXPECT_EQ(queue.pop_front(), &of[1]);
    EXPECT_EQ(queue.pop_front(), nullptr);
}

TEST(Queue, one_element_stands_in_two_queues_of_different_links) {
    Numbered of;
    Items one;
    Queue<Item, SecondLinks> two;
    one.push_back(of[0]);
    one.push_back(of[1]);
    two.push_back(of[1]);
    two.push_back(of[0]);
    EXPECT_EQ(one.pop_front(), &of[0]);
    EXPECT_EQ(two.pop_front(), &of[1]);
    EXPECT_EQ(two.pop_front(), &of[0]);
    EXPECT_EQ(one.pop_front(), &of[1]);
}

TEST(QueueDeathTest, an_element_pushed_twice_is_caught) {
    Item item;
    Items queue;
    Items other;
    queue.push_back(item);
    EXPECT_DEATH(queue.push_back(item), "element is in a list already: take it out first");
    EXPECT_DEATH(other.push_back(item), "element is in a list already: take it out first");
}

// The link shares its room with a member, as users do.
struct Waiter {
    int number = 0;
    union {
        Waiter* next;
        int* waits_for = nullptr;
    };
};
struct WaiterLinks {
    static Waiter*& next(Waiter& waiter) noexcept { return waiter.next; }
};
using Waiters = ForwardQueue<Waiter, WaiterLinks>;

struct Waiting {
    std::array<Waiter, 6> waiters;
    Waiters queue;
    explicit Waiting(std::size_t count) {
        for (int number = 0; Waiter & waiter : waiters) waiter.number = number++;
        for (std::size_t i = 0; i < count; ++i) queue.push_back(waiters[i]);
    }
    Ints numbers() {
        Ints all;
        EXPECT_EQ(queue.empty(), queue.count() == 0);
        while (Waiter* waiter = queue.pop_front()) all.push_back(waiter->number);
        return all;
    }
};

TEST(ForwardQueue, gives_out_first_what_came_in_first) {
    Waiting of(4);
    EXPECT_EQ(of.queue.count(), 4U);
    EXPECT_EQ(of.queue.front(), &of.waiters[0]);
    EXPECT_EQ(of.numbers(), (Ints{0, 1, 2, 3}));
    EXPECT_TRUE(of.queue.empty());
    EXPECT_EQ(of.queue.front(), nullptr);
    EXPECT_EQ(of.queue.pop_front(), nullptr);
}

TEST(ForwardQueue, push_says_whether_it_was_empty) {
    Waiting of(0);
    EXPECT_TRUE(of.queue.push_back(of.waiters[0]));
    EXPECT_FALSE(of.queue.push_back(of.waiters[1]));
    EXPECT_EQ(of.numbers(), (Ints{0, 1}));
    EXPECT_TRUE(of.queue.push_back(of.waiters[2]));
    EXPECT_EQ(of.numbers(), Ints{2});
}

TEST(ForwardQueue, takes_the_first_ones_and_leaves_the_rest) {
    Waiting of(5);
    Ints seen;
    of.queue.take_first(3, [&seen](Waiter& waiter) { seen.push_back(waiter.number); });
    EXPECT_EQ(seen, (Ints{0, 1, 2}));
    EXPECT_EQ(of.numbers(), (Ints{3, 4}));
    of.queue.take_first(3, [&seen](Waiter& waiter) { seen.push_back(waiter.number); });
    EXPECT_EQ(seen.size(), 3U);
}

TEST(ForwardQueue, what_a_visitor_pushes_is_taken_in_its_turn) {
    for (std::size_t count = 1; count <= 6; ++count) {
        Waiting of(2);
        Ints seen;
        of.queue.take_first(count, [&](Waiter& waiter) {
            seen.push_back(waiter.number);
            waiter.number += 10;
            of.queue.push_back(waiter);
        });
        const Ints turns{0, 1, 10, 11, 20, 21};
        EXPECT_EQ(seen, Ints(turns.begin(), turns.begin() + static_cast<std::ptrdiff_t>(count)));
        EXPECT_EQ(of.queue.count(), 2U);
    }
}

TEST(ForwardQueue, of_one_that_pushes_itself_is_taken_again) {
    Waiting of(1);
    int visits = 0;
    of.queue.take_first(5, [&](Waiter& waiter) {
        EXPECT_TRUE(of.queue.push_back(waiter));
        ++visits;
    });
    EXPECT_EQ(visits, 5);
    EXPECT_EQ(of.numbers(), Ints{0});
}

TEST(ForwardQueue, removes_the_first_the_last_and_one_between) {
    Waiting of(4);
    EXPECT_TRUE(of.queue.remove(of.waiters[1]));
    EXPECT_TRUE(of.queue.remove(of.waiters[3]));
    EXPECT_FALSE(of.queue.push_back(of.waiters[4]));
    EXPECT_TRUE(of.queue.remove(of.waiters[0]));
    EXPECT_FALSE(of.queue.remove(of.waiters[0]));
    EXPECT_EQ(of.numbers(), (Ints{2, 4}));
}

TEST(ForwardQueue, may_be_used_again_after_its_only_element_was_removed) {
    Waiting of(1);
    EXPECT_TRUE(of.queue.remove(of.waiters[0]));
    EXPECT_TRUE(of.queue.empty());
    EXPECT_FALSE(of.queue.remove(of.waiters[0]));
    EXPECT_TRUE(of.queue.push_back(of.waiters[1]));
    EXPECT_EQ(of.numbers(), Ints{1});
}

// Draws the same position each time, or the last one.
struct Position {
    std::uint64_t index;
    [[nodiscard]] std::uint64_t below(std::uint64_t count) const {
        return index < count ? index : count - 1;
    }
};

TEST(ForwardQueue, pops_any_from_the_front_the_middle_and_the_end) {
    for (std::uint64_t index = 0; index < 3; ++index) {
        Waiting of(3);
        Position chance{index};
        EXPECT_EQ(&of.queue.pop_any(chance), &of.waiters[index]);
        EXPECT_EQ(of.queue.front(), &of.waiters[index == 0 ? 1 : 0]);
        of.queue.push_back(of.waiters[4]);
        EXPECT_EQ(of.queue.count(), 3U);
        EXPECT_EQ(of.numbers().back(), 4);
    }
}

TEST(ForwardQueueDeathTest, an_empty_queue_gives_no_drawn_element) {
    Waiters queue;
    Position chance{0};
    EXPECT_DEATH(static_cast<void>(queue.pop_any(chance)),
                 "take an element only from a queue that has one");
}

}  // namespace
}  // namespace gyre
