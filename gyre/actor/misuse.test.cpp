// SPDX-License-Identifier: Apache-2.0
// The assertions of gyre/actor that a program can fire: each ends it with a message.
#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "gyre/actor/actor.hpp"
#include "gyre/actor/actor_world.test.hpp"
#include "gyre/actor/node.hpp"
#include "gyre/actor/sender.hpp"
#include "gyre/actor/worker_pool.hpp"

namespace gyre::actor {
namespace {

struct Get {};
class Counter : public Actor<Counter> {
public:
    Counter() = default;
    explicit Counter(std::unique_ptr<int> /*start*/) {}
    int handle(Get) { return 0; }
};

enum class Verb : std::uint8_t { watch, unwatch, link, unlink };
class Nosy : public Actor<Nosy> {
public:
    void handle(Verb verb) {
        if (verb == Verb::watch) watch(AnyRef());
        if (verb == Verb::unwatch) unwatch(AnyRef());
        if (verb == Verb::link) link(AnyRef());
        if (verb == Verb::unlink) unlink(AnyRef());
    }
    void handle(const Terminated& /*end*/) {}
};

class ActorsDeathTest : public Actors {
protected:
    ActorsDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

    void tell_nosy(Verb verb) {
        run([verb](System& system) -> Future<void> {
            co_await system.spawn<Nosy>().post(verb);
            co_await yield();
        });
    }
};

TEST_F(ActorsDeathTest, an_empty_reference_leads_to_no_actor) {
    const AnyRef nobody;
    EXPECT_DEATH(static_cast<void>(nobody.id()), "an empty AnyRef has no id");
    EXPECT_DEATH(static_cast<void>(nobody.is_ended()), "an empty AnyRef leads to no actor");
    EXPECT_DEATH(static_cast<void>(nobody.mailbox_length()), "an empty AnyRef has no mailbox");
    EXPECT_DEATH(static_cast<void>(nobody.counts()), "an empty AnyRef has no counts");
    EXPECT_DEATH(nobody.stop(), "an empty AnyRef cannot stop an actor");
    EXPECT_DEATH(nobody.stop_now(), "an empty AnyRef cannot stop an actor");
}

TEST_F(ActorsDeathTest, an_actor_watches_and_links_with_actors_only) {
    EXPECT_DEATH(tell_nosy(Verb::watch), "watch an actor: this reference is empty");
    EXPECT_DEATH(tell_nosy(Verb::unwatch), "unwatch an actor: this reference is empty");
    EXPECT_DEATH(tell_nosy(Verb::link), "link with an actor: this reference is empty");
    EXPECT_DEATH(tell_nosy(Verb::unlink), "unlink from an actor: this reference is empty");
}

TEST_F(ActorsDeathTest, counts_are_read_on_the_thread_of_the_actor) {
    EXPECT_DEATH(run([](System& system) -> Future<void> {
                     const auto counter = system.spawn<Counter>();
                     std::thread([&] { static_cast<void>(counter.counts()); }).join();
                     co_return;
                 }),
                 "on the thread of its own loop");
}

TEST_F(ActorsDeathTest, actors_are_made_by_spawn_on_a_loop_with_a_system) {
    EXPECT_DEATH(static_cast<void>(Counter()), "make an actor by spawn");
    EXPECT_DEATH(static_cast<void>(spawn_actor<Counter>()), "no system of actors is open");
    EXPECT_DEATH(static_cast<void>(spawn_actor_with<Counter>({})), "no system of actors is open");
    System system;
    EXPECT_DEATH(static_cast<void>(system.spawn<Counter>()), "spawn actors on a loop that");
}

TEST_F(ActorsDeathTest, a_loop_is_opened_on_its_own_thread) {
    EXPECT_DEATH(
        {
            TaskWorld world;
            System system;
            std::thread([&] { system.open(world.executor.root()); }).join();
        },
        "on the thread of that loop");
}

TEST_F(ActorsDeathTest, an_actor_of_another_loop_is_asked_from_a_loop_with_a_system) {
    EXPECT_DEATH(run([](System& system) -> Future<void> {
                     const auto counter = system.spawn<Counter>();
                     std::thread([&] {
                         TaskWorld elsewhere;
                         const auto ask = [&]() -> Future<int> {
                             co_return co_await counter.ask(Get{});
                         };
                         static_cast<void>(elsewhere.run(ask));
                     }).join();
                     co_return;
                 }),
                 "from a loop that the system has opened");
}

TEST_F(ActorsDeathTest, an_actor_that_is_restarted_has_copyable_arguments) {
    EXPECT_DEATH(run([](System& system) -> Future<void> {
                     static_cast<void>(system.spawn_with<Counter>(
                         {.on_failure = OnFailure::restart}, std::make_unique<int>(1)));
                     co_return;
                 }),
                 "needs copyable constructor arguments");
}

TEST_F(ActorsDeathTest, a_promise_becomes_a_sender_on_a_loop_with_a_system) {
    EXPECT_DEATH(static_cast<void>(Sender<int>(Promise<int>())), "on a loop that a system has");
}

TEST_F(ActorsDeathTest, a_pool_has_workers) {
    EXPECT_DEATH(run([](System& system) -> Future<void> {
                     static_cast<void>(WorkerPool<Counter>::spawn(system, {.count = 0}));
                     co_return;
                 }),
                 "a pool needs at least one worker");
}

TEST_F(ActorsDeathTest, a_node_has_a_transport_and_exports_actors) {
    EXPECT_DEATH(static_cast<void>(std::make_shared<Node>(nullptr)), "a node needs a transport");
    auto [near, far] = connect_in_memory();
    EXPECT_DEATH((export_actor<Counter>(near, "counter", Ref<Counter>())),
                 "export a reference that leads to an actor");
}

}  // namespace
}  // namespace gyre::actor
