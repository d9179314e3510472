// SPDX-License-Identifier: Apache-2.0
// Watches, links and awaited ends over a connection, one behaviour per test.
#include "gyre/actor/internal/remote_links.hpp"

#include "gyre/actor/actor_world.test.hpp"
#include "gyre/actor/node.hpp"

namespace gyre::actor {
namespace {

struct Crash {};
struct Watch {
    AnyRef other;
};
struct Unwatch {
    AnyRef other;
};
struct Link1 {
    AnyRef other;
};
struct Unlink {
    AnyRef other;
};

using Log = std::vector<std::string>;

class Member : public Actor<Member> {
public:
    explicit Member(Log* log = nullptr) : log_(log) {}
    void handle(Crash) { throw std::runtime_error("crash"); }
    void handle(const Watch& message) { watch(message.other); }
    void handle(const Unwatch& message) { unwatch(message.other); }
    void handle(const Link1& message) { link(message.other); }
    void handle(const Unlink& message) { unlink(message.other); }
    void handle(Terminated end) {
        log_->push_back(end.actor.name() + ": " +
                        (end.failure == nullptr ? "ended" : TaskReport::text_of(end.failure)));
    }

private:
    Log* log_;
};

const std::string lost = NodeLost().what();

// Two nodes with a connection, and an actor `there` to which `here` has a reference.
class OverAWire : public Actors {
protected:
    // Runs the body; afterwards neither node may have registrations left.
    void run_with(const std::function<Future<void>(System&)>& body) {
        run([&](System& system) -> Future<void> {
            std::tie(near, far) = connect_in_memory();
            there = system.spawn_with<Member>({.name = "worker"}, &log);
            here = system.spawn<Member>(&log);
            export_actor<Member>(near, "worker", there);
            remote = remote_ref<Member>(far, "worker");
            co_await body(system);
            co_await sleep(1ms);
            near.reset();
            far.reset();
            there = here = remote = Ref<Member>();
        });
    }
    // Lets a message and its effects complete.
    static Future<void> settle() { co_await sleep(1ms); }
    [[nodiscard]] std::size_t link_count() const { return near->link_count() + far->link_count(); }

