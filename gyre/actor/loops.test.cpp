// SPDX-License-Identifier: Apache-2.0
// Messages between the actors of four loops.
#include <algorithm>
#include <array>

#include "gyre/actor/actor_loops.test.hpp"
#include "gyre/actor/sender.hpp"
#include "gyre/actor/worker_pool.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task.hpp"

namespace gyre::actor {
namespace {

struct Numbered {
    int sender;
    int number;
};

// Checks that the messages of each sender arrive in order.
class Collector : public Actor<Collector> {
public:
    Future<void> handle(Numbered message) {
        EXPECT_EQ(message.number, next_[message.sender]++);
        ++count_;
        const int mine = ++inside_;
        EXPECT_EQ(mine, 1);  // No other handler runs between two awaits.
        --inside_;
        if (message.number % 16 == 0) co_await yield();
    }
    int handle(Total) { return count_; }

private:
    int next_[loop_count + 1] = {};
    int count_ = 0;
    int inside_ = 0;
};

struct Begin {};
class Talker : public Actor<Talker> {
public:
    Talker(Ref<Collector> to, int sender, int count)
        : to_(std::move(to)), sender_(sender), count_(count) {}
    Future<void> handle(Begin) {
        for (int i = 0; i < count_; ++i) {
            // Some senders wait for room, others retry and so pile up: that exposes a wrong order.
            if (i % 8 == 0) {
                co_await to_.post(Numbered{sender_, i});
            } else {
                while (!to_.send(Numbered{sender_, i})) co_await yield();
            }
        }
    }

private:
    const Ref<Collector> to_;
    const int sender_;
    const int count_;
};

TEST_F(ActorsOnLoops, handle_messages_of_each_sender_in_their_order) {
    // clause: A17
    const int each = message_count();
    System system;
    on_four_loops(system, [&](System& at) -> Future<void> {
        const auto collector = at.spawn_with<Collector>(
            {.mailbox = {.capacity = 100}, .place = Place::on(loop_name(2))});
        std::vector<Ref<Talker>> talkers;
        for (ThreadId thread = 1; thread <= loop_count; ++thread) {
            talkers.push_back(at.spawn_with<Talker>({.place = Place::on(loop_name(thread))},
                                                    collector, static_cast<int>(thread), each));
        }
        for (const auto& talker : talkers) EXPECT_TRUE(talker.send(Begin{}));
        for (const auto& talker : talkers) talker.stop();
        for (const auto& talker : talkers) co_await talker.ended();
        EXPECT_EQ(co_await collector.ask(Total{}), each * static_cast<int>(loop_count));
        EXPECT_EQ(at.dead_letter_count(), 0u);
    });
}

TEST_F(ActorsOnLoops, take_messages_of_threads_that_have_no_loop) {
    const int each = message_count();
    System system;
    on_four_loops(system, [&](System& at) -> Future<void> {
        const auto collector = at.spawn_with<Collector>({.place = Place::on(loop_name(3))});
        std::vector<std::thread> threads;
        std::atomic<int> running = 2;
        for (int sender = 0; sender < 2; ++sender) {
            threads.emplace_back([&, sender] {
                for (int i = 0; i < each; ++i) {
                    while (!collector.send(Numbered{sender, i})) std::this_thread::yield();
                }
                --running;
            });
        }
        while (running > 0) co_await yield();
        for (auto& thread : threads) thread.join();
        EXPECT_EQ(co_await collector.ask(Total{}), 2 * each);
    });
}

TEST_F(ActorsOnLoops, are_spread_and_can_all_be_listed) {
    std::atomic<int> handled = 0;
    System system;
    on_four_loops(system, [&](System& at) -> Future<void> {
        auto pool = WorkerPool<Mortal>::spawn(
            at, {.count = 8, .worker = {.name = "m", .place = Place::spread()}}, &handled);
        for (int i = 0; i < 80; ++i) EXPECT_TRUE(pool.next().send(Chore{i}));
        for (const auto& worker : pool.workers()) {
            EXPECT_EQ(co_await worker.ask(Total{}), 1);
        }
        EXPECT_EQ(handled, 80);
        const std::string all = co_await at.dump_all_actors();
        for (ThreadId thread = 1; thread <= loop_count; ++thread) {
            EXPECT_NE(all.find("actors of loop '" + loop_name(thread) + "'"), std::string::npos);
        }
        for (int i = 1; i <= 8; ++i) {
            EXPECT_NE(all.find("'m " + std::to_string(i) + "' open"), std::string::npos) << all;
        }
        EXPECT_EQ(all.find("'m 9'"), std::string::npos);
        EXPECT_THROW(
            static_cast<void>(at.spawn_with<Mortal>({.place = Place::on("nowhere")}, &handled)),
            ActorError);
    });
}

struct Ask {
    Sender<int> answer_to;
};
class Answering : public Actor<Answering> {
public:
    void handle(Ask ask) { EXPECT_TRUE(ask.answer_to.send(7)); }
};
class Forgetting : public Actor<Forgetting> {
public:
    void handle(Ask) {}
};

TEST_F(ActorsOnLoops, settle_a_promise_of_another_loop) {
    // clause: A30
    System system;
    on_four_loops(system, [&](System& at) -> Future<void> {
        const auto answering = at.spawn_with<Answering>({.place = Place::on(loop_name(2))});
        const auto forgetting = at.spawn_with<Forgetting>({.place = Place::on(loop_name(3))});
        Promise<int> promise;
        auto answer = promise.future();
        EXPECT_TRUE(answering.send(Ask{Sender<int>(std::move(promise))}));
        EXPECT_EQ(co_await answer, 7);
        Promise<int> lost;
        auto never = lost.future();
        EXPECT_TRUE(forgetting.send(Ask{Sender<int>(std::move(lost))}));
        EXPECT_THROW(co_await never, BrokenPromise);
    });
}

// Records the trace ids of timers that were started.
class TimerTraces : public Observer {
public:
    void on_submit(const Op& op, const Machine& /*by*/) noexcept override {
        if (op.code() == OpCode::timer) traces.push_back(op.trace_id());
    }
    std::vector<std::uint64_t> traces;
};

struct Hop {};
class Sleeper : public Actor<Sleeper> {
public:
    Future<void> handle(Hop) { co_await sleep(1us); }
};
// A plain handler between two async ones keeps the trace.
class Relay : public Actor<Relay> {
public:
    explicit Relay(Ref<Sleeper> next) : next_(std::move(next)) {}
    void handle(Hop hop) { EXPECT_TRUE(next_.send(hop)); }

private:
    const Ref<Sleeper> next_;
};

TEST_F(ActorsOnLoops, carry_the_trace_of_a_message_over_threads) {
    std::array<TimerTraces, loop_count> observers;
    std::uint64_t trace_id = 0;
    System system;
    on_four_loops(
        system,
        [&](System& at) -> Future<void> {
            const auto sleeper = at.spawn_with<Sleeper>({.place = Place::on(loop_name(3))});
            const auto relay = at.spawn_with<Relay>({.place = Place::on(loop_name(2))}, sleeper);
            const auto other = [&]() -> Future<void> {
                Task& task = co_await this_task();
                trace_id = task.trace_id();
                EXPECT_TRUE(relay.send(Hop{}));
            };
            // A task with a unique trace id.
            for (int i = 0; i < 50; ++i) {
                auto spawned = (co_await this_task()).executor().root().spawn(other);
                co_await spawned;
            }
            relay.stop();
            co_await relay.ended();
            sleeper.stop();
            co_await sleeper.ended();
        },
        [&](ThreadId thread) { return &observers[thread - 1]; });
    EXPECT_GT(trace_id, 50u);
    const auto& seen = observers[2].traces;
    EXPECT_EQ(std::count(seen.begin(), seen.end(), trace_id), 1);
}

TEST_F(ActorsOnLoops, keep_the_limit_of_a_mailbox_for_all_senders) {
    std::atomic<int> handled = 0;
    System system;
    on_four_loops(system, [&](System& at) -> Future<void> {
        const auto mortal = at.spawn_with<Mortal>(
            {.mailbox = {.capacity = 5}, .place = Place::on(loop_name(2))}, &handled);
        std::atomic<int> taken = 0;
        std::vector<std::thread> threads;
        for (int t = 0; t < 3; ++t) {
            threads.emplace_back([&] {
                for (int i = 0; i < 500; ++i) {
                    if (mortal.send(Chore{i})) ++taken;
                    EXPECT_LE(mortal.mailbox_length(), 5u + 3u);  // Each thread may be one over.
                }
            });
        }
        for (auto& thread : threads) thread.join();
        mortal.stop();
        co_await mortal.ended();
        EXPECT_EQ(handled, taken);
    });
}

}  // namespace
}  // namespace gyre::actor
