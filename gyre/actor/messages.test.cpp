// SPDX-License-Identifier: Apache-2.0
// Messages between actors of one loop: send, post, ask, order, mailbox limits.
#include "gyre/actor/actor_world.test.hpp"
#include "gyre/actor/sender.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/sync/event.hpp"

namespace gyre::actor {
namespace {

struct Add {
    int amount;
};
struct AddLater {
    int amount;
    Duration delay;
};
struct Get {};
struct GetLater {
    Duration delay;
};
struct Half {};
struct ResetIfZero {};
struct Break {};
struct BreakLater {};

class Counter : public Actor<Counter> {
public:
    explicit Counter(std::vector<std::string>* log = nullptr) : log_(log) {}

    void handle(Add add) {
        total_ += add.amount;
        note("add " + std::to_string(add.amount));
    }
    Future<void> handle(AddLater add) {
        note("begin " + std::to_string(add.amount));
        co_await sleep(add.delay);
        total_ += add.amount;
        note("end " + std::to_string(add.amount));
    }
    int handle(Get) { return total_; }
    Future<int> handle(GetLater get) {
        co_await sleep(get.delay);
        co_return total_;
    }
    Result<int> handle(Half) {
        if (total_ % 2 != 0) return std::unexpected(Error(std::errc::invalid_argument));
        return total_ / 2;
    }
    Future<Result<void>> handle(ResetIfZero) {
        co_await sleep(1ms);
        if (total_ != 0) co_return std::unexpected(Error(std::errc::operation_not_permitted));
        co_return {};
    }
    int handle(Break) { throw std::runtime_error("broken"); }
    Future<int> handle(BreakLater) {
        co_await sleep(1ms);
        throw std::runtime_error("broken later");
    }

private:
    void note(std::string what) {
        if (log_ != nullptr) log_->push_back(std::move(what));
    }
    int total_ = 0;
    std::vector<std::string>* log_;
};

TEST_F(Actors, that_answer_an_error_fail_the_ask_like_any_other_await) {
    run([](System& system) -> Future<void> {
        const Ref<Counter> counter = system.spawn<Counter>();
        co_await counter.ask(ResetIfZero{});
        EXPECT_TRUE(counter.send(Add{6}));
        const int half = co_await counter.ask(Half{});
        EXPECT_EQ(half, 3);
        EXPECT_TRUE(counter.send(Add{1}));
        const Result<int> tried = co_await try_(counter.ask(Half{}));
        EXPECT_EQ(tried, std::unexpected(Error(std::errc::invalid_argument)));
        try {
            co_await counter.ask(ResetIfZero{}, 1s);
            ADD_FAILURE() << "the error is not thrown";
        } catch (const std::system_error& error) {
            EXPECT_EQ(error.code(), std::errc::operation_not_permitted);
            EXPECT_EQ(std::string(error.what()).rfind("ask '", 0), 0u) << error.what();
        }
    });
}

TEST_F(Actors, handle_what_is_sent_and_answer_what_is_asked) {
    // clause: A16
    const int total = run([](System& system) -> Future<int> {
        const Ref<Counter> counter = system.spawn<Counter>();
        EXPECT_TRUE(counter.send(Add{2}));
        EXPECT_TRUE(counter.send(AddLater{40, 1ms}));
        EXPECT_EQ(co_await counter.ask(GetLater{2ms}), 42);
        co_return co_await counter.ask(Get{});
    });
    EXPECT_EQ(total, 42);
    EXPECT_EQ(elapsed(), 2ms);
}

TEST_F(Actors, fail_by_a_handler_that_fails_after_an_await_and_tell_the_asker) {
    // clause: A16
    run([](System& system) -> Future<void> {
        const Ref<Counter> counter = system.spawn<Counter>();
        std::string told;
        try {
            static_cast<void>(co_await counter.ask(BreakLater{}));
        } catch (const std::runtime_error& e) {
            told = e.what();
        }
        EXPECT_EQ(told, "broken later");
        co_await counter.ended();
        EXPECT_EQ(counter.counts().failed, 1u);
    });
    EXPECT_EQ(elapsed(), 1ms);
}

TEST_F(Actors, never_run_a_handler_inside_the_send) {
    std::vector<std::string> log;
    run([&](System& system) -> Future<void> {
        const Ref<Counter> counter = system.spawn<Counter>(&log);
        EXPECT_TRUE(counter.send(Add{1}));
        EXPECT_TRUE(log.empty());
        EXPECT_EQ(counter.mailbox_length(), 1u);
        co_await counter.ask(Get{});
        EXPECT_EQ(log.size(), 1u);
    });
}

TEST_F(Actors, start_handlers_in_the_order_of_sends_and_are_not_held_by_one_that_waits) {
    // clause: A17
    std::vector<std::string> log;
    run([&](System& system) -> Future<void> {
        const Ref<Counter> counter = system.spawn<Counter>(&log);
        EXPECT_TRUE(counter.send(AddLater{1, 3ms}));
        EXPECT_TRUE(counter.send(AddLater{2, 1ms}));
        EXPECT_TRUE(counter.send(Add{3}));
        co_return;
    });
    EXPECT_EQ(log, (std::vector<std::string>{"begin 1", "begin 2", "add 3", "end 2", "end 1"}));
}

TEST_F(Actors, start_handlers_in_the_order_of_sends_posts_and_asks) {
    // clause: A17
    std::vector<std::string> log;
    run([&](System& system) -> Future<void> {
        const Ref<Counter> counter = system.spawn<Counter>(&log);
        EXPECT_TRUE(counter.send(Add{1}));
        co_await counter.post(Add{2});
        EXPECT_TRUE(counter.send(AddLater{3, 1ms}));
        co_await counter.post(Add{4});
        const int before_the_end_of_3 = co_await counter.ask(Get{});
        EXPECT_EQ(before_the_end_of_3, 7);
    });
    EXPECT_EQ(log, (std::vector<std::string>{"add 1", "add 2", "begin 3", "add 4", "end 3"}));
}

TEST_F(Actors, that_are_exclusive_start_a_handler_when_the_last_has_ended) {
    std::vector<std::string> log;
    run([&](System& system) -> Future<void> {
        const Ref<Counter> counter = system.spawn_with<Counter>({.order = Order::exclusive}, &log);
        EXPECT_TRUE(counter.send(AddLater{1, 3ms}));
        EXPECT_TRUE(counter.send(AddLater{2, 1ms}));
        EXPECT_TRUE(counter.send(Add{3}));
        co_return;
    });
    EXPECT_EQ(log, (std::vector<std::string>{"begin 1", "end 1", "begin 2", "end 2", "add 3"}));
}

// Increments a counter across an await, and detects a second handler in between.
struct Step {};
class Careful : public Actor<Careful> {
public:
    Future<void> handle(Step) {
        for (int i = 0; i < 3; ++i) {
            EXPECT_FALSE(is_inside_);
            is_inside_ = true;
            ++steps_;
            is_inside_ = false;
            co_await yield();
        }
    }
    int handle(Get) { return steps_; }

private:
    bool is_inside_ = false;
    int steps_ = 0;
};

TEST_F(Actors, are_atomic_between_two_awaits) {
    const int steps = run([](System& system) -> Future<int> {
        const Ref<Careful> careful = system.spawn<Careful>();
        for (int i = 0; i < 20; ++i) EXPECT_TRUE(careful.send(Step{}));
        co_await sleep(1ms);
        co_return co_await careful.ask(Get{});
    });
    EXPECT_EQ(steps, 60);
}

struct Echo {
    int hops;
};
class Looper : public Actor<Looper> {
public:
    explicit Looper(std::vector<int>* seen) : seen_(seen) {}
    void handle(Echo echo) {
        seen_->push_back(echo.hops);
        if (echo.hops == 0) return;
        EXPECT_TRUE(self().send(Echo{echo.hops - 1}));
    }

private:
    std::vector<int>* seen_;
};

TEST_F(Actors, can_send_to_themselves) {
    // clause: A30
    std::vector<int> seen;
    run([&](System&) -> Future<void> {
        const Ref<Looper> looper = spawn_actor<Looper>(&seen);
        EXPECT_TRUE(looper.send(Echo{3}));
        co_await sleep(1ms);
    });
    EXPECT_EQ(seen, (std::vector<int>{3, 2, 1, 0}));
}

struct Query {
    int key;
    Sender<std::string> answer_to;
};
class Table : public Actor<Table> {
public:
    Future<void> handle(Query query) {
        co_await sleep(1ms);
        const auto sent = query.answer_to.send("row " + std::to_string(query.key));
        EXPECT_TRUE(sent);
        EXPECT_FALSE(query.answer_to.send("again") && is_promise);
    }
    bool is_promise = true;
};
class Reader : public Actor<Reader> {
public:
    explicit Reader(std::vector<std::string>* rows) : rows_(rows) {}
    void handle(std::string row) { rows_->push_back(std::move(row)); }

private:
    std::vector<std::string>* rows_;
};

TEST_F(Actors, answer_to_a_promise_or_to_an_actor) {
    // clause: A30
    std::vector<std::string> rows;
    run([&](System& system) -> Future<void> {
        const Ref<Table> table = system.spawn<Table>();
        Promise<std::string> promise;
        auto answer = promise.future();
        EXPECT_TRUE(table.send(Query{7, Sender<std::string>(std::move(promise))}));
        EXPECT_EQ(co_await answer, "row 7");

        Promise<std::string> forgotten;
        auto never = forgotten.future();
        {
            const Sender<std::string> gone(std::move(forgotten));
        }
        EXPECT_THROW(co_await never, BrokenPromise);
    });
    run([&](System& system) -> Future<void> {
        const Ref<Reader> reader = system.spawn<Reader>(&rows);
        const Sender<std::string> to(reader);
        EXPECT_TRUE(to.send("one"));
        const Sender<std::string> copy = to;
        EXPECT_TRUE(copy.send("two"));
        EXPECT_EQ(Sender<std::string>().send("three").error().code(), actor_ended);
        co_return;
    });
    EXPECT_EQ(rows, (std::vector<std::string>{"one", "two"}));
}

TEST_F(Actors, reject_a_message_that_finds_the_mailbox_full) {
    run([](System& system) -> Future<void> {
        const Ref<Counter> counter = system.spawn_with<Counter>({.mailbox = {.capacity = 2}});
        EXPECT_TRUE(counter.send(Add{1}));
        EXPECT_TRUE(counter.send(Add{2}));
        const auto third = counter.send(Add{4});
        EXPECT_EQ(third.error().code(), mailbox_full);
        EXPECT_THROW(co_await counter.ask(Get{}), MailboxFull);
        co_await yield();
        co_await yield();
        EXPECT_EQ(co_await counter.ask(Get{}), 3);
        EXPECT_EQ(system.dead_letter_count(), 0u);
    });
}

TEST_F(Actors, take_1024_messages_by_default) {
    run([](System& system) -> Future<void> {
        const Ref<Counter> counter = system.spawn<Counter>();
        for (int i = 0; i < 1024; ++i) EXPECT_TRUE(counter.send(Add{1}));
        EXPECT_FALSE(counter.send(Add{1}));
        co_return;
    });
}

TEST_F(Actors, drop_the_oldest_or_the_newest_where_told_so) {
    run([](System& system) -> Future<void> {
        const Ref<Counter> oldest = system.spawn_with<Counter>(
            {.mailbox = {.capacity = 2, .when_full = WhenFull::drop_oldest}});
        const Ref<Counter> newest = system.spawn_with<Counter>(
            {.mailbox = {.capacity = 2, .when_full = WhenFull::drop_newest}});
        for (const int amount : {1, 10, 100}) {
            EXPECT_TRUE(oldest.send(Add{amount}));
            EXPECT_TRUE(newest.send(Add{amount}));
        }
        co_await yield();
        co_await yield();
        EXPECT_EQ(co_await oldest.ask(Get{}), 110);
        EXPECT_EQ(co_await newest.ask(Get{}), 11);
        EXPECT_EQ(oldest.counts().dropped, 1u);
        EXPECT_EQ(newest.counts().dropped, 1u);
    });
}

TEST_F(Actors, tell_an_asker_whose_question_made_room_for_another) {
    run([](System& system) -> Future<void> {
        const Ref<Counter> counter = system.spawn_with<Counter>(
            {.mailbox = {.capacity = 1, .when_full = WhenFull::drop_oldest}});
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn(
                [&]() -> Future<void> { EXPECT_THROW(co_await counter.ask(Get{}), MailboxFull); });
            scope.spawn([&]() -> Future<void> {
                EXPECT_TRUE(counter.send(Add{1}));
                co_return;
            });
            co_return;
        });
    });
}

