// SPDX-License-Identifier: Apache-2.0
// gyre/kernel/standing_op.hpp under the model checker: foreign threads ring an op that travels through
// a real inbox to a loop that sleeps. Planted bugs as in inbox.test.cpp.
#include "gyre/kernel/standing_op.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "gyre/kernel/detail/inbox.hpp"
#include "model.hpp"

namespace {

using gyre::Doorbell;
using gyre::Inbox;

constexpr auto relaxed = std::memory_order_relaxed;

enum class Fault : std::uint8_t {
    none,
    reads_before_answer,
    rings_before_write,
    sends_at_every_ring,
    looks_before_it_rings,
};

// A standing op and the loop of its initiator, with the steps that the kernel takes for them.
class Bench {
public:
    explicit Bench(Fault fault) : fault_(fault) { bell_.open(); }

    void ring() {
        if (fault_ == Fault::looks_before_it_rings && bell_.is_rung()) return;
        const bool must_send = bell_.ring();
        if (must_send || fault_ == Fault::sends_at_every_ring) send();
    }

    void close() {
        if (bell_.close()) send();
    }

    // Calls `answer` each time the op arrives, until that returns true. Sleeps in between.
    template <class Answer>
    void serve(Answer answer) {
        bool is_done = false;
        while (true) {
            gyre::OpQueue arrived;
            inbox_.drain(arrived);
            while (arrived.pop_front() != nullptr) {
                is_under_way_ = false;
                owner_.set(0);  // The op is the loop's now: it may write it.
                is_done = answer(bell_);
            }
            if (is_done) return;
            if (inbox_.try_sleep()) parker_.park();
        }
    }

private:
    void send() {
        model::require(!is_under_way_, "the op travels once at a time");
        is_under_way_ = true;
        owner_.set(1);  // The op is the ringer's until it is posted.
        if (inbox_.post(op_) == Inbox::Posted::loop_sleeps) parker_.unpark();
    }

    const Fault fault_;
    Doorbell bell_;
    Inbox inbox_;
    gyre::Op op_{gyre::OpCode::wake};
    model::Parker parker_;
    model::Shared<int> owner_;
    bool is_under_way_ = false;
};

model::Outcome two_ringers(const model::Options& options, Fault fault) {
    return model::explore(options, [=](model::Run& run) {
        Bench bench(fault);
        std::array<gyre::Atomic<int>, 2> written;
        run.name(bench, "bench");
        run.name(written[0], "written by a");
        run.name(written[1], "written by b");
        const auto write_and_ring = [&, fault](std::size_t who, int value) {
            if (fault == Fault::rings_before_write) bench.ring();
            // Relaxed: it is the ring that must make it seen.
            written[who].store(value, relaxed);
            if (fault != Fault::rings_before_write) bench.ring();
        };
        run.thread("a", [&] {
            write_and_ring(0, 1);
            write_and_ring(0, 2);
        });
        run.thread("b", [&] { write_and_ring(1, 2); });
        run.thread("loop", [&] {
            bench.serve([&, fault](Doorbell& bell) {
                const bool is_early = fault == Fault::reads_before_answer;
                const auto is_all_there = [&] {
                    const int by_a = written[0].load(relaxed);
                    return by_a == 2 && written[1].load(relaxed) == 2;
                };
                const bool early = is_early && is_all_there();
                model::require(!bell.answer(), "nobody closes");
                return is_early ? early : is_all_there();
            });
        });
        run.start_and_join();
    });
}

TEST(DoorbellModel, what_was_written_before_the_last_ring_is_seen) {
    // clause: K09, K24
    const auto outcome = two_ringers({}, Fault::none);
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
    RecordProperty("schedules", std::to_string(outcome.schedules_explored));
}

TEST(DoorbellModel, reading_before_the_answer_is_found) {
    const auto outcome = two_ringers({}, Fault::reads_before_answer);
    EXPECT_TRUE(outcome.schedule.starts_with("deadlock: nothing can wake loop\n"))
        << outcome.schedule;
}

TEST(DoorbellModel, ringing_before_the_write_is_found) {
    const auto outcome = two_ringers({}, Fault::rings_before_write);
    EXPECT_TRUE(outcome.schedule.starts_with("deadlock: nothing can wake loop\n"))
        << outcome.schedule;
}

// Why a ring of a bell that is rung already costs as much as any other.
TEST(DoorbellModel, a_look_in_place_of_a_ring_is_found) {
    const auto outcome = two_ringers({}, Fault::looks_before_it_rings);
    EXPECT_TRUE(outcome.schedule.starts_with("deadlock: nothing can wake loop\n"))
        << outcome.schedule;
}

TEST(DoorbellModel, sending_an_op_that_is_under_way_is_found) {
    const auto outcome = two_ringers({}, Fault::sends_at_every_ring);
    EXPECT_TRUE(outcome.schedule.starts_with("does not hold: the op travels once at a time\n"))
        << outcome.schedule;
}

TEST(DoorbellModel, orders_that_are_too_weak_are_found) {
    const auto outcome = two_ringers({.weaken = model::Weaken::everything_to_relaxed}, Fault::none);
    EXPECT_FALSE(outcome.ok);
}

// The server ends the op while somebody rings it: it arrives as completed exactly once.
model::Outcome close_against_rings(bool close_ignores_ring) {
    return model::explore({}, [=](model::Run& run) {
        Bench bench(close_ignores_ring ? Fault::sends_at_every_ring : Fault::none);
        int completions = 0;
        run.name(bench, "bench");
        run.thread("ringer", [&] {
            bench.ring();
            bench.ring();
        });
        run.thread("server", [&] { bench.close(); });
        run.thread("loop", [&] {
            bench.serve([&](Doorbell& bell) {
                const bool is_completed = bell.answer();
                if (is_completed) ++completions;
                return is_completed;
            });
        });
        run.start_and_join();
        model::require(completions == 1, "one completion");
    });
}

TEST(DoorbellModel, a_closed_op_arrives_as_completed_once) {
    // clause: K08
    const auto outcome = close_against_rings(false);
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
}

TEST(DoorbellModel, a_ring_that_sends_a_closed_op_is_found) {
    EXPECT_FALSE(close_against_rings(true).ok);
}

}  // namespace
