// SPDX-License-Identifier: Apache-2.0
// Durable runs on a file of SQLite, in virtual time: a process that ends is a worker that stops.
#include <gtest/gtest.h>

#include "gyre/durable/durable_world.test.hpp"

namespace gyre::durable {
namespace {

class DurableRun : public DurableWorld {};

Effectful<int> three_steps(int first) {
    int sum = 0;
    for (int i = 0; i < 3; ++i) sum += co_await perform(Work::step, first + i);
    co_return sum;
}

TEST_F(DurableRun, gives_its_result_and_keeps_its_history) {
    Process process(url());
    process.add("main", &three_steps);
    process.run([&]() -> Future<void> {
        EXPECT_TRUE(co_await process.store.start("a", "main", Arguments::of(1)));
        EXPECT_FALSE(co_await process.store.start("a", "main", Arguments::of(1)));
        const auto outcome = co_await process.store.result("a");
        EXPECT_EQ(outcome.value(), Value(60));
        const auto info = co_await process.store.info("a");
        EXPECT_EQ(info->status, RunStatus::done);
        EXPECT_EQ(info->result, Value(60));
        EXPECT_EQ(info->worker, "");
        const auto history = co_await process.store.history("a");
        EXPECT_EQ(history.size(), 3U);
        EXPECT_EQ(history.at(1).entry.op, "step");
        EXPECT_EQ(history.at(1).entry.arguments[0], Value(2));
        EXPECT_EQ(history.at(1).entry.value, Value(20));
    });
    EXPECT_EQ(process.worker.active_count(), 0U);
    EXPECT_EQ(process.calls, (std::map<int, int>{{1, 1}, {2, 1}, {3, 1}}));
}

Effectful<int> step_and_wait(int n) {
    const int first = co_await perform(Work::step, n);
    co_await perform(Durable::sleep, 7 * 24 * 3'600'000);
    co_return first + co_await perform(Work::step, n + 1);
}

TEST_F(DurableRun, goes_on_in_another_process_without_asking_again) {
    {
        Process process(url());
        process.add("main", &step_and_wait);
        process.run([&]() -> Future<void> {
            co_await process.store.start("a", "main", Arguments::of(1));
            co_await sleep(10s);
            EXPECT_EQ(process.worker.active_count(),
                      0U);  // It waits for a week, outside of the memory.
            const auto info = co_await process.store.info("a");
            EXPECT_EQ(info->status, RunStatus::open);
            EXPECT_TRUE(info->wakes_at.has_value());
        });
        EXPECT_EQ(process.calls, (std::map<int, int>{{1, 1}}));
    }
    Process process(url());
    process.add("main", &step_and_wait);
    process.run([&]() -> Future<void> {
        const Instant begin = process.world.app.now();
        EXPECT_EQ((co_await process.store.result("a")).value(), Value(30));
        // The clock of the test begins anew with each process.
        const Duration passed = process.world.app.now() - begin;
        EXPECT_GE(passed, std::chrono::hours(7 * 24) - 1min);
        EXPECT_LE(passed, std::chrono::hours(7 * 24) + 1min);
    });
    EXPECT_EQ(process.calls, (std::map<int, int>{{2, 1}}));
}

Effectful<Value> wait_for_two() {
    const Value first = co_await perform(Durable::signal, std::string("go"));
    const Value second = co_await perform(Durable::signal, std::string("go"));
    Value::List both;
    both.push_back(first);
    both.push_back(second);
    co_return Value(std::move(both));
}

TEST_F(DurableRun, takes_signals_in_their_order_and_each_once) {
    {
        Process process(url());
        process.add("main", &wait_for_two);
        process.run([&]() -> Future<void> {
            co_await process.store.start("a", "main");
            co_await sleep(10s);
            EXPECT_EQ(process.worker.active_count(), 0U);
            co_await process.store.signal("a", "other", 0);
            co_await process.store.signal("a", "go", "first");
            co_await sleep(10s);
        });
    }
    Process process(url());
    process.add("main", &wait_for_two);
    process.run([&]() -> Future<void> {
        co_await sleep(10s);
        co_await process.store.signal("a", "go", "second");
        const auto outcome = co_await process.store.result("a");
        EXPECT_EQ(outcome.value().to_text(), R"(["first", "second"])");
        co_return;
    });
}

TEST_F(DurableRun, is_cancelled_by_its_key) {
    Process process(url());
    process.add("main", &wait_for_two);
    process.run([&]() -> Future<void> {
        for (const Duration wait : {Duration(0), Duration(10s)}) {  // in memory, and put aside
            const std::string key = wait == Duration(0) ? "a" : "b";
            co_await process.store.start(key, "main");
            co_await sleep(100ms);
            co_await sleep(wait);
            co_await process.store.cancel(key, "not wanted");
            const auto outcome = co_await process.store.result(key);
            EXPECT_EQ(outcome.kind(), effect::RunEndKind::cancelled);
            EXPECT_EQ(std::string_view(outcome.reason().why), "not wanted");
        }
    });
}

Effectful<Value> parent_of_one(std::string fate) {
    EXPECT_TRUE(
        co_await perform(Durable::start, std::string("child"), std::string("child"), Value(fate)));
    if (fate == "fails") co_await perform(Work::other, 1);
    co_return co_await perform(Durable::result, std::string("child"));
}
Effectful<std::string> child_of_one(std::string fate) {
    if (fate == "waits") co_await perform(Durable::sleep, 3'600'000);
    if (fate == "is signalled" || fate == "fails") {
        co_await perform(Durable::signal, std::string("go"));
    }
    co_return "child " + fate;
}

TEST_F(DurableRun, awaits_its_children_and_ends_them) {
    Process process(url());
    process.handlers.on(Work::other, [](int) -> int { throw Failure("refused"); });
    process.add("main", &parent_of_one);
    process.add("child", &child_of_one);
    process.run([&]() -> Future<void> {
        co_await process.store.start("waiting", "main", Arguments::of("waits"));
        EXPECT_EQ((co_await process.store.result("waiting")).value(), Value("child waits"));
        EXPECT_EQ((co_await process.store.info("child"))->parent, "waiting");
        co_await process.store.remove_ended(db::Timestamp::future());
        co_await process.store.start("failing", "main", Arguments::of("fails"));
        EXPECT_EQ((co_await process.store.result("failing")).kind(), effect::RunEndKind::failed);
        const auto child = co_await process.store.result("child");
        EXPECT_EQ(child.kind(), effect::RunEndKind::cancelled);
    });
}

Effectful<int> other_steps(int n) {
    co_return co_await perform(Work::step, n + 5);
}
Effectful<int> no_wait(int n) {
    const int first = co_await perform(Work::step, n);
    co_return first + co_await perform(Work::other, n + 1);
}

TEST_F(DurableRun, of_changed_code_stops_with_the_first_difference) {
    {
        Process process(url());
        process.add("main", &step_and_wait);
        process.run([&]() -> Future<void> {
            co_await process.store.start("a", "main", Arguments::of(1));
            co_await sleep(10s);
        });
    }
    {
        Process process(url());
        process.add("main", &other_steps);
        process.run([&]() -> Future<void> {
            const auto outcome = co_await process.store.result("a");
            EXPECT_EQ(outcome.kind(), effect::RunEndKind::failed);
            EXPECT_EQ(outcome.error().kind, effect::ErrorKind::journal_mismatch);
            EXPECT_EQ(outcome.error().message,
                      "the journal has test::step(1), and the run asks for test::step(6)");
        });
        EXPECT_TRUE(process.calls.empty());
    }
    {
        Process process(url());  // What it waited for is another op now.
        process.handlers.on(Work::other, [](int n) { return n; });
        set_policy(process.handlers, Work::other.info, {.is_at_most_once = true});
        process.add("main", &no_wait);
        process.run([&]() -> Future<void> {
            co_await process.store.retry("a");
            const auto outcome = co_await process.store.result("a");
            EXPECT_EQ(outcome.error().message,
                      "the run had begun gyre.durable::sleep, and asks for test::other");
        });
    }
    Process process(url());  // With the code that fits it goes on.
    process.add("main", &step_and_wait);
    process.run([&]() -> Future<void> {
        co_await process.store.retry("a");
        EXPECT_EQ((co_await process.store.result("a")).value(), Value(30));
    });
}

TEST_F(DurableRun, of_a_version_waits_for_a_worker_with_it) {
    RunOptions pinned;
    pinned.version = "2";
    {
        Process process(url());
        process.add("main", &three_steps, "1");
        process.run([&]() -> Future<void> {
            co_await process.store.start("a", "main", Arguments::of(1), pinned);
            co_await sleep(10s);
            EXPECT_EQ((co_await process.store.info("a"))->status, RunStatus::open);
        });
        EXPECT_TRUE(process.calls.empty());
    }
    Process process(url());
    process.add("main", &three_steps, "2");
    process.run([&]() -> Future<void> {
        EXPECT_EQ((co_await process.store.result("a")).value(), Value(60));
    });
}

Effectful<int> call_other() {
    co_return co_await perform(Work::other, 7);
}

TEST_F(DurableRun, that_failed_is_retried_where_it_failed) {
    Process process(url());
    bool is_up = false;
    process.handlers.on(Work::other, [&](int n) -> int {
        if (!is_up) throw Failure("down");
        return n;
    });
    process.add("main", &call_other);
    process.run([&]() -> Future<void> {
        co_await process.store.start("a", "main");
        EXPECT_EQ((co_await process.store.result("a")).error().message, "down");
        is_up = true;
        co_await process.store.retry("a");
        EXPECT_EQ((co_await process.store.result("a")).value(), Value(7));
        try {
            co_await process.store.retry("a");
            ADD_FAILURE() << "a run that is done was retried";
        } catch (const DurableError& e) {
            EXPECT_EQ(e.kind(), DurableError::Kind::not_retryable);
        }
    });
}

TEST_F(DurableRun, tries_an_op_again_with_a_longer_pause_each_time) {
    Process process(url());
    std::vector<Instant> tries;
    process.handlers.on(Work::other, [&](int n) -> int {
        tries.push_back(process.world.app.now());
        if (tries.size() < 4) throw Failure("down");
        return n;
    });
    set_policy(process.handlers, Work::other.info,
               {.tries_max = 5, .back_off = 1s, .back_off_max = 3s});
    process.add("main", &call_other);
    process.run([&]() -> Future<void> {
        co_await process.store.start("a", "main");
        EXPECT_EQ((co_await process.store.result("a")).value(), Value(7));
    });
    ASSERT_EQ(tries.size(), 4U);
    EXPECT_EQ(tries[1] - tries[0], Duration(1s));
    EXPECT_EQ(tries[2] - tries[1], Duration(2s));
    EXPECT_EQ(tries[3] - tries[2], Duration(3s));
}

TEST_F(DurableRun, of_an_unknown_key_is_an_error_that_names_it) {
    Process process(url());
    process.run([&]() -> Future<void> {
        for (int call = 0; call < 4; ++call) {
            std::string message;
            try {
                if (call == 0) static_cast<void>(co_await process.store.result("a"));
                if (call == 1) co_await process.store.signal("a", "go");
                if (call == 2) co_await process.store.cancel("a", "why");
                if (call == 3) co_await process.store.retry("a");
            } catch (const DurableError& e) {
                EXPECT_EQ(e.kind(), DurableError::Kind::no_such_run);
                message = e.what();
            }
            EXPECT_EQ(message, "there is no run 'a'");
        }
    });
}

TEST_F(DurableRun, with_too_large_a_payload_is_refused) {
    StoreOptions options;
    options.payload_bytes_max = 100;
    Process process(url(), {}, options);
    process.handlers.on(
        "test", "large", effect::any_signature,
        [](effect::Context&, const Arguments&) { return effect::resume(std::string(200, 'x')); });
    static constexpr effect::ResumeOp<std::string()> large{"test", "large"};
    process.add("main", []() -> Effectful<std::string> { co_return co_await perform(large); });
    process.run([&]() -> Future<void> {
        for (int call = 0; call < 2; ++call) {
            DurableError::Kind kind = DurableError::Kind::damaged;
            try {
                if (call == 0) {
                    co_await process.store.start("b", "main", Arguments::of(std::string(200, 'x')));
                } else {
                    co_await process.store.start("a", "main");
                    co_await process.store.signal("a", "go", std::string(200, 'x'));
                }
            } catch (const DurableError& e) {
                kind = e.kind();
            }
            EXPECT_EQ(kind, DurableError::Kind::limit);
        }
        const auto outcome = co_await process.store.result("a");
        EXPECT_EQ(outcome.kind(), effect::RunEndKind::failed);
        EXPECT_NE(outcome.error().message.find("payload_bytes_max"), std::string::npos);
    });
}

TEST_F(DurableRun, that_was_taken_over_leaves_no_trace_of_its_old_worker) {
    Process process(url());
    process.on_step = [&](int n) {
        if (n != 2) return;
        // As another worker does when the lease of this one is over.
        process.world.app.root().spawn([&]() -> Future<void> {
            co_await process.store.pool().execute(
                "update gyre_runs set fence = fence + 1, owner = 'another'");
        });
    };
    process.handlers.on(Work::other, [](int n) -> Future<int> {
        co_await sleep(1s);
        co_return n;
    });
    process.add("main", [](int n) -> Effectful<int> {
        co_await perform(Work::step, n);
        co_await perform(Work::step, n + 1);
        co_return co_await perform(Work::other, n);
    });
    process.run([&]() -> Future<void> {
        co_await process.store.start("a", "main", Arguments::of(1));
        co_await sleep(10s);
        EXPECT_EQ(process.worker.active_count(), 0U);
        const auto info = co_await process.store.info("a");
        EXPECT_EQ(info->status, RunStatus::open);
        EXPECT_EQ(info->worker, "another");
        const auto history = co_await process.store.history("a");
        EXPECT_LE(history.size(), 2U);
    });
}

TEST_F(DurableRun, is_not_put_aside_while_it_has_news_of_another_process) {
    Process process(url());
    process.add("main", &wait_for_two);
    process.run([&]() -> Future<void> {
        Store other(process.world.app, url());
        co_await process.store.start("a", "main");
        co_await sleep(500ms);
        co_await other.signal("a", "go", 1);
        co_await other.signal("a", "go", 2);
        EXPECT_EQ(process.worker.active_count(), 1U);
        co_await sleep(10s);
        EXPECT_EQ((co_await process.store.info("a"))->status, RunStatus::done);
    });
}

TEST_F(DurableRun, repeats_no_op_that_runs_at_most_once) {
    int calls = 0;
    const auto add_to = [&calls](Process& process) {
        process.handlers.on(Work::other, [&calls](int n) -> Future<int> {
            ++calls;
            co_await sleep(1h);
            co_return n;
        });
        set_policy(process.handlers, Work::other.info, {.is_at_most_once = true});
        process.add("main", &call_other);
    };
    {
        Process process(url());
        add_to(process);
        process.run([&]() -> Future<void> {
            co_await process.store.start("a", "main");
            co_await sleep(10s);
        });
        EXPECT_EQ(calls, 1);
    }
    Process process(url());
    add_to(process);
    process.run([&]() -> Future<void> {
        const auto outcome = co_await process.store.result("a");
        EXPECT_EQ(outcome.kind(), effect::RunEndKind::failed);
        EXPECT_EQ(
            outcome.error().message,
            "the process ended while a/1/0 ran, which runs at most once: nobody knows how far "
            "it came");
    });
    EXPECT_EQ(calls, 1);
}

TEST_F(DurableRun, whose_journal_was_cut_or_changed_stops) {
    const std::vector<std::pair<std::string, std::string>> damages = {
        {"update gyre_steps set body = (select body from gyre_steps where number = 1) "
         "where number = 0",
         "the store holds bytes that are no entry: the checksum is wrong"},
        {"delete from gyre_steps where number = 0",
         "answer 0 is missing from the store, and 1 is there"},
        {"delete from gyre_steps where number = 2",
         "the store has 2 answers of 3 that were recorded"},
        {"update gyre_runs set arguments = x'0205'",
         "the store holds bytes that are no entry: their format is unknown"}};
    for (const auto& [change, message] : damages) {
        const auto three_then_wait = [](int n) -> Effectful<int> {
            for (int i = 0; i < 3; ++i) co_await perform(Work::step, n + i);
            co_await perform(Durable::sleep, 3'600'000);
            co_return n;
        };
        {
            Process process(url());
            process.add("main", three_then_wait);
            process.run([&]() -> Future<void> {
                co_await process.store.start("a", "main", Arguments::of(1));
                co_await sleep(10s);
                co_await process.store.pool().execute(change);
            });
        }
        Process process(url());
        process.add("main", three_then_wait);
        process.run([&]() -> Future<void> {
            const auto outcome = co_await process.store.result("a");
            EXPECT_EQ(outcome.kind(), effect::RunEndKind::failed) << change;
            EXPECT_EQ(outcome.error().message, message);
            co_await process.store.remove_ended(db::Timestamp::future());
            EXPECT_FALSE((co_await process.store.info("a")).has_value());
        });
        EXPECT_TRUE(process.calls.empty());
    }
}

TEST_F(DurableRun, goes_on_elsewhere_when_the_loop_of_its_worker_closes) {
    {
        Process process(url());
        process.add("main", &wait_for_two);
        auto handle = process.world.app.root().spawn([&]() -> Future<void> {
            co_await process.store.open();
            co_await process.store.start("a", "main");
            auto stop = [&]() -> Future<void> {
                co_await sleep(100ms);
                process.world.loop.stop();
            };
            auto both = [&](Scope& scope) -> Future<void> {
                scope.spawn(stop);
                co_await process.worker.run();
            };
            co_await with_scope(both);
        });
        static_cast<void>(process.world.loop.run());
        EXPECT_EQ(process.worker.active_count(), 1U);
        process.world.loop.close();
        EXPECT_EQ(process.worker.active_count(), 0U);
    }
    Process process(url());
    process.run([&]() -> Future<void> {
        EXPECT_EQ((co_await process.store.info("a"))->status, RunStatus::open);
    });
}

}  // namespace
}  // namespace gyre::durable