TEST_F(Actors, let_a_post_wait_for_room_in_the_order_of_posts) {
    std::vector<std::string> log;
    run([&](System& system) -> Future<void> {
        const Ref<Counter> counter = system.spawn_with<Counter>(
            {.order = Order::exclusive, .mailbox = {.capacity = 1}}, &log);
        EXPECT_TRUE(counter.send(AddLater{1, 1ms}));
        co_await sleep(Duration(1));
        co_await with_scope([&](Scope& scope) -> Future<void> {
            for (int i = 2; i <= 5; ++i) {
                scope.spawn(
                    [&counter](int amount) -> Future<void> {
                        co_await counter.post(AddLater{amount, 1ms});
                    },
                    i);
            }
            co_return;
        });
        co_await sleep(10ms);
        EXPECT_EQ(co_await counter.ask(Get{}), 15);
    });
    EXPECT_EQ(log.size(), 10u);
    EXPECT_EQ(log[2], "begin 2");
    EXPECT_EQ(log[8], "begin 5");
}

TEST_F(Actors, do_not_get_what_a_cancelled_post_would_have_sent) {
    run([](System& system) -> Future<void> {
        const Ref<Counter> counter =
            system.spawn_with<Counter>({.order = Order::exclusive, .mailbox = {.capacity = 1}});
        EXPECT_TRUE(counter.send(AddLater{1, 2ms}));
        co_await sleep(Duration(1));
        EXPECT_TRUE(counter.send(Add{2}));
        const auto post = [&]() -> Future<void> { co_await counter.post(Add{4}); };
        EXPECT_THROW(co_await timeout(post(), 1ms), TimeoutError);
        co_await sleep(5ms);
        EXPECT_EQ(co_await counter.ask(Get{}), 3);
    });
}

