// SPDX-License-Identifier: Apache-2.0
// Watches and links between actors of one loop.
#include "gyre/actor/internal/signal.hpp"

#include "gyre/actor/actor_world.test.hpp"

namespace gyre::actor {
namespace {

struct Crash {};
struct Slow {
    Duration delay;
};
struct Forget {
    AnyRef other;
};

class Linked : public Actor<Linked> {
public:
    void handle(AnyRef other) { link(other); }
    void handle(Forget forget) { unlink(forget.other); }
    void handle(Crash) { throw std::runtime_error("crash"); }
};

class Watching : public Actor<Watching> {
public:
    explicit Watching(std::vector<std::string>* log) : log_(log) {}
    void handle(AnyRef other) { watch(other); }
    void handle(Forget forget) { unwatch(forget.other); }
    void handle(Terminated end) {
        log_->push_back(end.actor.name() + (end.failure != nullptr ? " failed" : " ended"));
    }
    Future<void> handle(Slow slow) { co_await sleep(slow.delay); }

private:
    std::vector<std::string>* log_;
};

TEST_F(Actors, that_watch_others_are_told_of_their_end_once) {
    std::vector<std::string> log;
    run([&](System& system) -> Future<void> {
        const auto watching = system.spawn<Watching>(&log);
        const auto good = system.spawn_with<Linked>({.name = "good"});
        const auto bad = system.spawn_with<Linked>({.name = "bad"});
        EXPECT_TRUE(watching.send(AnyRef(good)));
        EXPECT_TRUE(watching.send(AnyRef(bad)));
        co_await sleep(1ms);
        EXPECT_TRUE(bad.send(Crash{}));
        co_await bad.ended();
        good.stop();
        co_await good.ended();
        co_await sleep(1ms);
        EXPECT_EQ(log, (std::vector<std::string>{"bad failed", "good ended"}));
        EXPECT_TRUE(watching.send(AnyRef(bad)));  // It has ended before.
        co_await sleep(1ms);
        EXPECT_EQ(log.size(), 3u);
    });
}

TEST_F(Actors, that_are_exclusive_hear_of_an_end_between_two_handlers) {
    std::vector<std::string> log;
    run([&](System& system) -> Future<void> {
        const auto watching = system.spawn_with<Watching>({.order = Order::exclusive}, &log);
        const auto worker = system.spawn<Linked>();
        EXPECT_TRUE(watching.send(AnyRef(worker)));
        EXPECT_TRUE(watching.send(Slow{5ms}));
        co_await sleep(1ms);
        worker.stop_now();
        co_await sleep(1ms);
        EXPECT_TRUE(log.empty());
        co_await sleep(5ms);
        EXPECT_EQ(log.size(), 1u);
    });
}

TEST_F(Actors, that_are_linked_fail_together_and_end_alone) {
    run([](System& system) -> Future<void> {
        const auto one = system.spawn<Linked>();
        const auto two = system.spawn<Linked>();
        const auto three = system.spawn<Linked>();
        EXPECT_TRUE(one.send(AnyRef(two)));
        EXPECT_TRUE(two.send(AnyRef(three)));
        co_await sleep(1ms);
        three.stop();
        co_await three.ended();
        co_await sleep(1ms);
        EXPECT_FALSE(two.is_ended());
        EXPECT_TRUE(two.send(Crash{}));
        co_await one.ended();
        EXPECT_TRUE(two.is_ended());
    });
}

TEST_F(Actors, that_are_watched_no_more_are_not_told_of) {
    std::vector<std::string> log;
    run([&](System& system) -> Future<void> {
        const auto watching = system.spawn<Watching>(&log);
        const auto other = system.spawn<Linked>();
        EXPECT_TRUE(watching.send(AnyRef(other)));
        EXPECT_TRUE(watching.send(Forget{other}));
        co_await sleep(1ms);
        other.stop();
        co_await sleep(1ms);
    });
    EXPECT_TRUE(log.empty());
}

TEST_F(Actors, that_link_with_one_that_has_ended_fail_where_it_failed) {
    run([](System& system) -> Future<void> {
        const auto good = system.spawn<Linked>();
        const auto bad = system.spawn<Linked>();
        const auto one = system.spawn<Linked>();
        const auto two = system.spawn<Linked>();
        good.stop();
        EXPECT_TRUE(bad.send(Crash{}));
        co_await sleep(1ms);
        EXPECT_TRUE(one.send(AnyRef(good)));
        EXPECT_TRUE(two.send(AnyRef(bad)));
        co_await sleep(1ms);
        EXPECT_FALSE(one.is_ended());
        EXPECT_TRUE(two.is_ended());
    });
}

TEST_F(Actors, that_are_linked_no_more_go_on) {
    run([](System& system) -> Future<void> {
        const auto one = system.spawn<Linked>();
        const auto two = system.spawn<Linked>();
        const auto three = system.spawn<Linked>();
        EXPECT_TRUE(one.send(AnyRef(two)));
        EXPECT_TRUE(two.send(AnyRef(three)));
        co_await sleep(1ms);
        EXPECT_TRUE(one.send(Forget{two}));
        EXPECT_TRUE(three.send(Forget{two}));
        co_await sleep(1ms);
        EXPECT_TRUE(two.send(Crash{}));
        co_await two.ended();
        co_await sleep(1ms);
        EXPECT_FALSE(one.is_ended());
        EXPECT_FALSE(three.is_ended());
        // A failure that was in flight from another thread.
        const auto late = std::make_exception_ptr(std::runtime_error("crash"));
        Cell::tell_linked(one, two, late);
        co_await sleep(1ms);
        EXPECT_FALSE(one.is_ended());
    });
}

}  // namespace
}  // namespace gyre::actor
