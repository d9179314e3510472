// SPDX-License-Identifier: Apache-2.0
// The real loops under the model checker, on a platform that only sleeps and is woken: an op that
// is cancelled from another loop while it completes there, and a wake that is cancelled while it is
// rung. Planted bugs as in inbox.test.cpp.
#include "gyre/kernel/loop.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "loop_node.hpp"
#include "model.hpp"

namespace {

using gyre::Instant;
using model::LoopNode;

constexpr auto relaxed = std::memory_order_relaxed;

struct Errand : gyre::Op {
    Errand() noexcept : Op(gyre::OpCode::first_custom) {}
    model::Shared<int> note;  // its initiator's, then its server's, then its initiator's again
};

constexpr int done = 7;

class Initiator : public gyre::Machine {
public:
    Initiator() : Machine("initiator") {}

    void start(gyre::MachineRef server) {
        errand_.note.set(1);
        errand_.set_destination(server);
        submit(errand_);
    }
    void cancel_errand() { cancel(errand_, &message_); }
    int completions() const { return completions_; }

    void tick(Instant) override {
        while (next_completion() != nullptr) {
            ++completions_;
            const int note = errand_.note.get();
            const bool is_done = errand_.result() == done;
            model::require(is_done || errand_.is_cancelled(), "a result or a cancellation");
            model::require(!is_done || note == 2, "the server's note comes with its result");
            model::require(!message_.is_in_flight(), "the message is back before the completion");
        }
    }

private:
    Errand errand_;
    gyre::CancelOp message_;
    int completions_ = 0;
};

// Holds an op for one tick, so that a cancellation can come before, in between or after.
class Server : public gyre::Machine {
public:
    explicit Server(bool forgets_cancels) : Machine("server"), forgets_cancels_(forgets_cancels) {}

    void tick(Instant) override {
        while (gyre::Op* op = next_cancellation()) {
            finish(*op, gyre::failure(std::errc::operation_canceled));
            if (!forgets_cancels_ && held_ == op) held_ = nullptr;
        }
        if (held_ != nullptr) finish(*std::exchange(held_, nullptr), done);
        if (gyre::Op* op = next_submission()) {
            model::require(op->code() == gyre::OpCode::first_custom, "only errands come here");
            held_ = op;
            tick_again();
        }
    }

private:
    void finish(gyre::Op& op, int result) {
        static_cast<Errand&>(op).note.set(2);
        complete(op, result);
    }

    const bool forgets_cancels_;
    gyre::Op* held_ = nullptr;
};

model::Outcome cancel_against_complete(const model::Options& options, bool forgets_cancels) {
    return model::explore(options, [=](model::Run& run) {
        gyre::Peers peers(2);
        auto here = std::make_unique<LoopNode<Initiator>>(
            gyre::LoopOptions{.thread_id = 1, .peers = &peers, .machine_count_max = 4});
        auto there = std::make_unique<LoopNode<Server>>(
            gyre::LoopOptions{.thread_id = 2,
                              .peers = &peers,
                              .machine_count_max = 4,
                              .rounds_per_turn_max = 1},  // A drain between any two ticks.
            forgets_cancels);
        run.name(here->loop, "loop here");
        run.name(here->platform, "platform here");
        run.name(here->app, "initiator");
        run.name(there->loop, "loop there");
        run.name(there->platform, "platform there");
        run.thread("initiator", [&] {
            here->app.start(there->loop.app_ref());
            here->loop.turn();
            here->app.cancel_errand();
            while (here->app.completions() == 0) here->loop.turn();
            there->loop.stop();
        });
        run.thread("server", [&] { there->loop.run_until_stopped(); });
        run.start_and_join();
        here->loop.close();
        there->loop.close();
        model::require(here->app.completions() == 1, "one completion");
    });
}

TEST(LoopModel, a_remote_cancel_against_a_completion_gives_one_of_them_once) {
    // clause: K10, K24
    const auto outcome = cancel_against_complete({}, false);
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
    RecordProperty("schedules", std::to_string(outcome.schedules_explored));
}

TEST(LoopModel, a_server_that_forgets_a_cancel_is_found) {
    const auto outcome = cancel_against_complete({}, true);
    EXPECT_TRUE(outcome.schedule.starts_with("assertion failed: ")) << outcome.schedule;
}

TEST(LoopModel, orders_that_are_too_weak_are_found) {
    const auto outcome =
        cancel_against_complete({.weaken = model::Weaken::everything_to_relaxed}, false);
    EXPECT_FALSE(outcome.ok);
}

// Waits for rings until it has seen the last value, or until its wake is cancelled.
class Listener : public gyre::Machine {
public:
    explicit Listener(const gyre::Atomic<int>* written) : Machine("listener"), written_(*written) {}

    void start() { submit(wake_); }
    void cancel_wake() { cancel(wake_); }
    void ring() { wake_.ring(); }
    int seen() const { return seen_; }
    int completions() const { return completions_; }

    void tick(Instant) override {
        // Relaxed: it is the ring that must make it seen.
        while (next_notification() != nullptr) seen_ = written_.load(relaxed);
        while (next_completion() != nullptr) ++completions_;
    }

private:
    const gyre::Atomic<int>& written_;
    gyre::WakeOp wake_;
    int seen_ = 0;
    int completions_ = 0;
};

model::Outcome rings_and_a_cancel(const model::Options& options, bool rings_before_write,
                                  bool cancels_early) {
    return model::explore(options, [=](model::Run& run) {
        gyre::Atomic<int> written{0};
        auto node = std::make_unique<LoopNode<Listener>>(gyre::LoopOptions{.machine_count_max = 4},
                                                         &written);
        run.name(node->loop, "loop");
        run.name(node->platform, "platform");
        run.name(node->app, "listener");
        run.name(written, "written");
        node->app.start();
        run.thread("ringer", [&] {
            for (const int value : {1, 2}) {
                if (rings_before_write) node->app.ring();
                written.store(value, relaxed);
                if (!rings_before_write) node->app.ring();
            }
        });
        run.thread("loop", [&] {
            while (!cancels_early && node->app.seen() != 2) node->loop.turn();
            node->app.cancel_wake();
            while (node->app.completions() == 0) node->loop.turn();
        });
        run.start_and_join();
        node->loop.close();
        model::require(node->app.completions() == 1, "one completion");
    });
}

TEST(LoopModel, a_wake_from_another_thread_shows_what_was_written_before) {
    // clause: K09, K24
    const auto outcome = rings_and_a_cancel({}, false, false);
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
    RecordProperty("schedules", std::to_string(outcome.schedules_explored));
}

TEST(LoopModel, a_wake_that_is_cancelled_while_it_is_rung_completes_once) {
    // clause: K08
    const auto outcome = rings_and_a_cancel({}, false, true);
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
    RecordProperty("schedules", std::to_string(outcome.schedules_explored));
}

TEST(LoopModel, a_ring_before_the_write_is_found) {
    const auto outcome = rings_and_a_cancel({}, true, false);
    EXPECT_TRUE(outcome.schedule.starts_with("deadlock: nothing can wake loop\n"))
        << outcome.schedule;
}

}  // namespace
