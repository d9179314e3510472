// SPDX-License-Identifier: Apache-2.0
// A failure of a message stays in its actor, and a cancel of a handler is no failure. Clause A34.
#include "gyre/actor/actor_world.test.hpp"
#include "gyre/task/core/cancel.hpp"

namespace gyre::actor {
namespace {

struct AwaitCancelledChild {};
struct CancelItself {};
struct AwaitWhileCancelled {};
struct Ping {};

class Handler : public Actor<Handler> {
public:
    Future<int> handle(AwaitCancelledChild) {
        auto body = [](Scope& scope) -> Future<void> {
            auto child = scope.spawn([]() -> Future<void> { co_await sleep(1h); });
            child.cancel("no longer needed");
            co_await child;
        };
        co_await with_scope(std::move(body));
        co_return 1;
    }
    Future<int> handle(CancelItself) {
        (co_await this_task()).cancel("given up");
        co_await sleep(1h);
        co_return 1;
    }
    Future<int> handle(AwaitWhileCancelled) {
        co_await sleep(1h);
        co_return 1;
    }
    int handle(Ping) { return 7; }
};

TEST_F(Actors, A34_fail_by_the_cancelled_of_a_task_that_a_handler_awaited) {
    // clause: A34
    run([](System& system) -> Future<void> {
        const auto resumed = system.spawn_with<Handler>({.on_failure = OnFailure::resume});
        EXPECT_THROW(co_await resumed.ask(AwaitCancelledChild{}), Cancelled);
        EXPECT_EQ(resumed.counts().failed, 1u);
        EXPECT_EQ(co_await resumed.ask(Ping{}), 7);

        const auto restarted = system.spawn_with<Handler>({.on_failure = OnFailure::restart});
        EXPECT_THROW(co_await restarted.ask(AwaitCancelledChild{}), Cancelled);
        EXPECT_EQ(co_await restarted.ask(Ping{}), 7);
        EXPECT_EQ(restarted.counts().restarts, 1u);

        const auto stopped = system.spawn<Handler>();
        EXPECT_THROW(co_await stopped.ask(AwaitCancelledChild{}), Cancelled);
        co_await stopped.ended();
        EXPECT_EQ(co_await resumed.ask(Ping{}), 7) << "another actor stopped too";
    });
}

TEST_F(Actors, A34_go_on_after_a_handler_that_was_cancelled) {
    // clause: A34
    run([](System& system) -> Future<void> {
        for (const Order order : {Order::interleaved, Order::exclusive}) {
            const auto actor = system.spawn_with<Handler>({.order = order});
            EXPECT_TRUE(actor.send(CancelItself{}));
            EXPECT_THROW(co_await actor.ask(CancelItself{}), Cancelled);
            EXPECT_EQ(co_await actor.ask(Ping{}), 7);
            EXPECT_EQ(actor.counts().failed, 0u);
        }
    });
}

TEST_F(Actors, A34_that_are_stopped_tell_askers_that_they_ended) {
    // clause: A34
    run([](System& system) -> Future<void> {
        const auto actor = system.spawn<Handler>();
        auto body = [&](Scope& scope) -> Future<void> {
            scope.spawn([&]() -> Future<void> {
                EXPECT_THROW(co_await actor.ask(AwaitWhileCancelled{}), ActorEnded);
            });
            co_await sleep(1ms);
            actor.stop_now();
        };
        co_await with_scope(std::move(body));
        co_await actor.ended();
        EXPECT_EQ(actor.counts().failed, 0u);
    });
}

TEST_F(Actors, A34_that_ask_are_not_ended_by_the_cancelled_handler_of_another) {
    // clause: A34
    struct Ask {};
    class Asker : public Actor<Asker> {
    public:
        explicit Asker(Ref<Handler> of) : of_(std::move(of)) {}
        Future<int> handle(Ask) { co_return co_await of_.ask(CancelItself{}); }
        int handle(Ping) { return 8; }

    private:
        Ref<Handler> of_;
    };
    run([](System& system) -> Future<void> {
        const auto handler = system.spawn<Handler>();
        const auto asker = system.spawn_with<Asker>({.on_failure = OnFailure::resume}, handler);
        EXPECT_THROW(co_await asker.ask(Ask{}), Cancelled);
        EXPECT_EQ(asker.counts().failed, 1u);
        EXPECT_EQ(co_await asker.ask(Ping{}), 8);
        EXPECT_EQ(co_await handler.ask(Ping{}), 7);
    });
}

TEST_F(Actors, A34_survive_what_on_dead_letter_throws) {
    // clause: A34
    int letters = 0;
    run(
        [](System& system) -> Future<void> {
            const auto ended = system.spawn<Handler>();
            ended.stop();
            co_await ended.ended();
            EXPECT_FALSE(ended.send(Ping{}));
            EXPECT_THROW(co_await ended.ask(Ping{}), ActorEnded);
        },
        {.on_dead_letter = [&](const DeadLetter&) {
            ++letters;
            throw 7;
        }});
    EXPECT_EQ(letters, 2);
}

}  // namespace
}  // namespace gyre::actor