    Log log;
    std::shared_ptr<Node> near;
    std::shared_ptr<Node> far;
    Ref<Member> there;
    Ref<Member> here;
    Ref<Member> remote;
};

TEST_F(OverAWire, a_watch_is_told_of_the_end_once) {
    run_with([&](System&) -> Future<void> {
        here.send(Watch{remote});
        co_await settle();
        EXPECT_EQ(link_count(), 2u);
        there.stop();
        co_await settle();
        EXPECT_EQ(log, (Log{"worker: ended"}));
        EXPECT_EQ(link_count(), 0u);
        near->close();
        co_await settle();
        EXPECT_EQ(log.size(), 1u);
    });
}

TEST_F(OverAWire, a_watch_is_told_why_it_failed) {
    run_with([&](System&) -> Future<void> {
        here.send(Watch{remote});
        co_await settle();
        there.send(Crash{});
        co_await settle();
        EXPECT_EQ(log, (Log{"worker: crash"}));
    });
}

TEST_F(OverAWire, a_watch_of_one_that_has_ended_is_told_at_once) {
    run_with([&](System& system) -> Future<void> {
        const auto bad = system.spawn<Member>();
        export_actor<Member>(near, "bad", bad);
        bad.send(Crash{});
        there.stop();
        co_await settle();
        here.send(Watch{remote});
        here.send(Watch{remote_ref<Member>(far, "bad")});
        here.send(Watch{remote_ref<Member>(far, "nobody")});
        co_await settle();
        EXPECT_EQ(log, (Log{"worker: ended", "bad: crash", "nobody: no actor 'nobody' is there"}));
        EXPECT_EQ(link_count(), 0u);
    });
}

TEST_F(OverAWire, each_watch_ends_with_the_connection_and_says_so) {
    run_with([&](System&) -> Future<void> {
        here.send(Watch{remote});
        here.send(Watch{remote_ref<Member>(far, "worker")});
        co_await settle();
        near->close();
        co_await settle();
        EXPECT_EQ(log, (Log{"worker: " + lost, "worker: " + lost}));
        EXPECT_FALSE(there.is_ended());
        there.stop();
        here.send(Watch{remote});  // The connection stays lost.
        co_await settle();
        EXPECT_EQ(log.size(), 3u);
        EXPECT_EQ(log[2], "worker: " + lost);
        EXPECT_EQ(link_count(), 0u);
    });
}

// A transport that reports each frame as lost.
class Nowhere final : public Transport {
public:
    [[nodiscard]] Result<void> send(Frame /*frame*/) override {
        return std::unexpected(Error(std::errc::host_unreachable));
    }
    void close() noexcept override {}
};

TEST_F(OverAWire, a_tie_whose_frame_is_lost_has_ended) {
    run_with([&](System& system) -> Future<void> {
        const auto node = std::make_shared<Node>(std::make_unique<Nowhere>());
        const auto nowhere = remote_ref<Member>(node, "worker");
        const auto linked = system.spawn<Member>();
        here.send(Watch{nowhere});
        linked.send(Link1{nowhere});
        co_await linked.ended();
        EXPECT_EQ(log, (Log{"worker: " + lost}));
        EXPECT_THROW(co_await nowhere.ended(), NodeLost);
        EXPECT_EQ(node->link_count(), 0u);
    });
}

TEST_F(OverAWire, a_station_that_goes_ends_the_connection) {
    run_with([&](System&) -> Future<void> {
        here.send(Watch{remote});
        co_await settle();
        near.reset();
        co_await settle();
        EXPECT_EQ(log, (Log{"worker: " + lost}));
        far.reset();
        here.send(Watch{remote});  // The reference outlives its node.
        here.send(Unwatch{remote});
        co_await settle();
        EXPECT_EQ(log.size(), 2u);
        EXPECT_THROW(co_await remote.ended(), NodeLost);
        EXPECT_EQ(remote.send(Crash{}).error().code(), not_serialisable);
    });
}

TEST_F(OverAWire, what_is_watched_no_more_is_not_told) {
    run_with([&](System&) -> Future<void> {
        here.send(Watch{remote});
        here.send(Watch{remote});
        co_await settle();
        EXPECT_EQ(link_count(), 4u);
        here.send(Unwatch{remote_ref<Member>(far, "worker")});  // Any reference to the same actor.
        co_await settle();
        EXPECT_EQ(link_count(), 0u);
        there.stop();
        co_await settle();
        EXPECT_TRUE(log.empty());
    });
}

TEST_F(OverAWire, an_end_can_be_awaited) {
    run_with([&](System& system) -> Future<void> {
        const auto stop_later = [&]() -> Future<void> {
            co_await sleep(3ms);
            EXPECT_EQ(link_count(), 2u);
            remote.stop();
        };
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn(stop_later);
            co_await remote.ended();
            EXPECT_TRUE(there.is_ended());
        });
        co_await remote.ended();  // It has ended already.
        const auto bad = system.spawn<Member>();
        export_actor<Member>(near, "bad", bad);
        bad.send(Crash{});
        const auto far_bad = remote_ref<Member>(far, "bad");
        co_await far_bad.ended();
        EXPECT_TRUE(bad.is_ended());
        EXPECT_EQ(link_count(), 0u);
    });
    EXPECT_EQ(elapsed(), 4ms);
}

TEST_F(OverAWire, who_awaits_an_end_hears_of_a_lost_connection) {
    run_with([&](System&) -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn([&]() -> Future<void> {
                co_await sleep(1ms);
                near->close();
            });
            EXPECT_THROW(co_await remote.ended(), NodeLost);
        });
        EXPECT_THROW(co_await remote.ended(), NodeLost);
        EXPECT_FALSE(there.is_ended());
    });
}

TEST_F(OverAWire, who_awaits_an_end_no_more_leaves_nothing) {
    run_with([&](System&) -> Future<void> {
        const auto wait = [&]() -> Future<void> { co_await remote.ended(); };
        for (int i = 0; i < 3; ++i) {
            EXPECT_THROW(co_await timeout(wait(), 1ms), TimeoutError);
            EXPECT_EQ(link_count(), 0u);
        }
    });
}

