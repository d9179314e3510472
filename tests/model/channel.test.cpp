// SPDX-License-Identifier: Apache-2.0
// A channel between two real loops under the model checker: the producer pushes and notifies, then
// completes, while the consumer may cancel. Planted bugs as in inbox.test.cpp.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "gyre/base/spsc_ring.hpp"
#include "gyre/kernel/standing_op.hpp"
#include "loop_node.hpp"
#include "model.hpp"

namespace {

using gyre::Instant;
using model::LoopNode;
using Item = model::Shared<int>;

constexpr int item_count = 2;

enum class Fault : std::uint8_t { none, pushes_after_notify, consumer_takes_one_a_ring };

class Consumer : public gyre::Machine {
public:
    explicit Consumer(Fault fault) : Machine("consumer"), fault_(fault) {}

    void start(gyre::MachineRef producer) {
        channel_.set_destination(producer);
        submit(channel_);
    }
    void cancel_channel() { cancel(channel_, &message_); }
    int taken() const { return taken_; }
    int completions() const { return completions_; }
    bool is_cancelled() const { return channel_.is_cancelled(); }

    void tick(Instant) override {
        while (next_notification() != nullptr) take_items();
        while (next_completion() != nullptr) {
            ++completions_;
            model::require(!message_.is_in_flight(), "the message is back before the completion");
            take_items();
        }
    }

private:
    void take_items() {
        while (const auto item = ring_.pop()) {
            ++taken_;
            model::require(item->get() == taken_, "items come in order, each once");
            if (fault_ == Fault::consumer_takes_one_a_ring) return;
        }
    }

    const Fault fault_;
    gyre::SpscRing<Item> ring_{2};
    gyre::ChannelOp<Item> channel_{ring_};
    gyre::CancelOp message_;
    int taken_ = 0;
    int completions_ = 0;
};

// Pushes one item a tick, and completes the channel after the last one if told to, or when
// cancelled.
class Producer : public gyre::Machine {
public:
    Producer(Fault fault, bool completes)
        : Machine("producer"), fault_(fault), completes_(completes) {}

    void tick(Instant) override {
        while (gyre::Op* op = next_cancellation()) {
            model::require(op == channel_, "only a held op is cancelled");
            channel_ = nullptr;
            complete(*op, gyre::failure(std::errc::operation_canceled));
        }
        if (gyre::Op* op = next_submission()) channel_ = static_cast<gyre::ChannelOp<Item>*>(op);
        if (channel_ == nullptr) return;
        if (pushed_ < item_count) {
            if (fault_ == Fault::pushes_after_notify) notify(*channel_);
            model::require(channel_->ring().push(Item(++pushed_)), "there is room");
            if (fault_ != Fault::pushes_after_notify) notify(*channel_);
            tick_again();
        } else if (completes_) {
            gyre::Op& op = *channel_;
            channel_ = nullptr;
            complete(op, 0);
        }
    }

private:
    const Fault fault_;
    const bool completes_;
    gyre::ChannelOp<Item>* channel_ = nullptr;
    int pushed_ = 0;
};

struct Plan {
    Fault fault = Fault::none;
    bool producer_completes = false;
    bool consumer_cancels_early = false;  // else once it has all items
};

model::Outcome channel_between_loops(const model::Options& options, Plan plan) {
    return model::explore(options, [=](model::Run& run) {
        gyre::Peers peers(2);
        auto here = std::make_unique<LoopNode<Consumer>>(
            gyre::LoopOptions{.thread_id = 1, .peers = &peers, .machine_count_max = 4}, plan.fault);
        auto there = std::make_unique<LoopNode<Producer>>(
            gyre::LoopOptions{.thread_id = 2,
                              .peers = &peers,
                              .machine_count_max = 4,
                              .rounds_per_turn_max = 1},  // A drain between any two ticks.
            plan.fault, plan.producer_completes);
        run.name(here->loop, "loop here");
        run.name(here->platform, "platform here");
        run.name(here->app, "consumer");
        run.name(there->loop, "loop there");
        run.name(there->platform, "platform there");
        run.thread("consumer", [&] {
            Consumer& consumer = here->app;
            consumer.start(there->loop.app_ref());
            here->loop.turn();
            const auto is_over = [&] { return consumer.completions() > 0; };
            const bool waits_for_all = !plan.consumer_cancels_early;
            while (waits_for_all && !is_over() && consumer.taken() < item_count) here->loop.turn();
            consumer.cancel_channel();
            while (!is_over()) here->loop.turn();
            there->loop.stop();
        });
        run.thread("producer", [&] { there->loop.run_until_stopped(); });
        run.start_and_join();
        here->loop.close();
        there->loop.close();
        model::require(here->app.completions() == 1, "one completion");
        const bool may_miss_items = plan.consumer_cancels_early && here->app.is_cancelled();
        model::require(may_miss_items || here->app.taken() == item_count, "no item is lost");
    });
}

TEST(ChannelModel, brings_all_items_in_order_across_loops) {
    // clause: K13, K21, K24
    const auto outcome = channel_between_loops({.surprises_max = 1}, {});
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
    RecordProperty("schedules", std::to_string(outcome.schedules_explored));
}

TEST(ChannelModel, completes_once_when_its_producer_ends_it_while_it_is_rung) {
    // clause: K08
    const auto outcome = channel_between_loops({.surprises_max = 1}, {.producer_completes = true});
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
    RecordProperty("schedules", std::to_string(outcome.schedules_explored));
}

TEST(ChannelModel, completes_once_when_it_is_cancelled_while_its_producer_ends_it) {
    // clause: K08, K10
    const auto outcome = channel_between_loops(
        {.surprises_max = 1}, {.producer_completes = true, .consumer_cancels_early = true});
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
    RecordProperty("schedules", std::to_string(outcome.schedules_explored));
}

TEST(ChannelModel, a_push_after_its_notification_is_found) {
    const auto outcome = channel_between_loops({}, {.fault = Fault::pushes_after_notify});
    EXPECT_TRUE(outcome.schedule.starts_with("deadlock: ")) << outcome.schedule;
}

TEST(ChannelModel, a_consumer_that_takes_one_item_a_ring_is_found) {
    const auto outcome = channel_between_loops({}, {.fault = Fault::consumer_takes_one_a_ring});
    EXPECT_FALSE(outcome.ok);
}

}  // namespace
