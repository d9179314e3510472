// SPDX-License-Identifier: Apache-2.0
// gyre/kernel/detail/inbox.hpp under the model checker: posters against a loop that drains and sleeps.
// Each property is asked of the real source first, then of a use of it with a planted bug, which
// the checker must find.
#include "gyre/kernel/detail/inbox.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "model.hpp"

namespace {

using gyre::Inbox;

struct Letter : gyre::Op {
    Letter() noexcept : Op(gyre::OpCode::post) {}
    model::Shared<int> text;  // what a poster wrote before it posted
    int poster = 0;
    int visits = 0;
    bool is_refused = false;
};

enum class Fault : std::uint8_t {
    none,
    sleep_ignores_late_post,  // the loop looks and sleeps, but does not say so in the word
    sleep_although_refused,   // the loop sleeps whatever try_sleep says
    poster_wakes_nobody,
    loop_takes_newest_first,
    letter_written_after_post,
};

// A loop's thread as the inbox sees it, with the counts that the requirements are about.
class Reader {
public:
    Reader(Inbox& inbox, Fault fault) : inbox_(inbox), fault_(fault) {}

    void post(Letter& letter, int text) {
        const bool is_late = fault_ == Fault::letter_written_after_post;
        if (!is_late) letter.text.set(text);
        const Inbox::Posted posted = inbox_.post(letter);
        if (is_late) letter.text.set(text);
        letter.is_refused = posted == Inbox::Posted::refused;
        if (posted != Inbox::Posted::loop_sleeps) return;
        ++wakes_;
        if (fault_ != Fault::poster_wakes_nobody) parker_.unpark();
    }

    void drain() {
        std::vector<Letter*> letters;
        gyre::OpQueue arrived;
        inbox_.drain(arrived);
        while (gyre::Op* op = arrived.pop_front()) letters.push_back(static_cast<Letter*>(op));
        if (fault_ == Fault::loop_takes_newest_first) {
            letters.assign(letters.rbegin(), letters.rend());
        }
        for (Letter* letter : letters) visit(*letter);
    }

    void visit(Letter& letter) {
        ++letter.visits;
        ++received_;
        auto& last = last_text_[static_cast<std::size_t>(letter.poster)];
        model::require(letter.text.get() > last, "letters of one poster come in their order");
        last = letter.text.get();
    }

    void sleep_if_nothing_is_there() {
        if (fault_ == Fault::sleep_ignores_late_post) {
            if (inbox_.looks_empty()) sleep();
        } else if (inbox_.try_sleep() || fault_ == Fault::sleep_although_refused) {
            sleep();
        }
    }

    void receive(int count) {
        while (true) {
            drain();
            if (received_ == count) return;
            sleep_if_nothing_is_there();
        }
    }

    int sleeps() const { return sleeps_; }
    int wakes() const { return wakes_; }
    model::Parker& parker() { return parker_; }

private:
    void sleep() {
        ++sleeps_;
        parker_.park();
    }

