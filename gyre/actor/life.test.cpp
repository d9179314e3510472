// SPDX-License-Identifier: Apache-2.0
// The life cycle of actors on one loop: starts, stops, failures, restarts, children.
#include "gyre/actor/actor_world.test.hpp"
#include "gyre/actor/worker_pool.hpp"

namespace gyre::actor {
namespace {

struct Work1 {
    int number;
};
struct Slow {
    Duration delay;
};
struct Crash {};
struct CrashLater {
    Duration delay;
};
struct Count {};

// Records its constructions, messages and destruction in a list of the test.
struct Diary {
    int made = 0;
    int gone = 0;
    int cancelled = 0;
    std::vector<int> handled;
    std::vector<Duration> made_at;
};

class Worker : public Actor<Worker> {
public:
    explicit Worker(Diary* diary) : diary_(diary) { ++diary_->made; }
    ~Worker() { ++diary_->gone; }
    void handle(Work1 work) {
        diary_->handled.push_back(work.number);
        ++here_;
    }
    Future<int> handle(Slow slow) {
        try {
            co_await sleep(slow.delay);
        } catch (const Cancelled&) {
            ++diary_->cancelled;
            throw;
        }
        co_return 1;
    }
    void handle(Crash) { throw std::runtime_error("crash"); }
    Future<void> handle(CrashLater later) {
        co_await sleep(later.delay);
        throw std::runtime_error("crash later");
    }
    int handle(Count) { return here_; }

private:
    Diary* diary_;
    int here_ = 0;
};

TEST_F(Actors, that_are_stopped_handle_what_they_have_and_take_no_more) {
    Diary diary;
    run([&](System& system) -> Future<void> {
        const auto worker = system.spawn<Worker>(&diary);
        EXPECT_TRUE(worker.send(Slow{1ms}));
        EXPECT_TRUE(worker.send(Work1{1}));
        EXPECT_TRUE(worker.send(Work1{2}));
        worker.stop();
        EXPECT_EQ(worker.send(Work1{3}).error().code(), actor_ended);
        EXPECT_FALSE(worker.is_ended());
        co_await worker.ended();
        EXPECT_TRUE(worker.is_ended());
        co_await worker.ended();
        EXPECT_EQ(worker.send(Work1{4}).error().code(), actor_ended);
        EXPECT_THROW(co_await worker.ask(Count{}), ActorEnded);
        EXPECT_EQ(system.dead_letter_count(), 3u);
    });
    EXPECT_EQ(diary.handled, (std::vector<int>{1, 2}));
    EXPECT_EQ(diary.cancelled, 0);
    EXPECT_EQ(diary.gone, 1);
    EXPECT_EQ(elapsed(), 1ms);
}

TEST_F(Actors, that_are_stopped_now_leave_dead_letters_and_cancel_what_they_do) {
    Diary diary;
    std::vector<std::string> letters;
    run(
        [&](System& system) -> Future<void> {
            const auto worker = system.spawn_with<Worker>({.name = "worker"}, &diary);
            const auto ask = [&]() -> Future<void> {
                EXPECT_THROW(static_cast<void>(co_await worker.ask(Slow{1s})), ActorEnded);
            };
            co_await with_scope([&](Scope& scope) -> Future<void> {
                scope.spawn(ask);
                co_await sleep(1ms);
                EXPECT_TRUE(worker.send(Work1{1}));
                scope.spawn(ask);  // cancelled before it begins
                co_await yield();
                EXPECT_TRUE(worker.send(Work1{2}));
                worker.stop_now();
            });
            co_await worker.ended();
            EXPECT_EQ(system.dead_letter_count(), letters.size());
        },
        {.on_dead_letter = [&](const DeadLetter& letter) { letters.push_back(letter.actor); }});
    EXPECT_EQ(
        diary.cancelled + static_cast<int>(letters.size()) + static_cast<int>(diary.handled.size()),
        4);
    EXPECT_GE(letters.size(), 1u);
    EXPECT_EQ(letters[0], "worker");
    EXPECT_EQ(diary.gone, 1);
}

TEST_F(Actors, forget_those_who_wait_for_their_end_no_more) {
    Diary diary;
    run([&](System& system) -> Future<void> {
        const auto worker = system.spawn<Worker>(&diary);
        const auto wait = [&]() -> Future<void> { co_await worker.ended(); };
        EXPECT_THROW(co_await timeout(wait(), 1ms), TimeoutError);
        const auto before = FramePool::live_count();
        for (int i = 0; i < 5; ++i) {
            EXPECT_THROW(co_await timeout(wait(), 1ms), TimeoutError);
        }
        EXPECT_EQ(FramePool::live_count(), before);
    });
}

TEST_F(Actors, are_drained_when_the_body_of_their_system_returns) {
    Diary diary;
    run([&](System& system) -> Future<void> {
        const auto worker = system.spawn<Worker>(&diary);
        EXPECT_TRUE(worker.send(Slow{1ms}));
        EXPECT_TRUE(worker.send(Work1{1}));
        co_return;
    });
    EXPECT_EQ(diary.handled.size(), 1u);
    EXPECT_EQ(diary.cancelled, 0);
    EXPECT_EQ(elapsed(), 1ms);
}

TEST_F(Actors, are_stopped_now_when_the_body_of_their_system_fails) {
    Diary diary;
    const auto fails = [&](System& system) -> Future<void> {
        const auto worker = system.spawn<Worker>(&diary);
        EXPECT_TRUE(worker.send(Slow{1s}));
        co_await sleep(1ms);
        throw std::runtime_error("the body");
    };
    EXPECT_THROW(run(fails), std::runtime_error);
    EXPECT_EQ(diary.cancelled, 1);
    EXPECT_EQ(diary.gone, 1);
}

TEST_F(Actors, stop_when_a_handler_fails_unless_told_otherwise) {
    Diary diary;
    run([&](System& system) -> Future<void> {
        const auto worker = system.spawn<Worker>(&diary);
        EXPECT_TRUE(worker.send(Crash{}));
        EXPECT_TRUE(worker.send(Work1{1}));
        co_await worker.ended();
        EXPECT_EQ(system.dead_letter_count(), 1u);
    });
    EXPECT_TRUE(diary.handled.empty());
}

TEST_F(Actors, that_resume_keep_their_state) {
    Diary diary;
    run([&](System& system) -> Future<void> {
        const auto worker = system.spawn_with<Worker>({.on_failure = OnFailure::resume}, &diary);
        EXPECT_TRUE(worker.send(Work1{1}));
        EXPECT_TRUE(worker.send(Crash{}));
        EXPECT_TRUE(worker.send(Work1{2}));
        EXPECT_EQ(co_await worker.ask(Count{}), 2);
    });
    EXPECT_EQ(diary.made, 1);
}

std::vector<std::string> log_lines;

TEST_F(Actors, tell_the_log_once_of_a_failure) {
    Diary diary;
    log_lines.clear();
    set_log_level(LogLevel::warn);
    set_log_sink([](LogLevel, std::string_view line) { log_lines.emplace_back(line); });
    run([&](System& system) -> Future<void> {
        const auto worker =
            system.spawn_with<Worker>({.name = "worker", .on_failure = OnFailure::resume}, &diary);
        EXPECT_TRUE(worker.send(CrashLater{1ms}));
        co_await sleep(2ms);
    });
    set_log_sink(nullptr);
    EXPECT_EQ(log_lines,
              (std::vector<std::string>{"actor 'worker' failed and goes on: crash later"}));
}

TEST_F(Actors, that_restart_begin_anew_and_keep_their_mailbox) {
    Diary diary;
    run([&](System& system) -> Future<void> {
        const auto worker = system.spawn_with<Worker>({.on_failure = OnFailure::restart}, &diary);
        EXPECT_TRUE(worker.send(Work1{1}));
        EXPECT_TRUE(worker.send(Slow{1s}));  // cancelled by the restart
        EXPECT_TRUE(worker.send(Crash{}));
        EXPECT_TRUE(worker.send(Work1{2}));
        EXPECT_TRUE(worker.send(Work1{3}));
        EXPECT_EQ(co_await worker.ask(Count{}), 2);
        EXPECT_EQ(worker.counts().restarts, 1u);
        EXPECT_EQ(system.dead_letter_count(), 0u);
    });
    EXPECT_EQ(diary.handled, (std::vector<int>{1, 2, 3}));
    EXPECT_EQ(diary.cancelled, 1);
    EXPECT_EQ(diary.made, 2);
    EXPECT_EQ(diary.gone, 2);
}

TEST_F(Actors, wait_longer_before_each_restart_and_stop_at_the_limit) {
    Diary diary;
    run([&](System& system) -> Future<void> {
        const ActorOptions options{
            .on_failure = OnFailure::restart,
            .restart = {.count_max = 3, .within = 1h, .back_off = 10ms, .back_off_max = 30ms}};
        const auto worker = system.spawn_with<Worker>(options, &diary);
        for (int i = 0; i < 4; ++i) EXPECT_TRUE(worker.send(Crash{}));
        EXPECT_TRUE(worker.send(Work1{1}));
        co_await worker.ended();
        EXPECT_EQ(system.dead_letter_count(), 1u);
    });
    EXPECT_EQ(elapsed(), 10ms + 20ms + 30ms);
    EXPECT_EQ(diary.made, 4);
}

TEST_F(Actors, forget_restarts_of_long_ago) {
    Diary diary;
    run([&](System& system) -> Future<void> {
        const ActorOptions options{.on_failure = OnFailure::restart,
                                   .restart = {.count_max = 1, .within = 1s}};
        const auto worker = system.spawn_with<Worker>(options, &diary);
        for (int i = 0; i < 5; ++i) {
            EXPECT_TRUE(worker.send(Crash{}));
            co_await sleep(2s);
        }
        EXPECT_FALSE(worker.is_ended());
    });
    EXPECT_EQ(diary.made, 6);
}

TEST_F(Actors, that_are_stopped_while_they_wait_for_a_restart_end) {
    Diary diary;
    run([&](System& system) -> Future<void> {
        const ActorOptions options{.on_failure = OnFailure::restart, .restart = {.back_off = 5ms}};
        const auto drained = system.spawn_with<Worker>(options, &diary);
        const auto stopped = system.spawn_with<Worker>(options, &diary);
        for (const auto& worker : {drained, stopped}) {
            EXPECT_TRUE(worker.send(Crash{}));
            EXPECT_TRUE(worker.send(Work1{1}));
        }
        co_await sleep(1ms);
        drained.stop();
        stopped.stop_now();
        co_await stopped.ended();
        EXPECT_EQ(system.dead_letter_count(), 1u);
        co_await drained.ended();
    });
    EXPECT_EQ(diary.handled, (std::vector<int>{1}));
    EXPECT_EQ(elapsed(), 5ms);
}

// ---- parents and children

struct SpawnChild {
    OnFailure on_failure;
};
class Parent : public Actor<Parent> {
public:
    explicit Parent(Diary* diary, Diary* of_children) : diary_(diary), of_children_(of_children) {
        ++diary_->made;
    }
    ~Parent() { ++diary_->gone; }
    Ref<Worker> handle(SpawnChild spawn) {
        return spawn_child_with<Worker>({.on_failure = spawn.on_failure}, of_children_);
    }
    void handle(Work1 work) { diary_->handled.push_back(work.number); }

private:
    Diary* diary_;
    Diary* of_children_;
};

TEST_F(Actors, end_after_their_children_have_drained) {
    Diary mine;
    Diary childs;
    run([&](System& system) -> Future<void> {
        const auto parent = system.spawn<Parent>(&mine, &childs);
        const auto child = co_await parent.ask(SpawnChild{OnFailure::stop});
        EXPECT_TRUE(child.send(Slow{3ms}));
        EXPECT_TRUE(child.send(Work1{1}));
        parent.stop();
        co_await parent.ended();
        EXPECT_TRUE(child.is_ended());
    });
    EXPECT_EQ(elapsed(), 3ms);
    EXPECT_EQ(childs.handled.size(), 1u);
    EXPECT_EQ(childs.cancelled, 0);
}

TEST_F(Actors, that_restart_end_their_children) {
    Diary mine;
    Diary childs;
    run([&](System& system) -> Future<void> {
        const auto parent =
            system.spawn_with<Parent>({.on_failure = OnFailure::restart}, &mine, &childs);
        const auto child = co_await parent.ask(SpawnChild{OnFailure::escalate});
        EXPECT_TRUE(child.send(Slow{1s}));
        EXPECT_TRUE(child.send(Crash{}));
        co_await child.ended();
        EXPECT_TRUE(parent.send(Work1{1}));
        co_await sleep(1ms);
        EXPECT_FALSE(parent.is_ended());
    });
    EXPECT_EQ(mine.made, 2);
    EXPECT_EQ(mine.handled.size(), 1u);
    EXPECT_EQ(childs.cancelled, 1);
}

TEST_F(Actors, that_escalate_without_a_parent_end_the_system) {
    Diary diary;
    const auto body = [&](System& system) -> Future<void> {
        const auto other = system.spawn<Worker>(&diary);
        EXPECT_TRUE(other.send(Slow{1h}));
        const auto worker = system.spawn_with<Worker>({.on_failure = OnFailure::escalate}, &diary);
        EXPECT_TRUE(worker.send(CrashLater{1ms}));
        co_await sleep(1h);
        ADD_FAILURE() << "the body goes on";
    };
    EXPECT_THROW(run(body), std::runtime_error);
    EXPECT_EQ(diary.gone, 2);
    EXPECT_LT(elapsed(), 1s);
}

TEST_F(Actors, are_found_by_name_until_they_end) {
    Diary diary;
    run([&](System& system) -> Future<void> {
        const auto worker = system.spawn_with<Worker>({.name = "db"}, &diary);
        EXPECT_EQ(*system.find<Worker>("db"), worker);
        EXPECT_FALSE(system.find<Parent>("db").has_value());
        EXPECT_FALSE(system.find<Worker>("other").has_value());
        EXPECT_THROW(static_cast<void>(system.spawn_with<Worker>({.name = "db"}, &diary)),
                     NameTaken);
        worker.stop();
        co_await worker.ended();
        EXPECT_FALSE(system.find<Worker>("db").has_value());
        static_cast<void>(system.spawn_with<Worker>({.name = "db"}, &diary));
    });
}

class Unmakable : public Actor<Unmakable> {
public:
    Unmakable() { throw std::runtime_error("cannot be made"); }
    void handle(Crash) {}
};

TEST_F(Actors, whose_constructor_throws_are_not_spawned) {
    run([](System& system) -> Future<void> {
        EXPECT_THROW(static_cast<void>(system.spawn_with<Unmakable>({.name = "x"})),
                     std::runtime_error);
        EXPECT_FALSE(system.find<Unmakable>("x").has_value());
        co_return;
    });
}

TEST_F(Actors, leave_references_that_outlive_the_system) {
    Diary diary;
    Ref<Worker> kept;
    frames_kept = 1;
    run([&](System& system) -> Future<void> {
        kept = system.spawn<Worker>(&diary);
        co_return;
    });
    EXPECT_TRUE(kept.is_ended());
    EXPECT_EQ(kept.send(Work1{1}).error().code(), actor_ended);
    kept.stop();
    kept = Ref<Worker>();
}

TEST_F(Actors, of_a_pool_share_the_work_and_survive_a_crash) {
    std::vector<Diary> diaries(3);
    run([&](System& system) -> Future<void> {
        std::size_t next = 0;
        auto pool = WorkerPool<Worker>::make(
            {.count = 3, .worker = {.name = "w", .on_failure = OnFailure::restart}},
            [&](ActorOptions options) {
                return system.spawn_with<Worker>(std::move(options), &diaries[next++]);
            });
        EXPECT_TRUE(system.find<Worker>("w 2").has_value());
        for (int i = 0; i < 9; ++i) EXPECT_TRUE(pool.next().send(Work1{i}));
        EXPECT_TRUE(pool.next().send(Crash{}));
        EXPECT_EQ(pool.of(std::string("key")), pool.of(std::string("key")));
        pool.workers()[1].stop();
        co_await pool.workers()[1].ended();
        for (int i = 0; i < 4; ++i) EXPECT_FALSE(pool.next().is_ended());
    });
    for (const Diary& diary : diaries) EXPECT_EQ(diary.handled.size(), 3u);
    EXPECT_EQ(diaries[0].made, 2);
}

TEST_F(Actors, of_a_pool_by_load_get_the_next_message_where_fewest_wait) {
    std::vector<Diary> diaries(2);
    run([&](System& system) -> Future<void> {
        auto pool = WorkerPool<Worker>::spawn(
            system, {.count = 2, .routing = Routing::least_loaded}, &diaries[0]);
        for (int i = 0; i < 5; ++i) EXPECT_TRUE(pool.workers()[0].send(Work1{i}));
        for (int i = 0; i < 4; ++i) EXPECT_EQ(pool.next(), pool.workers()[1]);
        co_return;
    });
}

}  // namespace
}  // namespace gyre::actor