TEST_F(Actors, give_an_asker_the_failure_and_a_deadline_its_due) {
    run([](System& system) -> Future<void> {
        const Ref<Counter> counter = system.spawn_with<Counter>({.on_failure = OnFailure::resume});
        EXPECT_THROW(co_await counter.ask(Break{}), std::runtime_error);
        EXPECT_THROW(co_await counter.ask(GetLater{10ms}, 5ms), TimeoutError);
        EXPECT_EQ(co_await counter.ask(GetLater{1ms}, 5ms), 0);
        EXPECT_EQ(counter.counts().failed, 1u);
    });
}

TEST_F(Actors, do_not_begin_what_was_asked_by_one_who_gave_up) {
    run([](System& system) -> Future<void> {
        const Ref<Counter> counter = system.spawn_with<Counter>({.order = Order::exclusive});
        EXPECT_TRUE(counter.send(AddLater{1, 5ms}));
        EXPECT_THROW(co_await counter.ask(Add{2}, 1ms), TimeoutError);
        co_await sleep(10ms);
        EXPECT_EQ(co_await counter.ask(Get{}), 1);
        EXPECT_EQ(counter.counts().handled, 2u);
        EXPECT_EQ(system.dead_letter_count(), 0u);
        EXPECT_THROW(co_await counter.ask(AddLater{4, 2ms}, 1ms), TimeoutError);
        co_await sleep(10ms);
        EXPECT_EQ(co_await counter.ask(Get{}), 5);  // The handler had begun, so it went on.
    });
}

