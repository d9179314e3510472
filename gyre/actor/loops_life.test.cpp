// SPDX-License-Identifier: Apache-2.0
// The life cycle of actors on four loops: messages, asks, watches and links when an actor ends.
#include "gyre/actor/actor_loops.test.hpp"
#include "gyre/actor/node.hpp"

namespace gyre::actor {
namespace {

TEST_F(ActorsOnLoops, lose_and_double_no_message_while_they_restart_and_stop) {
    const int each = message_count() / 5;
    std::atomic<int> handled = 0;
    std::atomic<int> taken = 0;
    System system;
    on_four_loops(system, [&](System& at) -> Future<void> {
        ActorOptions options{.on_failure = OnFailure::restart, .restart = {.count_max = 1'000'000}};
        options.place = Place::on(loop_name(2));
        const auto mortal = at.spawn_with<Mortal>(options, &handled);
        const auto keep_sending = [&](int crash_every) {
            for (int i = 0; i < each; ++i) {
                if (i % crash_every == 0) static_cast<void>(mortal.send(Die{}));
                if (mortal.send(Chore{i})) ++taken;
            }
        };
        std::thread one([&] { keep_sending(50); });
        std::thread two([&] { keep_sending(70); });
        keep_sending(90);
        mortal.stop();
        one.join();
        two.join();
        co_await mortal.ended();
    });
    // An accepted message was handled or is a dead letter. A message refused because the actor had
    // ended is a dead letter too.
    EXPECT_LE(handled, taken);
    EXPECT_LE(taken - handled, static_cast<int>(system.dead_letter_count()));
}

TEST_F(ActorsOnLoops, count_dead_letters_exactly) {
    std::atomic<int> handled = 0;
    std::atomic<int> letters = 0;
    System system({.on_dead_letter = [&](const DeadLetter&) { ++letters; }});
    constexpr int each = 300;
    on_four_loops(system, [&](System& at) -> Future<void> {
        const auto mortal = at.spawn_with<Mortal>(
            {.mailbox = {.capacity = 10'000}, .place = Place::on(loop_name(4))}, &handled);
        std::thread one([&] {
            for (int i = 0; i < each; ++i) static_cast<void>(mortal.send(Chore{i}));
        });
        for (int i = 0; i < each; ++i) {
            static_cast<void>(mortal.send(Chore{i}));
            if (i == each / 2) mortal.stop_now();
        }
        one.join();
        co_await mortal.ended();
    });
    EXPECT_EQ(handled + letters, 2 * each);
    EXPECT_EQ(system.dead_letter_count(), static_cast<std::uint64_t>(letters));
}

TEST_F(ActorsOnLoops, answer_or_fail_every_question_while_they_die) {
    std::atomic<int> handled = 0;
    int answered = 0;
    int refused = 0;
    System system;
    on_four_loops(system, [&](System& at) -> Future<void> {
        for (int round = 0; round < 20; ++round) {
            const auto mortal = at.spawn_with<Mortal>({.place = Place::on(loop_name(2))}, &handled);
            co_await with_scope([&](Scope& scope) -> Future<void> {
                for (int i = 0; i < 20; ++i) {
                    scope.spawn([&, i]() -> Future<void> {
                        try {
                            answered += co_await mortal.ask(Total{});
                        } catch (const ActorEnded&) {
                            ++refused;
                        }
                        if (i == 3) mortal.stop_now();
                    });
                }
                co_return;
            });
            co_await mortal.ended();
        }
    });
    EXPECT_EQ(answered + refused, 400);
    EXPECT_GE(answered, 20);
}

class Boss : public Actor<Boss> {
public:
    explicit Boss(std::atomic<int>* ended) : ended_(ended) {}
    Ref<Mortal> handle(std::atomic<int>* handled) {
        const auto child = spawn_child_with<Mortal>({.place = Place::on(loop_name(3))}, handled);
        watch(child);
        return child;
    }
    void handle(Terminated end) { *ended_ += end.failure != nullptr ? 100 : 1; }

private:
    std::atomic<int>* ended_;
};

TEST_F(ActorsOnLoops, watch_and_end_children_on_other_loops) {
    std::atomic<int> handled = 0;
    std::atomic<int> ended = 0;
    System system;
    on_four_loops(system, [&](System& at) -> Future<void> {
        const auto boss = at.spawn_with<Boss>({.place = Place::on(loop_name(2))}, &ended);
        const auto child = co_await boss.ask(&handled);
        const auto other = co_await boss.ask(&handled);
        EXPECT_TRUE(child.send(Die{}));
        co_await child.ended();
        while (ended == 0) co_await yield();
        EXPECT_TRUE(other.send(Chore{1}));
        boss.stop();
        co_await boss.ended();
        EXPECT_TRUE(other.is_ended());
    });
    EXPECT_EQ(ended, 101);  // The second stop came while it drained.
    EXPECT_EQ(handled, 1);
}

// Counts the Terminated messages that it gets.
class Watcher : public Actor<Watcher> {
public:
    explicit Watcher(std::atomic<int>* told) : told_(told) {}
    void handle(const std::vector<Ref<Mortal>>& others) {
        for (const auto& other : others) watch(other);
    }
    void handle(Ref<Mortal> other) { link(other); }
    void handle(Terminated) { ++*told_; }

private:
    std::atomic<int>* told_;
};

TEST_F(ActorsOnLoops, are_told_once_over_a_connection_that_is_lost_while_they_end) {
    constexpr int rounds = 10;
    constexpr int each = 12;
    std::atomic<int> handled = 0;
    std::atomic<int> told = 0;
    System system;
    on_four_loops(system, [&](System& at) -> Future<void> {
        for (int round = 1; round <= rounds; ++round) {
            auto [near, far] = connect_in_memory();
            std::vector<Ref<Mortal>> mortals;
            std::vector<Ref<Mortal>> remotes;
            for (int i = 0; i < each; ++i) {
                const std::string name = std::to_string(i);
                mortals.push_back(at.spawn_with<Mortal>({.place = Place::spread()}, &handled));
                export_actor<Mortal>(near, name, mortals.back());
                remotes.push_back(remote_ref<Mortal>(far, name));
            }
            const auto one = at.spawn_with<Watcher>({.place = Place::on(loop_name(2))}, &told);
            const auto two = at.spawn_with<Watcher>({.place = Place::on(loop_name(3))}, &told);
            const auto linked = at.spawn_with<Watcher>({.place = Place::on(loop_name(4))}, &told);
            EXPECT_TRUE(one.send(remotes));
            EXPECT_TRUE(two.send(remotes));
            EXPECT_TRUE(linked.send(remotes.back()));
            for (int i = 0; i < each / 2; ++i) mortals[static_cast<std::size_t>(i)].stop_now();
            std::thread closing([&near] { near->close(); });
            EXPECT_TRUE(mortals[each / 2].send(Die{}));
            closing.join();
            co_await linked.ended();
            while (told < round * 2 * each) co_await yield();
            for (const auto& mortal : mortals) mortal.stop_now();
            for (const auto& mortal : mortals) co_await mortal.ended();
            one.stop();
            two.stop();
            co_await one.ended();
            co_await two.ended();
            EXPECT_EQ(told, round * 2 * each);
            EXPECT_EQ(near->link_count() + far->link_count(), 0u);
        }
    });
}

// An exclusive actor whose first handler waits until the test releases it.
struct Grip {
    std::atomic<bool> is_held = false;
    std::atomic<bool> is_free = false;
};
struct Hold {};
struct Count {};
class Held : public Actor<Held> {
public:
    explicit Held(Grip* grip) : grip_(grip) {}
    Future<void> handle(Hold) {
        grip_->is_held = true;
        while (!grip_->is_free) co_await yield();
    }
    int handle(Count) { return ++count_; }

private:
    Grip* grip_;
    int count_ = 0;
};

TEST_F(ActorsOnLoops, do_not_begin_what_was_asked_by_one_who_gave_up) {
    Grip grip;
    System system;
    on_four_loops(system, [&](System& at) -> Future<void> {
        const auto held = at.spawn_with<Held>(
            {.order = Order::exclusive, .place = Place::on(loop_name(2))}, &grip);
        EXPECT_TRUE(held.send(Hold{}));
        const auto ask = [&]() -> Future<void> { static_cast<void>(co_await held.ask(Count{})); };
        while (!grip.is_held) co_await yield();
        co_await with_scope([&](Scope& scope) -> Future<void> {
            auto asking = scope.spawn(ask);
            while (held.mailbox_length() == 0) co_await yield();
            asking.cancel();
        });
        grip.is_free = true;
        EXPECT_EQ(co_await held.ask(Count{}), 1);
    });
}

}  // namespace
}  // namespace gyre::actor
