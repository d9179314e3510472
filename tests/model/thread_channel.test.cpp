// SPDX-License-Identifier: Apache-2.0
// A channel between threads under the model checker: gyre/base/detail/mpmc_ring.hpp and
// gyre/task/thread/detail/wait_room.hpp, combined as in gyre/task/thread/thread_channel.hpp, with a
// thread that parks in place of a task that waits. Planted bugs as in inbox.test.cpp.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "gyre/base/detail/mpmc_ring.hpp"
#include "gyre/task/thread/detail/wait_room.hpp"
#include "model.hpp"

namespace {

using gyre::WaitRoom;
// A move is a read of the one and a write of the other, for the checker to see.
struct Item {
    explicit Item(int of) : value(of) {}
    Item(Item&& other) noexcept : value(other.value) {}
    model::Shared<int> value;
};
using Ring = gyre::MpmcRing<Item>;

enum class Fault : std::uint8_t {
    none,
    looks_before_it_enters,  // and not after
    calls_before_it_pushes,
    calls_no_second_receiver,
};

class ParkedWait final : public gyre::RoomWait {
public:
    void on_call() noexcept override { parker_.unpark(); }
    void park() { parker_.park(); }

private:
    model::Parker parker_;
};

class Channel {
public:
    explicit Channel(Fault fault) : fault_(fault) {}

    [[nodiscard]] Ring::Pushed push(int value) {
        Item item(value);
        if (fault_ == Fault::calls_before_it_pushes) receivers_.call_one();
        const auto pushed = ring_.push(item);
        if (pushed == Ring::Pushed::full) return pushed;
        if (fault_ != Fault::calls_before_it_pushes) receivers_.call_one();
        if (!senders_.empty() && ring_.may_push()) senders_.call_one();
        return pushed;
    }
    [[nodiscard]] Ring::Popped pop(std::optional<Item>& into) {
        const auto popped = ring_.pop(into);
        if (popped == Ring::Popped::empty) return popped;
        senders_.call_one();
        const bool calls_another = fault_ != Fault::calls_no_second_receiver;
        if (calls_another && !receivers_.empty() && ring_.may_pop()) receivers_.call_one();
        return popped;
    }
    void close() {
        ring_.close();
        senders_.call_all();
        receivers_.call_all();
    }

    bool send(int value) {
        auto pushed = Ring::Pushed::full;
        wait_in(
            senders_,
            [&] {
                pushed = push(value);
                return pushed != Ring::Pushed::full;
            },
            [this] { return ring_.may_push(); });
        return pushed == Ring::Pushed::done;
    }
    // 0 where it is closed and drained.
    int receive() {
        std::optional<Item> item;
        wait_in(
            receivers_, [&] { return pop(item) != Ring::Popped::empty; },
            [this] { return ring_.may_pop(); });
        return item.has_value() ? item->value.get() : 0;
    }

private:
    template <class Attempt, class MaySucceed>
    void wait_in(WaitRoom& room, Attempt attempt, MaySucceed may_succeed) {
        ParkedWait wait;
        while (!attempt()) {
            if (fault_ == Fault::looks_before_it_enters && may_succeed()) continue;
            room.enter(wait);
            const bool looks = fault_ != Fault::looks_before_it_enters;
            if (looks && may_succeed() && room.leave(wait)) continue;
            wait.park();
        }
    }

    const Fault fault_;
    Ring ring_{2};
    WaitRoom senders_;
    WaitRoom receivers_;
};

model::Outcome one_to_one(const model::Options& options, Fault fault = Fault::none) {
    return model::explore(options, [=](model::Run& run) {
        Channel channel(fault);
        run.name(channel, "channel");
        run.thread("sender", [&] {
            for (int i = 1; i <= 3; ++i) model::require(channel.send(i), "it is open");
        });
        run.thread("receiver", [&] {
            for (int i = 1; i <= 3; ++i) model::require(channel.receive() == i, "in order, once");
        });
        run.start_and_join();
    });
}

// Two senders, two receivers that take one item each and then are gone: an item must not lie there
// while a receiver sleeps.
model::Outcome two_to_two(const model::Options& options, Fault fault = Fault::none) {
    return model::explore(options, [=](model::Run& run) {
        Channel channel(fault);
        run.name(channel, "channel");
        int sum = 0;
        run.thread("sender 1", [&] { model::require(channel.send(1), "it is open"); });
        run.thread("sender 2", [&] { model::require(channel.send(2), "it is open"); });
        run.thread("receiver 1", [&] { sum += channel.receive(); });
        run.thread("receiver 2", [&] { sum += channel.receive(); });
        run.start_and_join();
        model::require(sum == 3, "each item once");
    });
}

model::Outcome closed_meanwhile(const model::Options& options) {
    return model::explore(options, [](model::Run& run) {
        Channel channel(Fault::none);
        run.name(channel, "channel");
        int sent = 0;
        int received = 0;
        run.thread("sender", [&] {
            for (int i = 1; i <= 3 && channel.send(i); ++i) sent = i;
        });
        run.thread("receiver", [&] {
            while (const int item = channel.receive()) received = item;
        });
        run.thread("closer", [&] { channel.close(); });
        run.start_and_join();
        model::require(sent == received, "what was sent is received, and the end after it");
    });
}

TEST(ThreadChannelModel, loses_no_item_and_no_call) {
    const auto outcome = one_to_one({.surprises_max = 1});
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
    RecordProperty("schedules", std::to_string(outcome.schedules_explored));
}

TEST(ThreadChannelModel, leaves_no_receiver_asleep_beside_an_item) {
    const auto outcome = two_to_two({.preemptions_max = 2, .surprises_max = 1});
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
    RecordProperty("schedules", std::to_string(outcome.schedules_explored));
}

TEST(ThreadChannelModel, ends_after_the_last_item_when_it_is_closed_meanwhile) {
    const auto outcome = closed_meanwhile({.preemptions_max = 2, .surprises_max = 1});
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
    RecordProperty("schedules", std::to_string(outcome.schedules_explored));
}

TEST(ThreadChannelModel, a_wait_that_does_not_look_again_is_found) {
    const auto outcome = one_to_one({}, Fault::looks_before_it_enters);
    EXPECT_TRUE(outcome.schedule.starts_with("deadlock: ")) << outcome.schedule;
}

TEST(ThreadChannelModel, a_call_before_its_push_is_found) {
    const auto outcome = one_to_one({}, Fault::calls_before_it_pushes);
    EXPECT_TRUE(outcome.schedule.starts_with("deadlock: ")) << outcome.schedule;
}

TEST(ThreadChannelModel, a_receiver_that_calls_no_other_one_is_found) {
    const auto outcome =
        two_to_two({.preemptions_max = 3, .surprises_max = 0}, Fault::calls_no_second_receiver);
    EXPECT_TRUE(outcome.schedule.starts_with("deadlock: ")) << outcome.schedule;
}

TEST(ThreadChannelModel, orders_that_are_too_weak_are_found) {
    EXPECT_FALSE(one_to_one({.weaken = model::Weaken::everything_to_relaxed}).ok);
    const auto outcome = one_to_one({.weaken = model::Weaken::seq_cst_to_acq_rel});
    EXPECT_TRUE(outcome.schedule.starts_with("deadlock: ")) << outcome.schedule;
}

}  // namespace