struct Refuse {};
class Refusing : public Actor<Refusing> {
public:
    Future<int> handle(Refuse) {
        co_await fail(Error(std::errc::permission_denied));
        co_return 1;
    }
};

TEST_F(Actors, may_answer_with_an_error_and_have_not_failed) {
    run([](System& system) -> Future<void> {
        const Ref<Refusing> actor = system.spawn<Refusing>();
        const auto ask = [&]() -> Future<int> { co_return co_await actor.ask(Refuse{}); };
        const auto answer = co_await try_(ask());
        EXPECT_EQ(answer.error().code(), std::errc::permission_denied);
        EXPECT_FALSE(actor.is_ended());
        EXPECT_EQ(actor.counts().failed, 0u);
    });
}

struct Tick {};
struct Open {};
class Patient : public Actor<Patient> {
public:
    explicit Patient(std::vector<std::string>* log) : log_(log) {
        twice_ = send_every(2ms, Tick{});
        once_ = send_after(3ms, Open{});
    }
    void handle(Tick) {
        log_->push_back("tick");
        if (++ticks_ == 3) twice_.cancel();
    }
    void handle(Open) {
        is_open_ = true;
        unstash_all();
    }
    void handle(Add add) {
        if (!is_open_) {
            const auto stashed = stash(add);
            if (!stashed) log_->push_back("too many");
            return;
        }
        log_->push_back("add " + std::to_string(add.amount));
    }

private:
    std::vector<std::string>* log_;
    Timer twice_;
    Timer once_;
    int ticks_ = 0;
    bool is_open_ = false;
};

