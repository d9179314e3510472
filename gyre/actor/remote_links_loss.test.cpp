// SPDX-License-Identifier: Apache-2.0
// Random programs of actors at both ends of a slow connection that is lost at a random point:
// checks invariants, and that the same seed gives the same run.
#include <array>
#include <deque>

#include "gyre/actor/actor_world.test.hpp"
#include "gyre/actor/node.hpp"
#include "tests/property/seeds.hpp"

namespace gyre::actor {
namespace {

// A connection that delays frames and keeps their order. Its loss loses the frames in flight.
struct Connection {
    class Out final : public Transport {
    public:
        Out(Connection& connection, std::size_t to) : connection_(connection), to_(to) {}
        [[nodiscard]] Result<void> send(Frame frame) override {
            if (connection_.is_lost) return std::unexpected(Error(std::errc::not_connected));
            connection_.under_way[to_].push_back(std::move(frame));
            return {};
        }
        void close() noexcept override { connection_.is_lost = true; }

    private:
        Connection& connection_;
        const std::size_t to_;
    };

    Connection() {
        for (std::size_t i = 0; i < 2; ++i) {
            ends[i] = std::make_shared<Node>(std::make_unique<Out>(*this, 1 - i));
        }
    }
    // Delivers a limited number of frames; then each end learns of the loss separately.
    Future<void> carry(Random* chance, std::uint64_t count_max) {
        while (!is_lost) {
            co_await sleep(Duration(static_cast<Duration::rep>(chance->below(1000))));
            auto& frames = under_way[chance->below(2)];
            if (is_lost || frames.empty()) continue;
            is_lost = carried == count_max;
            if (is_lost) break;
            ++carried;
            Frame frame = std::move(frames.front());
            frames.pop_front();
            Node& to = *ends[&frames == under_way.data() ? 0 : 1];
            static_cast<void>(to.receive(std::move(frame)));
        }
        const std::size_t first = chance->below(2);
        ends[first]->close();
        co_await sleep(Duration(static_cast<Duration::rep>(chance->below(1000))));
        ends[1 - first]->close();
    }

    bool is_lost = false;
    std::uint64_t carried = 0;
    std::array<std::deque<Frame>, 2> under_way;  // to each end
    std::array<std::shared_ptr<Node>, 2> ends;
};

constexpr std::size_t worker_count = 3;
constexpr std::size_t member_count = 3;

std::string reason(const std::exception_ptr& failure) {
    return failure == nullptr ? "ended" : TaskReport::text_of(failure);
}
const std::string lost = NodeLost().what();

// The operations of the far end's members on one worker, and the notifications they got.
struct Story {
    int watches = 0;
    int given_up = 0;
    std::vector<std::string> told;
    bool is_linked = false;
};
struct Ledger {
    std::array<std::array<Story, worker_count>, member_count> stories;
    std::array<std::string, worker_count> ends;  // as a local watcher of the workers saw them
    int waits = 0;
    int waits_over = 0;
    std::string trace;
    void note(const std::string& what) { trace.append(what).append("\n"); }
};

struct Crash {};
enum class Deed : std::uint8_t { watch, unwatch, link, unlink };
struct Do {
    Deed deed;
    AnyRef worker;
};

std::size_t index_of(const AnyRef& worker) {
    return static_cast<std::size_t>(worker.name().back() - '0');
}

class Member : public Actor<Member> {
public:
    explicit Member(std::array<Story, worker_count>* stories) : stories_(stories) {}
    void handle(const Do& order) {
        Story& story = (*stories_)[index_of(order.worker)];
        switch (order.deed) {
            case Deed::watch:
                ++story.watches;
                return watch(order.worker);
            case Deed::unwatch:
                // The registrations whose end was not reported yet.
                story.given_up = story.watches - static_cast<int>(story.told.size());
                return unwatch(order.worker);
            case Deed::link:
                story.is_linked = true;
                return link(order.worker);
            case Deed::unlink:
                story.is_linked = false;
                return unlink(order.worker);
        }
    }
    void handle(Crash) { throw std::runtime_error("on purpose"); }
    void handle(Terminated end) {
        (*stories_)[index_of(end.actor)].told.push_back(reason(end.failure));
    }

private:
    std::array<Story, worker_count>* stories_;
};
// A local watcher of the workers.
class Witness : public Actor<Witness> {
public:
    explicit Witness(Ledger* ledger) : ledger_(ledger) {}
    void handle(AnyRef worker) { watch(worker); }
    void handle(Terminated end) { ledger_->ends[index_of(end.actor)] = reason(end.failure); }

private:
    Ledger* ledger_;
};

class TiesThatAreLost : public Actors {
protected:
    // One run; returns its trace.
    std::string run_program(std::uint64_t seed, std::uint64_t carried_max) {
        Ledger ledger;
        Random chance(seed);
        Random of_connection(seed + 1);
        run(
            [&](System& system) -> Future<void> {
                Connection connection;
                co_await with_scope([&](Scope& scope) -> Future<void> {
                    scope.spawn(connection.carry(&of_connection, carried_max));
                    co_await play(system, scope, connection, ledger, chance);
                });
            },
            {.order_seed = seed});
        return ledger.trace;
    }

private:
    struct Cast {
        std::vector<Ref<Member>> workers;
        std::vector<Ref<Member>> remotes;
        std::vector<Ref<Member>> members;
    };