TEST_F(OverAWire, a_link_fails_from_there_to_here) {
    run_with([&](System&) -> Future<void> {
        here.send(Link1{remote});
        co_await settle();
        there.send(Crash{});
        co_await here.ended();
        EXPECT_EQ(here.counts().failed, 1u);
        EXPECT_EQ(link_count(), 0u);
    });
}

TEST_F(OverAWire, a_link_fails_from_here_to_there) {
    run_with([&](System& system) -> Future<void> {
        const auto witness = system.spawn<Member>(&log);
        witness.send(Watch{there});
        here.send(Link1{remote});
        co_await settle();
        here.send(Crash{});
        co_await there.ended();
        co_await settle();
        EXPECT_EQ(log, (Log{"worker: crash"}));
        EXPECT_EQ(link_count(), 0u);
    });
}

TEST_F(OverAWire, a_link_with_one_that_ends_well_is_over) {
    run_with([&](System& system) -> Future<void> {
        const auto third = system.spawn<Member>();
        here.send(Link1{remote});
        third.send(Link1{remote});
        co_await settle();
        third.stop();
        co_await settle();
        EXPECT_FALSE(there.is_ended());
        EXPECT_EQ(link_count(), 2u);
        there.stop();
        co_await settle();
        EXPECT_EQ(link_count(), 0u);
        here.send(Link1{remote});  // It ended without a failure, so nothing fails.
        co_await settle();
        EXPECT_EQ(link_count(), 0u);
        EXPECT_FALSE(here.is_ended());
    });
}

TEST_F(OverAWire, a_link_with_one_that_has_failed_or_is_not_there_fails) {
    run_with([&](System& system) -> Future<void> {
        const auto other = system.spawn<Member>();
        there.send(Crash{});
        co_await settle();
        here.send(Link1{remote});
        other.send(Link1{remote_ref<Member>(far, "nobody")});
        co_await here.ended();
        co_await other.ended();
        EXPECT_EQ(link_count(), 0u);
    });
}

TEST_F(OverAWire, who_is_linked_no_more_goes_on) {
    run_with([&](System& system) -> Future<void> {
        const auto other = system.spawn<Member>();
        here.send(Link1{remote});
        here.send(Unlink{remote});
        other.send(Link1{remote});
        other.send(Unlink{remote_ref<Member>(far, "worker")});
        co_await settle();
        EXPECT_EQ(link_count(), 0u);
        other.send(Crash{});
        co_await settle();
        EXPECT_FALSE(there.is_ended());
        there.send(Crash{});
        co_await settle();
        EXPECT_FALSE(here.is_ended());
    });
}

TEST_F(OverAWire, a_link_fails_at_both_ends_when_the_connection_does) {
    run_with([&](System& system) -> Future<void> {
        const auto witness = system.spawn<Member>(&log);
        witness.send(Watch{there});
        witness.send(Watch{here});
        here.send(Link1{remote});
        co_await settle();
        far->close();
        co_await here.ended();
        co_await there.ended();
        co_await settle();
        EXPECT_EQ(log, (Log{here.name() + ": " + lost, "worker: " + lost}));
    });
}

TEST_F(OverAWire, ties_go_over_several_connections) {
    run_with([&](System& system) -> Future<void> {
        auto [middle, end] = connect_in_memory();
        export_actor<Member>(middle, "relayed", remote);
        const auto relayed = remote_ref<Member>(end, "relayed");
        const auto linked = system.spawn<Member>();
        here.send(Watch{relayed});
        linked.send(Link1{relayed});
        co_await settle();
        EXPECT_EQ(link_count(), 4u);
        here.send(Unwatch{relayed});
        co_await settle();
        EXPECT_EQ(link_count(), 2u);
        here.send(Watch{relayed});
        linked.send(Crash{});
        co_await there.ended();
        co_await relayed.ended();
        co_await settle();
        EXPECT_EQ(log, (Log{"relayed: crash"}));
        EXPECT_EQ(link_count() + middle->link_count() + end->link_count(), 0u);
    });
}

}  // namespace
}  // namespace gyre::actor
