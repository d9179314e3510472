// SPDX-License-Identifier: Apache-2.0
#include "gyre/durable/store.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "gyre/durable/internal/entry_bytes.hpp"
#include "gyre/durable/internal/new_run.hpp"
#include "gyre/durable/internal/payload.hpp"
#include "gyre/durable/internal/schema.hpp"
#include "gyre/durable/internal/times.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/task/core/executor.hpp"

namespace gyre::durable {

namespace {

constexpr const char* run_columns =
    "select key, entry, version, queue, parent, status, wake_at, owner, created_at, ended_at, "
    "result, error, message from gyre_runs ";

[[noreturn]] void no_such_run(const std::string& key) {
    throw DurableError(DurableError::Kind::no_such_run, "there is no run '" + key + "'");
}

RunInfo info_of(const db::Row row) {
    RunInfo info;
    info.key = row.get<std::string>(0);
    info.entry = row.get<std::string>(1);
    info.version = row.get<std::string>(2);
    info.queue = row.get<std::string>(3);
    info.parent = row.get<std::string>(4);
    const auto status = row.get<std::int64_t>(5);
    if (status < 0 || status > static_cast<std::int64_t>(RunStatus::cancelled)) {
        throw DurableError(DurableError::Kind::damaged,
                           "run '" + info.key + "' has an unknown status");
    }
    info.status = static_cast<RunStatus>(status);
    const auto wakes_at = row.get<std::int64_t>(6);
    if (info.status == RunStatus::open && wakes_at != never) info.wakes_at = {wakes_at};
    info.worker = row.get<std::string>(7);
    info.created_at = {row.get<std::int64_t>(8)};
    if (const auto ended = row.get<std::optional<std::int64_t>>(9)) info.ended_at = {*ended};
    if (!row.is_null(10)) info.result = value_from(row.get<db::Blob>(10));
    info.error = row.get<std::string>(11);
    info.message = row.get<std::string>(12);
    return info;
}

effect::ErrorKind error_kind(const std::string& name) noexcept {
    for (int kind = 0; kind <= static_cast<int>(effect::ErrorKind::panic); ++kind) {
        const auto found = static_cast<effect::ErrorKind>(kind);
        if (name == effect::name_of(found)) return found;
    }
    return effect::ErrorKind::guest_failed;
}

effect::RunOutcome<effect::Value> outcome_of(RunInfo info) {
    switch (info.status) {
        case RunStatus::failed:
            return effect::RunOutcome<effect::Value>(effect::RunError{
                .kind = error_kind(info.error), .message = info.message, .cause = nullptr});
        case RunStatus::cancelled:
            return effect::RunOutcome<effect::Value>(CancelReason(info.message));
        case RunStatus::open:
        case RunStatus::done:
            break;
    }
    return effect::RunOutcome<effect::Value>(std::move(info.result));
}

// Wakes the task that waits for the news of one run.
class Waiter final : public RunWatcher {
public:
    Waiter(Store& store, std::string key) : store_(store), key_(std::move(key)) {
        store_.add_watcher(key_, *this);
    }
    ~Waiter() { store_.remove_watcher(key_, *this); }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

