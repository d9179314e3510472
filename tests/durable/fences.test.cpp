// SPDX-License-Identifier: Apache-2.0
// A worker on PostgreSQL that is seen in the middle of a commit: nobody else can take its runs then, and it cannot keep
// them from others for longer than its lease.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "gyre/db/pool.hpp"
#include "gyre/durable/ops.hpp"
#include "gyre/durable/store.hpp"
#include "gyre/durable/worker.hpp"
#include "gyre/effect/coroutine_guest.hpp"
#include "gyre/gyre.hpp"
#include "tests/db/scratch_server.hpp"

namespace gyre::durable {
namespace {

using namespace std::chrono_literals;

constexpr effect::ResumeOp<int(int)> doubled{"test.fences", "doubled"};

effect::Effectful<int> ask(int number) {
    co_return co_await effect::perform(doubled, number);
}

// An answer that is being recorded waits for the lock 4711, and tells what its transaction may take.
constexpr const char* hold_answers = R"(
create table answers_seen (time_max text not null);
create function hold_answer() returns trigger language plpgsql as $$ begin
    insert into answers_seen values (current_setting('idle_in_transaction_session_timeout'));
    perform pg_advisory_xact_lock(4711);
    return new;
end $$;
create trigger hold_answer before insert on gyre_steps for each row execute function hold_answer();
select pg_advisory_lock(4711);
)";
constexpr const char* let_go = R"(
drop trigger hold_answer on gyre_steps;
drop function hold_answer;
drop table answers_seen;
)";

Future<void> wait_for_held_answer(db::Pool& other) {
    for (;;) {
        const auto waiting = co_await other.one<std::int64_t>(
            "select count(*) from pg_locks where locktype = 'advisory' and objid = 4711 "
            "and not granted");
        if (waiting == 1) co_return;
        co_await sleep(5ms);
    }
}

Future<void> look_into_a_commit(Scope& root) {
    const std::string url = test::ScratchServer::instance().url();
    effect::Scheduler scheduler(root.executor());
    Store store(root.executor(), url);
    co_await store.open();
    effect::CoroutineGuest guest;
    guest.add("ask", &ask);
    effect::Handlers handlers;
    handlers.on(doubled, [](int number) { return 2 * number; });
    WorkerOptions options;
    options.lease = 7s;
    Worker worker(scheduler, store, options);
    worker.add("ask", guest, handlers);
    db::Pool other(url);
    db::Connection holder = co_await other.acquire();
    co_await holder.script(hold_answers);

    auto body = [&](Scope& scope) -> Future<void> {
        auto working = scope.spawn([&]() { return worker.run(); });
        co_await store.start("fenced", "ask", effect::Arguments::of(21));
        co_await wait_for_held_answer(other);
        const db::Rows free = co_await other.query(
            "select id from gyre_runs where key = 'fenced' for update skip locked");
        EXPECT_TRUE(free.empty())
            << "another worker could claim the run while its answer is written";
        co_await holder.script("select pg_advisory_unlock(4711)");
        const auto outcome = co_await store.result("fenced");
        EXPECT_TRUE(outcome.has_value());
        if (outcome.has_value()) {
            EXPECT_EQ(outcome.value().to_text(), "42");
        }
        const auto time_max = co_await other.one<std::string>("select time_max from answers_seen");
        EXPECT_EQ(time_max, "7s") << "a worker that is stopped in a commit keeps the lock for good";
        working.cancel("the test is over");
    };
    co_await with_scope(body);
    co_await holder.script(let_go);
}

TEST(DurableFences, no_other_worker_takes_a_run_in_the_middle_of_a_commit) {
    GYRE_NEEDS_POSTGRES();
    EXPECT_EQ(run(&look_into_a_commit), 0);
}

}  // namespace
}  // namespace gyre::durable