    Inbox& inbox_;
    const Fault fault_;
    model::Parker parker_;
    std::array<int, 2> last_text_{};
    int received_ = 0;
    int sleeps_ = 0;
    int wakes_ = 0;
};

model::Outcome two_posters_and_a_loop(const model::Options& options, Fault fault) {
    return model::explore(options, [=](model::Run& run) {
        Inbox inbox;
        Reader reader(inbox, fault);
        std::array<std::array<Letter, 2>, 2> letters;
        run.name(inbox, "inbox");
        run.name(reader, "parker");
        run.name(letters[0], "letters of a");
        run.name(letters[1], "letters of b");
        letters[1][0].poster = letters[1][1].poster = 1;

        run.thread("a", [&] {
            reader.post(letters[0][0], 1);
            reader.post(letters[0][1], 2);
        });
        run.thread("b", [&] {
            reader.post(letters[1][0], 1);
            reader.post(letters[1][1], 2);
        });
        run.thread("loop", [&] { reader.receive(4); });
        run.start_and_join();

        for (const auto& of_one : letters) {
            for (const Letter& letter : of_one) model::require(letter.visits == 1, "visited once");
        }
        model::require(reader.wakes() == reader.sleeps(), "a wake for each sleep and no other");
    });
}

TEST(InboxModel, loses_no_letter_and_no_wake_and_keeps_each_posters_order) {
    // clause: K06, K21, K24
    const model::Outcome outcome = two_posters_and_a_loop({}, Fault::none);
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
    RecordProperty("schedules", std::to_string(outcome.schedules_explored));
}

TEST(InboxModel, a_sleep_that_ignores_a_late_post_is_found) {
    const auto outcome = two_posters_and_a_loop({}, Fault::sleep_ignores_late_post);
    EXPECT_TRUE(outcome.schedule.starts_with("deadlock: nothing can wake loop\n"))
        << outcome.schedule;
}

TEST(InboxModel, a_sleep_against_the_inbox_is_found) {
    const auto outcome = two_posters_and_a_loop({}, Fault::sleep_although_refused);
    EXPECT_TRUE(outcome.schedule.starts_with("deadlock: nothing can wake loop\n"))
        << outcome.schedule;
}

TEST(InboxModel, a_poster_that_wakes_nobody_is_found) {
    const auto outcome = two_posters_and_a_loop({}, Fault::poster_wakes_nobody);
    EXPECT_TRUE(outcome.schedule.starts_with("deadlock: nothing can wake loop\n"))
        << outcome.schedule;
}

TEST(InboxModel, a_wrong_order_is_found) {
    const auto outcome = two_posters_and_a_loop({}, Fault::loop_takes_newest_first);
    EXPECT_TRUE(outcome.schedule.starts_with("does not hold: letters of one poster come"))
        << outcome.schedule;
}

TEST(InboxModel, a_letter_written_after_its_post_is_found) {
    const auto outcome = two_posters_and_a_loop({}, Fault::letter_written_after_post);
    EXPECT_FALSE(outcome.ok);
}

TEST(InboxModel, orders_that_are_too_weak_are_found) {
    const auto outcome =
        two_posters_and_a_loop({.weaken = model::Weaken::everything_to_relaxed}, Fault::none);
    EXPECT_TRUE(outcome.schedule.starts_with("data race on letters of ")) << outcome.schedule;
}

// Something else, say a socket, ends the sleep: the word may still say that the loop sleeps.
TEST(InboxModel, a_loop_woken_by_something_else_loses_nothing) {
    const model::Outcome outcome = model::explore({}, [](model::Run& run) {
        Inbox inbox;
        Reader reader(inbox, Fault::none);
        std::array<Letter, 2> letters;
        run.name(inbox, "inbox");
        run.thread("poster", [&] {
            reader.post(letters[0], 1);
            reader.post(letters[1], 2);
        });
        run.thread("socket", [&] { reader.parker().unpark(); });
        run.thread("loop", [&] { reader.receive(2); });
        run.start_and_join();
        model::require(letters[0].visits == 1 && letters[1].visits == 1, "visited once");
    });
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
}

// Each letter is either given to the loop or refused to its poster, never both, never neither.
model::Outcome close_against_posts(bool close_by_drain) {
    return model::explore({}, [=](model::Run& run) {
        Inbox inbox;
        Reader reader(inbox, Fault::none);
        std::array<std::array<Letter, 2>, 2> letters;
        run.name(inbox, "inbox");
        letters[1][0].poster = letters[1][1].poster = 1;
        run.thread("a", [&] {
            reader.post(letters[0][0], 1);
            reader.post(letters[0][1], 2);
        });
        run.thread("b", [&] {
            reader.post(letters[1][0], 1);
            reader.post(letters[1][1], 2);
        });
        run.thread("loop", [&] {
            reader.drain();
            if (close_by_drain) {
                reader.drain();
                return;
            }
            gyre::OpQueue rest;
            inbox.close(rest);
            while (gyre::Op* op = rest.pop_front()) reader.visit(static_cast<Letter&>(*op));
        });
        run.start_and_join();
        for (const auto& of_one : letters) {
            for (const Letter& letter : of_one) {
                model::require((letter.visits == 1) != letter.is_refused, "visited or refused");
            }
        }
    });
}

TEST(InboxModel, a_letter_is_visited_or_refused_when_the_loop_closes) {
    const auto outcome = close_against_posts(false);
    EXPECT_TRUE(outcome.ok) << outcome.schedule;
}

TEST(InboxModel, a_last_drain_that_does_not_close_is_found) {
    const auto outcome = close_against_posts(true);
    EXPECT_TRUE(outcome.schedule.starts_with("does not hold: visited or refused\n"))
        << outcome.schedule;
}

}  // namespace
