// SPDX-License-Identifier: Apache-2.0
#include "gyre/durable/internal/recorder.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "gyre/base/log.hpp"
#include "gyre/durable/error.hpp"
#include "gyre/durable/internal/times.hpp"
#include "gyre/task/combine/shield.hpp"
#include "gyre/task/core/sleep.hpp"

namespace gyre::durable {

namespace {

// One of the rows was refused: its run has another fence.
class Refused : public Failure {
public:
    Refused() : Failure("a row was refused") {}
};

}  // namespace

const char* Recorder::sql_of(What what) noexcept {
    switch (what) {
        case What::step:
            return "insert into gyre_steps (run, number, is_failure, at, body) "
                   "select $1, $3, $4, $5, $6 from gyre_runs "
                   "where id = $1 and fence = $2 and status = 0 on conflict do nothing";
        case What::begun:
            return "insert into gyre_begun (run, task, number, op, until) "
                   "select $1, $3, $4, $5, $6 from gyre_runs "
                   "where id = $1 and fence = $2 and status = 0 on conflict do nothing";
        case What::end:
            return "update gyre_runs set status = $3, owner = '', result = $4, error = $5, "
                   "message = $6, ended_at = $7, step_count = $8 "
                   "where id = $1 and fence = $2 and status = 0";
        case What::aside:
            break;
    }
    return "update gyre_runs set owner = '', wake_at = $3, fence = fence + 1, step_count = $5 "
           "where id = $1 and fence = $2 and status = 0 and news = $4";
}

void Recorder::add_step(RunPlace run, std::int64_t number, bool is_failure, db::Blob body,
                        effect::Reply kept) {
    Item item{.what = What::step, .values = {}};
    item.values.reserve(6);
    item.values.emplace_back(run.id);
    item.values.emplace_back(run.fence);
    item.values.emplace_back(number);
    item.values.emplace_back(is_failure ? 1 : 0);
    item.values.emplace_back(store_.now().micros);
    item.values.emplace_back(std::move(body));
    item.kept = std::move(kept);
    waiting_.push_back(std::move(item));
    has_waiting_.set();
}

Future<void> Recorder::add(Item item) {
    Promise<void> done;
    auto future = done.future();
    item.done = std::move(done);
    waiting_.push_back(std::move(item));
    has_waiting_.set();
    co_await future;
}

Future<void> Recorder::begin(RunPlace run, std::uint32_t task, std::int64_t number, std::string op,
                             std::int64_t until) {
    Item item{.what = What::begun,
              .values = {run.id, run.fence, task, number, std::move(op), until}};
    return add(std::move(item));
}

Future<void> Recorder::end(RunPlace run, std::string key, RunEnd how, std::int64_t step_count) {
    Item item{
        .what = What::end,
        .values = {run.id, run.fence, static_cast<std::int64_t>(how.status),
                   how.result ? db::Value(std::move(*how.result)) : db::Value(),
                   std::move(how.error), std::move(how.message), store_.now().micros, step_count}};
    item.key = std::move(key);
    item.parent = std::move(how.parent);
    item.cancels_children = how.has_children && how.status != RunStatus::done;
    return add(std::move(item));
}

Future<void> Recorder::put_aside(RunPlace run, std::string told, std::int64_t wake_at,
                                 std::int64_t news, std::int64_t step_count) {
    Item item{.what = What::aside, .values = {run.id, run.fence, wake_at, news, step_count}};
    item.key = std::move(told);
    return add(std::move(item));
}

Future<void> Recorder::work() {
    std::exception_ptr cancelled;
    std::vector<Item> items;
    while (!cancelled || !waiting_.empty()) {
        if (waiting_.empty()) {
            has_waiting_.reset();
            try {
                co_await has_waiting_.wait();
            } catch (const Cancelled&) {
                cancelled = std::current_exception();
                is_ending_ = true;
            }
            continue;
        }
        items.clear();
        std::swap(items, waiting_);
        // A commit that has begun is awaited: nobody would know whether it took effect.
        try {
            co_await shield(commit(items));
        } catch (const Cancelled&) {
            cancelled = std::current_exception();
            is_ending_ = true;
        }
    }
    std::rethrow_exception(cancelled);
}

// However long the database is away: its runs wait, and a worker that is gone for longer than its lease loses
// them to another one. Only a worker that stops gives up.
Future<void> Recorder::commit(std::vector<Item>& items) {
    constexpr int last_tries_max = 3;
    for (int tries = 1;; ++tries) {
        std::exception_ptr failure;
        try {
            co_await commit_in_time(items);
            co_return;
        } catch (const db::DbError& e) {
            failure = std::current_exception();
            if (!is_passing(e) || (is_ending_ && tries >= last_tries_max)) {
                for (Item& item : items) fail(item, failure);
                co_return;
            }
            if (tries == 1) log(LogLevel::warn, "durable runs wait for their store: %s", e.what());
        }
        co_await sleep(std::chrono::milliseconds(std::min(10 * tries, 1000)));
    }
}

// All rows in one transaction. If one is refused, each in its own.
Future<void> Recorder::commit_in_time(std::vector<Item>& items) {
    bool is_whole = true;
    try {
        observe(CommitPoint::before);
        auto body = [this, &items](db::Transaction& in) { return write_all(in, items); };
        co_await store_.pool().transaction(body);
        observe(CommitPoint::after);
    } catch (const Refused&) {
        is_whole = false;
    } catch (const db::DbError& e) {
        if (is_passing(e) || items.size() == 1) throw;
        is_whole = false;
    }
    for (Item& item : items) {
        if (is_whole) {
            keep(item);
        } else {
            co_await commit_one(item);
        }
    }
    items.clear();
}

// Nobody claims a run whose answers are being written: who claims it later finds them, and who has claimed it
// before has given it another fence. In one order, so that two transactions never wait for each other. SQLite has
// one writer at a time. A worker that is stopped in the middle loses the lock with its lease.
Future<void> Recorder::lock_runs(db::Transaction& in, std::span<const Item> items) const {
    if (!store_.pool().is_postgres()) co_return;
    db::Array ids;
    ids.reserve(items.size());
    for (const Item& item : items) ids.push_back(item.values[0]);
    const std::int64_t lease_millis = std::max<std::int64_t>(micros(lease_) / 1000, 1);
    db::Values values{std::move(ids), std::to_string(lease_millis)};
    static_cast<void>(co_await in.query_with(
        "select set_config('idle_in_transaction_session_timeout', $2, true) from "
        "(select id from gyre_runs where id = any(cast($1 as bigint[])) order by id "
        "for no key update) as locked",
        std::move(values)));
}

Future<void> Recorder::write_all(db::Transaction& in, std::vector<Item>& items) {
    co_await lock_runs(in, items);
    for (int kind = 0; kind < what_count; ++kind) {
        const auto what = static_cast<What>(kind);
        std::vector<db::Values> rows;
        for (const Item& item : items) {
            if (item.what == what) rows.push_back(item.values);
        }
        if (rows.empty()) continue;
        const std::size_t count = rows.size();
        const std::uint64_t written = co_await in.batch(sql_of(what), std::move(rows));
        if (written != count) throw Refused();
    }
    for (const Item& item : items) {
        co_await tell_others(in, item);
    }
}

Future<void> Recorder::tell_others(db::Transaction& in, const Item& item) {
    if (item.what == What::end) co_await tell_relatives(in, item);
    if (!item.key.empty()) co_await store_.tell(in, item.key);
}

// The end of a run is news of its parent; its children are cancelled if it has not done its work.
Future<void> Recorder::tell_relatives(db::Transaction& in, const Item& item) {
    const std::int64_t now = store_.now().micros;
    if (!item.parent.empty()) {
        co_await in.execute(
            "update gyre_runs set news = news + 1, "
            "wake_at = case when owner = '' and wake_at > $2 then $2 else wake_at end "
            "where key = $1 and status = 0",
            item.parent, now);
        co_await store_.tell(in, item.parent);
    }
    if (item.cancels_children) {
        const auto children = co_await in.list<std::string>(
            "update gyre_runs set news = news + 1, cancel_reason = 'its parent has ended', "
            "wake_at = case when owner = '' and wake_at > $2 then $2 else wake_at end "
            "where parent = $1 and parent <> '' and status = 0 and cancel_reason is null returning "
            "key",
            item.key, now);
        for (const std::string& child : children) co_await store_.tell(in, child);
    }
}

Future<void> Recorder::commit_one(Item& item) {
    std::exception_ptr failure;
    try {
        auto body = [this, &item](db::Transaction& in) -> Future<void> {
            co_await lock_runs(in, std::span(&item, 1));
            std::vector<db::Values> rows;
            rows.push_back(item.values);
            const std::uint64_t written = co_await in.batch(sql_of(item.what), std::move(rows));
            if (written != 1 && !co_await is_written(in, item)) throw Refused();
            if (written == 1) co_await tell_others(in, item);
        };
        observe(CommitPoint::before);
        co_await store_.pool().transaction(body);
        observe(CommitPoint::after);
    } catch (const Refused&) {
        failure = std::make_exception_ptr(
            DurableError(DurableError::Kind::taken_over,
                         "another worker has the run: this one was away for too long"));
    } catch (const db::DbError& e) {
        if (is_passing(e)) throw;
        failure = std::current_exception();
    }
    if (failure) {
        fail(item, failure);
    } else {
        keep(item);
    }
}

// A commit whose answer was lost may have taken effect: then the row is there, and the same.
Future<bool> Recorder::is_written(db::Transaction& in, const Item& item) {
    if (item.what == What::end) {
        const auto ended = co_await in.optional<std::int64_t>(
            "select status from gyre_runs where id = $1 and fence = $2", item.values[0],
            item.values[1]);
        co_return ended&& db::Value(*ended).to_text() == item.values[2].to_text();
    }
    if (item.what == What::step) {
        const auto body = co_await in.optional<db::Blob>(
            "select body from gyre_steps join gyre_runs on id = run "
            "where run = $1 and fence = $2 and number = $3",
            item.values[0], item.values[1], item.values[2]);
        co_return body && *body == std::get<db::Blob>(item.values[5].held());
    }
    if (item.what == What::begun) {
        co_return (co_await in.optional<std::int64_t>(
                       "select until from gyre_begun join gyre_runs on id = run "
                       "where run = $1 and fence = $2 and task = $3 and number = $4",
                       item.values[0], item.values[1], item.values[2], item.values[3]))
            .has_value();
    }
    co_return false;
}

void Recorder::keep(Item& item) {
    if (item.kept)
        static_cast<void>(std::exchange(item.kept, std::nullopt)->answer(effect::resume()));
    if (item.done) std::exchange(item.done, std::nullopt)->resolve();
}

void Recorder::fail(Item& item, const std::exception_ptr& failure) {
    if (item.kept) static_cast<void>(std::exchange(item.kept, std::nullopt)->fail(failure));
    if (item.done) std::exchange(item.done, std::nullopt)->reject(failure);
}

}  // namespace gyre::durable