TEST_F(Actors, have_timers_and_can_put_messages_aside) {
    std::vector<std::string> log;
    run([&](System& system) -> Future<void> {
        const auto patient = system.spawn_with<Patient>({.stash_max = 2}, &log);
        for (int i = 1; i <= 3; ++i) EXPECT_TRUE(patient.send(Add{i}));
        co_await sleep(20ms);
    });
    EXPECT_EQ(log,
              (std::vector<std::string>{"too many", "tick", "add 1", "add 2", "tick", "tick"}));
}

TEST_F(Actors, are_listed_with_what_they_did) {
    run([](System& system) -> Future<void> {
        const auto counter = system.spawn_with<Counter>({.name = "counter"});
        EXPECT_TRUE(counter.send(Add{1}));
        EXPECT_TRUE(counter.send(AddLater{1, 1ms}));
        co_await yield();
        co_await yield();
        EXPECT_TRUE(counter.send(Add{1}));
        EXPECT_EQ(system.dump_actors(),
                  "actors of loop 'main'\n"
                  "  'counter' open: 1 waiting, 1 under way, 2 handled, 0 failed, 0 dropped, 0 "
                  "restarts\n");
    });
}

TEST_F(Actors, measure_how_long_they_are_busy_where_asked_to) {
    run(
        [](System& system) -> Future<void> {
            const auto counter = system.spawn<Counter>();
            EXPECT_TRUE(counter.send(Add{1}));
            static_cast<void>(co_await counter.ask(Get{}));
            EXPECT_NE(system.dump_actors().find(", busy "), std::string::npos);
        },
        {.measures_busy_time = true});
}

}  // namespace
}  // namespace gyre::actor
