// SPDX-License-Identifier: Apache-2.0
#include "gyre/kernel/detail/timers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "gyre/base/random.hpp"

namespace gyre {
namespace {

using std::chrono::nanoseconds;

// A wheel from the start: without it the few timers of most tests would stay in the list.
class WheelTimers : public Timers {
public:
    explicit WheelTimers(Instant now) : Timers(now) {
        std::deque<TimerOp> crowd;
        for (int i = 0; i < 20; ++i) insert(crowd.emplace_back(Instant::never()));
        for (TimerOp& op : crowd) remove(op);
    }
};

// Each test runs with a loop's timers as they are made, and with a wheel.
template <class Timers>
struct TimersOfALoop : testing::Test {};
using Both = testing::Types<Timers, WheelTimers>;
TYPED_TEST_SUITE(TimersOfALoop, Both);

std::vector<Op*> taken(Timers& timers, Instant now) {
    OpQueue due;
    timers.take_due(now, due);
    std::vector<Op*> ops;
    while (Op* op = due.pop_front()) ops.push_back(op);
    return ops;
}

TYPED_TEST(TimersOfALoop, fire_at_their_deadline_and_never_before) {
    // clause: K12
    TypeParam timers(Instant(1'000));
    TimerOp op(Instant(5'000));
    timers.insert(op);
    EXPECT_TRUE(taken(timers, Instant(4'999)).empty());
    EXPECT_EQ(taken(timers, Instant(5'000)), std::vector<Op*>{&op});
    EXPECT_EQ(timers.count(), 0u);
}

TYPED_TEST(TimersOfALoop, of_one_instant_fire_in_start_order) {
    TypeParam timers(Instant(0));
    std::deque<TimerOp> ops;
    std::vector<Op*> wanted;
    for (int i = 0; i < 100; ++i) wanted.push_back(&ops.emplace_back(Instant(70'000)));
    for (TimerOp& op : ops) {
        timers.insert(op);
        (void)taken(timers, Instant(static_cast<std::uint64_t>(wanted.size())));
    }
    EXPECT_EQ(taken(timers, Instant(70'000)), wanted);
}

TYPED_TEST(TimersOfALoop, of_one_instant_fire_in_start_order_also_when_started_at_different_times) {
    TypeParam timers(Instant(0));
    TimerOp far(Instant(1'000'000));
    timers.insert(far);
    (void)taken(timers, Instant(999'990));
    TimerOp near(Instant(1'000'000));
    timers.insert(near);
    EXPECT_EQ(taken(timers, Instant(1'000'000)), (std::vector<Op*>{&far, &near}));
}

TYPED_TEST(TimersOfALoop, in_a_long_list_that_stands_in_order_but_for_one_fire_in_deadline_order) {
    std::deque<TimerOp> ops;
    TypeParam timers(Instant(0));
    std::vector<Op*> in_order;
    for (std::uint64_t i = 0; i < 100; ++i) {
        timers.insert(ops.emplace_back(Instant(3'000'000 + 10 * i)));
        in_order.push_back(&ops.back());
    }
    TimerOp late_start(Instant(3'000'505));
    timers.insert(late_start);
    in_order.insert(in_order.begin() + 51, &late_start);
    EXPECT_EQ(taken(timers, Instant(4'000'000)), in_order);
    EXPECT_EQ(timers.count(), 0u);
}

TYPED_TEST(TimersOfALoop, that_are_overdue_when_started_fire_at_once_in_start_order) {
    // clause: K12
    TypeParam timers(Instant(10'000));
    TimerOp first(Instant(9'000));
    TimerOp second(Instant(5));
    TimerOp third(Instant(10'000));
    for (TimerOp* op : {&first, &second, &third}) timers.insert(*op);
    EXPECT_EQ(timers.next_deadline(), Instant(10'000));
    EXPECT_EQ(taken(timers, Instant(10'000)), (std::vector<Op*>{&first, &second, &third}));
}

TYPED_TEST(TimersOfALoop, a_clock_that_goes_back_fires_nothing_and_breaks_nothing) {
    TypeParam timers(Instant(10'000));
    TimerOp op(Instant(20'000));
    timers.insert(op);
    EXPECT_TRUE(taken(timers, Instant(1)).empty());
    EXPECT_EQ(timers.next_deadline(), Instant(20'000));
    EXPECT_EQ(taken(timers, Instant(20'000)).size(), 1u);
}

TYPED_TEST(TimersOfALoop, next_deadline_is_exact_where_few_share_a_slot) {
    // clause: K12
    TypeParam timers(Instant(0));
    TimerOp late(Instant(3'000'000'017));
    TimerOp early(Instant(3'000'000'005));
    timers.insert(late);
    timers.insert(early);
    EXPECT_EQ(timers.next_deadline(), Instant(3'000'000'005));
    timers.remove(early);
    EXPECT_EQ(timers.next_deadline(), Instant(3'000'000'017));
    timers.remove(late);
    EXPECT_EQ(timers.next_deadline(), Instant::never());
}

TYPED_TEST(TimersOfALoop, reach_from_a_nanosecond_to_the_end_of_time) {
    // clause: K12
    TypeParam timers(Instant(0));
    std::deque<TimerOp> ops;
    for (unsigned bit = 0; bit < 64; ++bit) timers.insert(ops.emplace_back(Instant(1ull << bit)));
    timers.insert(ops.emplace_back(Instant::never()));
    for (unsigned bit = 0; bit < 64; ++bit) {
        EXPECT_EQ(timers.next_deadline(), Instant(1ull << bit));
        EXPECT_EQ(taken(timers, Instant(1ull << bit)), std::vector<Op*>{&ops[bit]});
    }
    EXPECT_EQ(taken(timers, Instant::never()), std::vector<Op*>{&ops[64]});
}

// The reference model: a map sorted by deadline and start number.
struct Model {
    std::map<std::pair<std::uint64_t, std::uint64_t>, Op*> pending;
    std::uint64_t starts = 0;
    std::uint64_t time = 0;

    std::pair<std::uint64_t, std::uint64_t> insert(TimerOp& op) {
        // An overdue deadline counts as due now.
        const auto key = std::pair(std::max(op.deadline.nanoseconds(), time), starts++);
        pending[key] = &op;
        return key;
    }
    std::vector<Op*> take(std::uint64_t now) {
        std::vector<Op*> ops;
        while (!pending.empty() && pending.begin()->first.first <= now) {
            ops.push_back(pending.begin()->second);
            pending.erase(pending.begin());
        }
        time = now;
        return ops;
    }
};

TYPED_TEST(TimersOfALoop, agree_with_a_sorted_map_on_random_starts_cancels_and_times) {
    // clause: K12
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed);
        Model model;
        model.time = random.below(1u << 20u);
        TypeParam timers{Instant(model.time)};
        std::vector<std::unique_ptr<TimerOp>> ops;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> keys;
        const std::uint64_t spread = 1ull << (4 + random.below(40));
        for (int step = 0; step < 400; ++step) {
            const std::uint64_t choice = random.below(10);
            if (choice < 6) {
                const std::uint64_t past = random.below(50);
                const std::uint64_t base = model.time > past ? model.time - past : 0;
                ops.push_back(std::make_unique<TimerOp>(Instant(base + random.below(spread))));
                timers.insert(*ops.back());
                keys.push_back(model.insert(*ops.back()));
            } else if (choice == 6 && !ops.empty()) {
                const std::size_t at = random.below(ops.size());
                if (model.pending.erase(keys[at]) > 0) timers.remove(*ops[at]);
            } else if (choice == 7 && !ops.empty()) {
                const std::size_t at = random.below(ops.size());
                if (model.pending.erase(keys[at]) == 0) continue;
                // Often to another timer's deadline: ties fire in start order, rescheduled timers
                // included.
                const Instant deadline = random.below(2) == 0
                                             ? ops[random.below(ops.size())]->deadline
                                             : Instant(model.time + random.below(spread));
                timers.move(*ops[at], deadline);
                keys[at] = model.insert(*ops[at]);
            } else {
                const std::uint64_t now = model.time + random.below(spread / 2);
                const Instant next = timers.next_deadline();
                if (model.pending.empty()) {
                    ASSERT_EQ(next, Instant::never()) << "seed " << seed;
                } else {
                    ASSERT_LE(next.nanoseconds(), model.pending.begin()->first.first);
                }
                ASSERT_EQ(taken(timers, Instant(now)), model.take(now)) << "seed " << seed;
            }
            ASSERT_EQ(timers.count(), model.pending.size()) << "seed " << seed;
        }
        ASSERT_EQ(taken(timers, Instant::never()), model.take(Instant::never().nanoseconds()));
    }
}

TYPED_TEST(TimersOfALoop, moved_to_one_instant_fire_in_the_order_of_their_moves) {
    // clause: K12
    static constexpr int count = 100;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Random random(seed);
        TypeParam timers(Instant(0));
        std::deque<TimerOp> ops;
        for (int i = 0; i < count; ++i) {
            timers.insert(ops.emplace_back(Instant(1 + random.below(1u << 30u))));
        }
        std::vector<Op*> wanted;
        for (std::size_t i = 0; i < count; ++i) {
            timers.move(ops[i], Instant(1u << 31u));
            wanted.push_back(&ops[i]);
            if (random.below(2) == 0) continue;
            TimerOp& started = ops.emplace_back(Instant(1u << 31u));
            timers.insert(started);
            wanted.push_back(&started);
        }
        ASSERT_TRUE(taken(timers, Instant((1u << 31u) - 1)).empty());
        ASSERT_EQ(taken(timers, Instant(1u << 31u)), wanted) << "seed " << seed;
    }
}

TYPED_TEST(TimersOfALoop, moved_far_away_fire_after_what_stands_between) {
    // next_deadline() moves rescheduled timers to their new slots; a loop that has slept long finds
    // them in the old ones.
    for (const bool is_asked : {true, false}) {
        TypeParam timers(Instant(0));
        TimerOp moved(Instant(1'000));
        TimerOp between(Instant(5'000'000));
        timers.insert(moved);
        timers.insert(between);
        timers.move(moved, Instant(9'000'000));
        if (is_asked) {
            EXPECT_EQ(timers.next_deadline(), Instant(5'000'000)) << "not at the old deadline";
        }
        EXPECT_EQ(taken(timers, Instant(99'000'000)), (std::vector<Op*>{&between, &moved}));
    }
}

TYPED_TEST(TimersOfALoop, taken_in_portions_come_in_the_same_order_and_none_is_left) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        Random random(seed);
        Model model;
        TypeParam timers{Instant(0)};
        std::deque<TimerOp> ops;
        const std::uint64_t spread = 1ull << (4 + random.below(40));
        const auto start = [&](std::uint64_t deadline) {
            timers.insert(ops.emplace_back(Instant(deadline)));
            model.insert(ops.back());
        };
        for (int i = 0; i < 500; ++i) start(random.below(spread));

        const std::vector<Op*> wanted = model.take(spread / 2);
        std::vector<Op*> came;
        OpQueue due;
        for (bool is_all = false; !is_all;) {
            const std::size_t count_before = timers.count();
            is_all = timers.take_due(Instant(spread / 2), due, 10);
            ASSERT_TRUE(is_all || count_before - timers.count() >= 10) << "seed " << seed;
            while (Op* op = due.pop_front()) came.push_back(op);
        }
        ASSERT_EQ(came, wanted) << "seed " << seed;
        ASSERT_EQ(timers.count(), model.pending.size()) << "seed " << seed;
        (void)taken(timers, Instant::never());
    }
}

TYPED_TEST(TimersOfALoop, started_between_two_portions_fire_in_deadline_order) {
    TypeParam timers(Instant(0));
    TimerOp first(Instant(1'000'000));
    TimerOp third(Instant(3'000'000));
    timers.insert(first);
    timers.insert(third);
    OpQueue due;
    EXPECT_FALSE(timers.take_due(Instant(9'000'000), due, 1));
    TimerOp second(Instant(2'000'000));
    timers.insert(second);
    EXPECT_TRUE(timers.take_due(Instant(9'000'000), due));
    for (TimerOp* op : {&first, &second, &third}) EXPECT_EQ(due.pop_front(), op);
}

TYPED_TEST(TimersOfALoop, a_million_are_active_at_once_and_all_fire_in_order) {
    TypeParam timers(Instant(0));
    std::vector<TimerOp> ops(1'000'000);
    Random random(7);
    for (TimerOp& op : ops) {
        op.deadline = Instant(1 + random.below(10'000'000'000));
        timers.insert(op);
    }
    for (std::size_t i = 0; i < ops.size(); i += 2) timers.remove(ops[i]);
    std::size_t fired = 0;
    Instant last;
    for (std::uint64_t now = 0; now <= 10'000'000'000; now += 10'000'000) {
        OpQueue due;
        timers.take_due(Instant(now), due);
        while (Op* op = due.pop_front()) {
            const Instant deadline = static_cast<TimerOp*>(op)->deadline;
            ASSERT_LE(last, deadline);
            ASSERT_LE(deadline, Instant(now));
            last = deadline;
            ++fired;
        }
    }
    EXPECT_EQ(fired, ops.size() / 2);
}

// The heap has room for few loops otherwise: most have a few timers.
TEST(Timers, take_no_memory_for_a_wheel_that_few_of_them_do_not_need) {
    static_assert(sizeof(Timers) <= 128);
    Timers timers(Instant(0));
    std::deque<TimerOp> ops;
    std::vector<Op*> wanted;
    const auto deadline_of = [](int i) {
        return Instant(1'000 + static_cast<std::uint64_t>(i * 7 % 40));
    };
    for (int i = 0; i < 40; ++i) {
        timers.insert(ops.emplace_back(deadline_of(i)));
        EXPECT_EQ(timers.has_wheel(), i >= 16) << i;
        wanted.push_back(&ops.back());
    }
    std::ranges::sort(wanted, {},
                      [](const Op* op) { return static_cast<const TimerOp*>(op)->deadline; });
    EXPECT_EQ(taken(timers, Instant(2'000)), wanted) << "those that were in the list among them";
    EXPECT_TRUE(timers.has_wheel()) << "it is kept";
}

}  // namespace
}  // namespace gyre