    void on_news(std::string_view /*key*/) noexcept override { news_.set(); }
    [[nodiscard]] Future<void> wait(Duration at_most) {
        co_await wait_at_most(news_, at_most);  // News of another process may have come unheard.
        news_.reset();
    }

private:
    Store& store_;
    const std::string key_;
    Event news_;
};

}  // namespace

Store::Store(Executor& executor, std::string_view url, StoreOptions options)
    : executor_(executor), options_(std::move(options)), pool_(url, options_.pool) {}

Store::Store(Executor& executor, std::unique_ptr<db::Driver> driver, StoreOptions options)
    : executor_(executor), options_(std::move(options)), pool_(std::move(driver), options_.pool) {}

Future<void> Store::open() {
    co_await make_tables(pool_);
    co_await sync_clock();
}

db::Timestamp Store::now() const {
    if (options_.wall_time) return options_.wall_time();
    return {static_cast<std::int64_t>(executor_.now().nanoseconds() / 1000) + clock_offset_};
}

Future<void> Store::sync_clock() {
    synced_at_ = executor_.now();
    if (options_.wall_time) co_return;
    if (executor_.loop().platform().is_simulated()) {
        constexpr std::int64_t begin_of_2026 = 1'767'225'600'000'000;
        clock_offset_ = begin_of_2026;
        co_return;
    }
    const auto time = co_await pool_.one<std::int64_t>(
        pool_.is_postgres()
            ? "select cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)"
            : "select cast((julianday('now') - 2440587.5) * 86400000000 as integer)");
    clock_offset_ = time - static_cast<std::int64_t>(executor_.now().nanoseconds() / 1000);
}

Future<std::int64_t> Store::time() {
    const bool is_old = !synced_at_ || executor_.now() - *synced_at_ > std::chrono::minutes(1);
    if (is_old) co_await sync_clock();
    co_return now().micros;
}

void Store::add_watcher(std::string key, RunWatcher& watcher) {
    watchers_.emplace(std::move(key), &watcher);
}

void Store::remove_watcher(std::string_view key, const RunWatcher& watcher) noexcept {
    const auto [begin, end] = watchers_.equal_range(std::string(key));
    const auto found =
        std::find_if(begin, end, [&](const auto& entry) { return entry.second == &watcher; });
    if (found != end) watchers_.erase(found);
}

void Store::announce(std::string_view key) noexcept {
    for (const std::string& of : {std::string(key), std::string()}) {
        const auto [begin, end] = watchers_.equal_range(of);
        std::for_each(begin, end, [key](const auto& entry) { entry.second->on_news(key); });
    }
}

void Store::announce_settings() noexcept {
    const auto [begin, end] = watchers_.equal_range(std::string());
    std::for_each(begin, end, [](const auto& entry) { entry.second->on_settings(); });
}

Future<void> Store::tell_settings(db::Statements& in) {
    if (!pool_.is_postgres()) co_return;
    co_await in.execute("select pg_notify('gyre_settings', '')");
}

Future<void> Store::tell(db::Statements& in, const std::string& key) {
    if (!pool_.is_postgres()) co_return;
    co_await in.execute("select pg_notify('gyre_runs', $1)", key);
}

Future<bool> Store::start(std::string key, std::string entry, effect::Arguments arguments,
                          RunOptions options) {
    const db::Blob bytes = bytes_of(arguments);
    check_payload(options_, bytes.size(), "the arguments of a run");
    const std::int64_t at = co_await time();
    const NewRun run{.key = key,
                     .queue = std::move(options.queue),
                     .entry = std::move(entry),
                     .version = std::move(options.version),
                     .parent = std::move(options.parent),
                     .arguments = bytes,
                     .wake_at = at + micros(options.delay),
                     .created_at = at};
    bool is_new = false;
    auto body = [&](db::Transaction& in) -> Future<void> {
        is_new = co_await insert_run(*this, in, run);
    };
    co_await pool_.transaction(body);
    if (is_new) announce(key);
    co_return is_new;
}

Future<std::optional<RunInfo>> Store::info(std::string key) {
    const db::Rows rows = co_await pool_.query(std::string(run_columns) + "where key = $1", key);
    if (rows.empty()) co_return std::nullopt;
    co_return info_of(rows[0]);
}

Future<effect::RunOutcome<effect::Value>> Store::result(std::string key) {
    Waiter waiter(*this, key);
    for (;;) {
        std::optional<RunInfo> found = co_await info(key);
        if (!found) no_such_run(key);
        if (found->status != RunStatus::open) co_return outcome_of(std::move(*found));
        co_await waiter.wait(options_.poll_every);
    }
}

namespace {

// Why a change of an open run found none.
Future<void> refuse(db::Transaction& in, const std::string& key) {
    const auto status =
        co_await in.optional<std::int64_t>("select status from gyre_runs where key = $1", key);
    if (!status) no_such_run(key);
    throw DurableError(DurableError::Kind::has_ended, "run '" + key + "' has ended");
}

struct News {
    std::int64_t id;
    std::int64_t number;
};

}  // namespace

Future<void> Store::signal(std::string key, std::string name, effect::Value value) {
    const db::Blob bytes = bytes_of(value);
    check_payload(options_, bytes.size(), "a signal");
    const std::int64_t at = co_await time();
    auto body = [&](db::Transaction& in) -> Future<void> {
        const auto news = co_await in.optional<News>(
            "update gyre_runs set news = news + 1, "
            "wake_at = case when owner = '' and wake_at > $2 then $2 else wake_at end "
            "where key = $1 and status = 0 returning id, news",
            key, at);
        if (!news) co_await refuse(in, key);
        co_await in.execute("insert into gyre_signals values ($1, $2, $3, $4)", news->id,
                            news->number, name, bytes);
        co_await tell(in, key);
    };
    co_await pool_.transaction(body);
    announce(key);
}

Future<void> Store::cancel(std::string key, std::string reason) {
    const std::int64_t at = co_await time();
    auto body = [&](db::Transaction& in) -> Future<void> {
        const std::uint64_t changed = co_await in.execute(
            "update gyre_runs set news = news + 1, cancel_reason = coalesce(cancel_reason, $3), "
            "wake_at = case when owner = '' and wake_at > $2 then $2 else wake_at end "
            "where key = $1 and status = 0",
            key, at, reason);
        if (changed == 0) co_await refuse(in, key);
        co_await tell(in, key);
    };
    co_await pool_.transaction(body);
    announce(key);
}

Future<void> Store::retry(std::string key) {
    const std::int64_t at = co_await time();
    auto body = [&](db::Transaction& in) -> Future<void> {
        const auto id = co_await in.optional<std::int64_t>(
            "update gyre_runs set status = 0, wake_at = $2, owner = '', fence = fence + 1, error = "
            "'', "
            "message = '', ended_at = null, step_count = 0 where key = $1 and status = 2 returning "
            "id",
            key, at);
        if (!id) {
            const auto status = co_await in.optional<std::int64_t>(
                "select status from gyre_runs where key = $1", key);
            if (!status) no_such_run(key);
            throw DurableError(
                DurableError::Kind::not_retryable,
                "run '" + key + "' is not failed, but " + name_of(static_cast<RunStatus>(*status)));
        }
        co_await in.execute(
            "delete from gyre_steps where run = $1 and is_failure = 1 and number = "
            "(select max(number) from gyre_steps where run = $1)",
            *id);
        co_await tell(in, key);
    };
    co_await pool_.transaction(body);
    announce(key);
}

Future<std::vector<RunInfo>> Store::list(ListOptions options) {
    const std::optional<std::int64_t> status =
        options.status ? std::optional<std::int64_t>(static_cast<std::int64_t>(*options.status))
                       : std::nullopt;
    const db::Rows rows = co_await pool_.query(
        std::string(run_columns) +
            "where ($1 = -1 or status = $1) and ($2 = '' or queue = $2) order by id desc limit $3",
        status.value_or(-1), options.queue, options.count_max);
    std::vector<RunInfo> runs;
    for (const db::Row row : rows) runs.push_back(info_of(row));
    co_return runs;
}

Future<std::vector<HistoryStep>> Store::history(std::string key) {
    const auto id =
        co_await pool_.optional<std::int64_t>("select id from gyre_runs where key = $1", key);
    if (!id) no_such_run(key);
    const db::Rows rows = co_await pool_.query(
        "select number, at, body from gyre_steps where run = $1 order by number", *id);
    std::vector<HistoryStep> steps;
    for (const db::Row row : rows) {
        HistoryStep step;
        step.number = row.get<std::int64_t>(0);
        step.at = {row.get<std::int64_t>(1)};
        step.entry = entry_from(row.get<db::Blob>(2), *id, step.number);
        steps.push_back(std::move(step));
    }
    co_return steps;
}

Future<std::size_t> Store::remove_ended(db::Timestamp before, std::size_t count_max) {
    std::size_t count = 0;
    auto body = [&](db::Transaction& in) -> Future<void> {
        const auto ids = co_await in.list<std::int64_t>(
            "select id from gyre_runs where status <> 0 and ended_at < $1 order by ended_at limit "
            "$2",
            before.micros, count_max);
        std::vector<db::Values> each;
        for (const std::int64_t id : ids) each.push_back({id});
        count = each.size();
        if (each.empty()) co_return;
        co_await in.batch("delete from gyre_steps where run = $1", each);
        co_await in.batch("delete from gyre_begun where run = $1", each);
        co_await in.batch("delete from gyre_signals where run = $1", each);
        co_await in.batch("delete from gyre_runs where id = $1", each);
    };
    co_await pool_.transaction(body);
    co_return count;
}

}  // namespace gyre::durable
