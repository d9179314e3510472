// SPDX-License-Identifier: Apache-2.0
// gyre/actor/detail/gate.hpp under the model checker: senders against a loop that closes and goes, with
// the inbox that the messages travel through. Planted bugs as in inbox.test.cpp.
#include "gyre/actor/detail/gate.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "gyre/kernel/detail/inbox.hpp"
#include "model.hpp"

namespace {

using gyre::Inbox;
using gyre::actor::Gate;

struct Letter : gyre::Op {
    Letter() noexcept : Op(gyre::OpCode::post) {}
    int visits = 0;
    bool is_refused = false;
};

enum class Fault : std::uint8_t {
    none,
    looks_before_it_enters,   // a sender sees that it is open, and then counts itself
    leaves_before_it_posts,   // a sender lets go of the loop too early
    forgets_the_message,      // only the sender is counted, not what it sent
    goes_although_not_empty,  // the loop closes the gate, and goes at once
    tells_after_it_closes,    // the loop writes how it ended behind the gate
};

// A loop as actors know it: the gate stays, what is behind it goes.
class Bench {
public:
    explicit Bench(Fault fault) : fault_(fault) {}

    void send(Letter& letter) {
        if (!enter()) {
            letter.is_refused = true;
            model::require(how_it_ended_.get() == 1, "who is refused sees how it ended");
            return;
        }
        if (fault_ == Fault::leaves_before_it_posts) gate_.leave();
        const Inbox::Posted posted = inbox_.post(letter);
        model::require(loop_.get() == 0, "the loop is there");  // The poster wakes it.
        model::require(posted != Inbox::Posted::refused, "its inbox is open");
        if (fault_ != Fault::leaves_before_it_posts) gate_.leave();
    }

    void close_and_go() {
        drain();
        if (fault_ != Fault::tells_after_it_closes) how_it_ended_.set(1);
        gate_.close();
        if (fault_ == Fault::tells_after_it_closes) how_it_ended_.set(1);
        while (!gate_.is_empty() && fault_ != Fault::goes_although_not_empty) {
            drain();
            gyre::spin_pause();
        }
        loop_.set(1);
    }

private:
    [[nodiscard]] bool enter() {
        if (fault_ == Fault::looks_before_it_enters) {
            if (gate_.is_closed()) return false;
            static_cast<void>(gate_.enter());
            return true;
        }
        const bool is_in = gate_.enter();
        if (is_in && fault_ == Fault::forgets_the_message) gate_.leave();
        return is_in;
    }
    void drain() {
        gyre::OpQueue arrived;
        inbox_.drain(arrived);
        while (gyre::Op* op = arrived.pop_front()) {
            ++static_cast<Letter*>(op)->visits;
            if (fault_ != Fault::forgets_the_message) gate_.leave();
        }
    }

    const Fault fault_;
    Gate gate_;
    Inbox inbox_;
    model::Shared<int> loop_;  // 1: gone
    model::Shared<int> how_it_ended_;
};

// Two preemptions are enough for every bug below, and ten times as fast as three.
model::Outcome two_senders_and_a_loop(Fault fault, model::Weaken weaken = model::Weaken::nothing) {
    return model::explore({.preemptions_max = 2, .weaken = weaken}, [=](model::Run& run) {
        Bench bench(fault);
        std::array<Letter, 3> letters;
        run.name(bench, "bench");
        run.name(letters, "letters");
        run.thread("a", [&] {
            bench.send(letters[0]);
            bench.send(letters[1]);
        });
        run.thread("b", [&] { bench.send(letters[2]); });
        run.thread("loop", [&] { bench.close_and_go(); });
        run.start_and_join();
        for (const Letter& letter : letters) {
            model::require((letter.visits == 1) != letter.is_refused, "visited or refused");
        }
    });
}

TEST(GateModel, a_message_arrives_or_is_refused_and_nobody_touches_a_loop_that_has_gone) {
    const auto outcome = two_senders_and_a_loop(Fault::none);
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
    RecordProperty("schedules", std::to_string(outcome.schedules_explored));
}

TEST(GateModel, a_look_before_the_count_is_found) {
    EXPECT_FALSE(two_senders_and_a_loop(Fault::looks_before_it_enters).ok);
}

TEST(GateModel, a_sender_that_leaves_too_early_is_found) {
    const auto outcome = two_senders_and_a_loop(Fault::leaves_before_it_posts);
    EXPECT_TRUE(outcome.schedule.starts_with("data race on ")) << outcome.schedule;
}

TEST(GateModel, a_message_that_is_not_counted_is_found) {
    const auto outcome = two_senders_and_a_loop(Fault::forgets_the_message);
    EXPECT_TRUE(outcome.schedule.starts_with("does not hold: visited or refused\n"))
        << outcome.schedule;
}

TEST(GateModel, a_loop_that_does_not_wait_is_found) {
    EXPECT_FALSE(two_senders_and_a_loop(Fault::goes_although_not_empty).ok);
}

TEST(GateModel, what_is_told_behind_a_closed_gate_is_found) {
    const auto outcome = two_senders_and_a_loop(Fault::tells_after_it_closes);
    EXPECT_FALSE(outcome.ok);
}

TEST(GateModel, orders_that_are_too_weak_are_found) {
    const auto outcome = two_senders_and_a_loop(Fault::none, model::Weaken::everything_to_relaxed);
    EXPECT_TRUE(outcome.schedule.starts_with("data race on ")) << outcome.schedule;
}

}  // namespace