    Future<void> play(System& system, Scope& scope, Connection& connection, Ledger& ledger,
                      Random& chance) {
        Cast cast;
        const auto witness = system.spawn<Witness>(&ledger);
        std::array<Story, worker_count> of_workers;
        for (std::size_t i = 0; i < worker_count; ++i) {
            const std::string name = "worker " + std::to_string(i);
            cast.workers.push_back(system.spawn_with<Member>({.name = name}, &of_workers));
            export_actor<Member>(connection.ends[0], name, cast.workers.back());
            cast.remotes.push_back(remote_ref<Member>(connection.ends[1], name));
            witness.send(AnyRef(cast.workers.back()));
        }
        for (auto& stories : ledger.stories) {
            cast.members.push_back(system.spawn<Member>(&stories));
        }
        for (int i = 0; i < 40; ++i) {
            co_await sleep(Duration(static_cast<Duration::rep>(chance.below(1500))));
            act(scope, cast, connection, ledger, chance);
        }
        co_await sleep(50us);
        connection.ends[chance.below(2)]->close();
        co_await sleep(50us);
        expect_laws(cast, connection, ledger);
        for (const auto& worker : cast.workers) worker.stop_now();
        for (const auto& member : cast.members) member.stop_now();
    }

    void act(Scope& scope, const Cast& cast, const Connection& connection, Ledger& ledger,
             Random& chance) {
        const std::size_t who = chance.below(member_count);
        const std::size_t whom = chance.below(worker_count);
        const Ref<Member>& remote = cast.remotes[whom];
        const std::uint64_t dice = chance.below(20);
        ledger.note(std::to_string(who) + " " + std::to_string(whom) + " " + std::to_string(dice));
        if (dice < 12) {
            cast.members[who].send(Do{static_cast<Deed>(dice % 4), remote});
        } else if (dice < 16) {
            ++ledger.waits;
            const Duration at_most = chance.one_in(2) ? Duration(1000) : Duration(1'000'000);
            scope.spawn(wait_for_end(remote, cast.workers[whom], at_most, &connection, &ledger));
        } else if (dice == 16) {
            remote.stop();
        } else if (dice == 17) {
            cast.workers[whom].stop_now();
        } else if (dice == 18) {
            cast.workers[whom].send(Crash{});
        } else {
            cast.members[who].send(Crash{});
        }
    }

    static Future<void> until_ended(Ref<Member> remote) { co_await remote.ended(); }
    static Future<void> wait_for_end(Ref<Member> remote, Ref<Member> worker, Duration at_most,
                                     const Connection* connection, Ledger* ledger) {
        try {
            co_await timeout(until_ended(std::move(remote)), at_most);
            EXPECT_TRUE(worker.is_ended());
        } catch (const NodeLost&) {
            EXPECT_TRUE(connection->is_lost);
        } catch (const TimeoutError&) {
            ledger->note("waited long enough");
        }
        ++ledger->waits_over;
    }

    static void expect_laws(const Cast& cast, const Connection& connection, Ledger& ledger) {
        EXPECT_EQ(ledger.waits_over, ledger.waits);
        for (const auto& end : connection.ends) EXPECT_EQ(end->link_count(), 0u);
        for (std::size_t who = 0; who < member_count; ++who) {
            const bool is_alive = !cast.members[who].is_ended();
            for (std::size_t whom = 0; whom < worker_count; ++whom) {
                const Story& story = ledger.stories[who][whom];
                const int told = static_cast<int>(story.told.size());
                EXPECT_LE(told, story.watches);
                if (is_alive) {
                    EXPECT_GE(told, story.watches - story.given_up);
                }
                for (const std::string& why : story.told) {
                    ledger.note(why);
                    if (why != lost) {
                        EXPECT_EQ(why, ledger.ends[whom]);
                    }
                }
                // The connection is lost: each linked actor has failed, unless the other actor had
                // ended without a failure.
                if (story.is_linked && is_alive) {
                    EXPECT_EQ(ledger.ends[whom], "ended");
                }
            }
        }
    }
};

TEST_F(TiesThatAreLost, at_each_point_are_told_once) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        for (std::uint64_t carried_max = 0; carried_max < 50; ++carried_max) {
            static_cast<void>(run_program(seed, carried_max));
            ASSERT_FALSE(HasFailure()) << "seed " << seed << ", lost after " << carried_max;
        }
    }
}

TEST_F(TiesThatAreLost, at_a_random_point_are_told_once_and_a_seed_repeats_its_run) {
    std::size_t longest = 0;
    property::for_each_seed(3'000, [&](std::uint64_t seed) {
        const std::uint64_t carried_max = Random(seed).below(60);
        const std::string first = run_program(seed, carried_max);
        EXPECT_TRUE(first == run_program(seed, carried_max)) << property::run_again(seed);
        EXPECT_FALSE(HasFailure()) << property::run_again(seed) << '\n' << first;
        longest = std::max(longest, first.size());
    });
    EXPECT_GT(longest, 300u);
}

}  // namespace
}  // namespace gyre::actor
