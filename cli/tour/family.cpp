// SPDX-License-Identifier: Apache-2.0
// A ring of machines passes a letter round. Every op goes through their parent, which counts and
// forwards it.
#include <deque>

#include "cli/tour/stage.hpp"
#include "gyre/kernel/loop.hpp"

namespace gyre::cli {
namespace {

constexpr std::size_t member_count = 100;
constexpr std::uint64_t lap_count = 100;

class LetterOp : public Request {
public:
    LetterOp() noexcept : Request(OpCode::first_custom) {}
    std::uint64_t hops_left = 0;
};

class Member : public Machine {
public:
    Member() noexcept : Machine("member") {}

    void set_next(const Member& next) { letter_.set_destination(next.ref()); }
    void send(std::uint64_t hops_left) {
        letter_.hops_left = hops_left;
        submit(letter_);
    }

private:
    void tick(Instant /*now*/) override {
        while (next_completion() != nullptr) continue;
        while (Op* op = next_submission()) {
            const std::uint64_t hops_left = static_cast<LetterOp*>(op)->hops_left;
            complete(*op, 0);
            if (hops_left > 0) send(hops_left - 1);
        }
    }
    void on_close() override { cancel(letter_); }

    LetterOp letter_;
};

class Family : public Machine {
public:
    Family() : Machine("family"), members_(member_count) {
        for (Member& member : members_) add_child(member);
    }

    void start() {
        for (std::size_t i = 0; i < member_count; ++i) {
            members_[i].set_next(members_[(i + 1) % member_count]);
        }
        members_.front().send(member_count * lap_count - 1);
    }

    std::uint64_t letters_seen = 0;
    std::uint64_t receipts_seen = 0;

private:
    void tick(Instant /*now*/) override {}
    void on_child_output(Machine& /*child*/, Op& op, Lane lane) override {
        ++(lane == Lane::submissions ? letters_seen : receipts_seen);
        forward(op, lane);
    }

    std::deque<Member> members_;  // A machine does not move.
};

}  // namespace

bool show_family(const Stage& stage) {
    stage.page.say(
        "A parent has " + in_words(member_count) + " machines in a ring. A letter goes round " +
        in_words(lap_count) +
        " times: each machine gets it as an op, signs for it and writes the next. All of "
        "it passes the parent, which could change, answer or stop any op.");
    const auto platform = stage.make_platform();
    Family family;
    Loop loop(*platform, family, stage.loop_options("family"));
    const Instant start = stage.clock.now();
    family.start();
    loop.run();
    const Duration took = stage.clock.now() - start;
    constexpr std::uint64_t hop_count = member_count * lap_count;
    stage.page.saw("The parent saw " + in_words(family.letters_seen) + " letters and " +
                   in_words(family.receipts_seen) + " receipts, in " + in_words(took) + ": " +
                   in_words(took / static_cast<Duration::rep>(hop_count)) + " a hop, in " +
                   in_words(loop.turn_count()) + " turns of the loop.");
    return family.letters_seen == hop_count && family.receipts_seen == hop_count;
}

}  // namespace gyre::cli
