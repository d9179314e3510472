// SPDX-License-Identifier: Apache-2.0
// Random programs of actors in random orders: checks invariants, and that the same seed gives the
// same run. A failure prints its seed, which is the whole bug report.
#include "gyre/actor/actor_world.test.hpp"
#include "tests/property/seeds.hpp"

namespace gyre::actor {
namespace {

// The log of all actors of a program, in order.
struct Ledger {
    std::string trace;
    Random chance;
    int accepted = 0;
    int handled = 0;
    int asked = 0;
    int answered = 0;
    int left = 0;  // operations that may still begin
    std::vector<int> next_number = std::vector<int>(16);

    void note(const std::string& what) { trace.append(what).append("\n"); }
};

struct Deed {
    int from;
    int number;
};
struct Riddle {
    int number;
};

class Member : public Actor<Member> {
public:
    Member(Ledger* ledger, std::vector<Ref<Member>>* members, int index)
        : ledger_(ledger), members_(members), index_(index), last_(16, -1) {}

    Future<void> handle(Deed deed) {
        ++ledger_->handled;
        ledger_->note(std::to_string(index_) + " from " + std::to_string(deed.from) + ": " +
                      std::to_string(deed.number));
        auto& last = last_[static_cast<std::size_t>(deed.from)];
        EXPECT_LT(last, deed.number) << "messages of one sender are out of order";
        last = deed.number;
        for (int i = 0; i < 2; ++i) {
            co_await act();
        }
    }
    Future<int> handle(Riddle question) {
        if (ledger_->chance.one_in(2)) {
            const Duration nap(static_cast<Duration::rep>(ledger_->chance.below(1000)));
            co_await sleep(nap);
        }
        if (ledger_->chance.one_in(5)) throw std::runtime_error("on purpose");
        co_return question.number;
    }

private:
    Future<void> act() {
        if (ledger_->left <= 0) co_return;
        --ledger_->left;
        Ledger& ledger = *ledger_;
        const auto count = members_->size();
        const Ref<Member> other = (*members_)[ledger.chance.below(count)];
        switch (ledger.chance.below(8)) {
            case 0:
                co_await sleep(Duration(static_cast<Duration::rep>(ledger.chance.below(2000))));
                break;
            case 1:
                co_await ask(other);
                break;
            case 2:
                if (ledger.chance.one_in(6)) throw std::runtime_error("on purpose");
                break;
            case 3:
                if (ledger.chance.one_in(10)) {
                    ledger.note("stop " + other.name());
                    ledger.chance.one_in(2) ? other.stop() : other.stop_now();
                }
                break;
            case 4:
                co_await yield();
                break;
            default:
                if (other.send(Deed{index_, next_number()})) ++ledger.accepted;
        }
    }
    Future<void> ask(Ref<Member> other) {
        Ledger& ledger = *ledger_;
        const int number = ++ledger.asked;
        std::string what;
        try {
            EXPECT_EQ(co_await other.ask(Riddle{number}), number);
            what = "answer";
        } catch (const Cancelled&) {
            ++ledger.answered;
            throw;
        } catch (const std::exception& e) {
            what = e.what();
        }
        ++ledger.answered;
        ledger.note(std::to_string(number) + ": " + what);
    }
    // Continues after a restart.
    int next_number() { return ledger_->next_number[static_cast<std::size_t>(index_)]++; }

    Ledger* ledger_;
    std::vector<Ref<Member>>* members_;
    const int index_;
    std::vector<int> last_;
};

std::string run_program(std::uint64_t seed) {
    Ledger ledger{.trace = {}, .chance = Random(seed)};
    ledger.left = 150;
    const std::int64_t frames_before = FramePool::live_count();
    {
        TaskWorld world(ExecutorOptions{.order_seed = seed});
        const auto body = [&](System& system) -> Future<void> {
            std::vector<Ref<Member>> members;
            const int count = 2 + static_cast<int>(ledger.chance.below(6));
            for (int i = 0; i < count; ++i) {
                ActorOptions options;
                options.name = std::to_string(i);
                if (ledger.chance.one_in(3)) options.order = Order::exclusive;
                options.mailbox.capacity = 1 + static_cast<std::uint32_t>(ledger.chance.below(20));
                options.mailbox.when_full = static_cast<WhenFull>(ledger.chance.below(3));
                options.on_failure = static_cast<OnFailure>(ledger.chance.below(3));
                options.restart.back_off =
                    Duration(static_cast<Duration::rep>(ledger.chance.below(500)));
                members.push_back(system.spawn_with<Member>(options, &ledger, &members, i));
            }
            for (int i = 0; i < 5; ++i) {
                const auto& to = members[ledger.chance.below(members.size())];
                if (to.send(Deed{15, i})) ++ledger.accepted;
            }
            co_await sleep(1s);
            int dropped = 0;
            std::uint64_t handled = 0;
            for (const auto& member : members) {
                dropped += static_cast<int>(member.counts().dropped);
                handled += member.counts().handled;
            }
            // Each accepted operation was handled, dropped by the mailbox policy, or is a dead
            // letter; asks may be among the dropped and the dead letters.
            EXPECT_LE(ledger.accepted - ledger.handled,
                      dropped + static_cast<int>(system.dead_letter_count()));
            EXPECT_LE(ledger.handled, ledger.accepted);
            EXPECT_EQ(ledger.answered, ledger.asked);
            ledger.note("end with " + std::to_string(handled) + " handled, " +
                        std::to_string(system.dead_letter_count()) + " dead letters");
            for (const auto& member : members) member.stop_now();
            for (const auto& member : members) co_await member.ended();
        };
        SystemOptions options;
        options.order_seed = seed + 1;
        const auto main = [&]() { return with_actors(body, options); };
        world.run(main);
        EXPECT_EQ(world.executor.task_count(), 0u);
    }
    EXPECT_EQ(FramePool::live_count(), frames_before) << "frames are left";
    return ledger.trace;
}

TEST(ActorLaws, hold_for_random_programs_and_a_seed_repeats_its_run) {
    const LogLevel before = log_level();
    set_log_level(LogLevel::off);
    std::size_t longest = 0;
    property::for_each_seed(10'000, [&](std::uint64_t seed) {
        const std::string first = run_program(seed);
        EXPECT_TRUE(first == run_program(seed)) << property::run_again(seed);
        EXPECT_FALSE(::testing::Test::HasFailure()) << property::run_again(seed) << '\n' << first;
        longest = std::max(longest, first.size());
    });
    EXPECT_GT(longest, 500u);
    set_log_level(before);
}

}  // namespace
}  // namespace gyre::actor
