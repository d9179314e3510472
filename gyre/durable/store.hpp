// SPDX-License-Identifier: Apache-2.0
// Store: durable runs, kept in a database by their keys: start one, give it a signal, ask for its result,
// cancel it. A Worker runs them (gyre/durable/worker.hpp), in this process or in others.
//
//     durable::Store store(executor, "sqlite:runs.db");
//     co_await store.open();
//     co_await store.start("order-7", "checkout", effect::Arguments::of("Ada", 3));
//     effect::RunOutcome<effect::Value> outcome = co_await store.result("order-7");
//
// Thread: one loop's thread.
// Lifetime: the executor outlives it; it outlives its workers and the futures of its members.
// Cancel: what a call writes takes effect as a whole, or not at all.
//
// Every call but `open` needs the tables that `open` makes: their names begin with gyre_.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gyre/db/pool.hpp"
#include "gyre/durable/error.hpp"
#include "gyre/durable/run_info.hpp"
#include "gyre/effect/run_outcome.hpp"
#include "gyre/effect/value.hpp"
#include "gyre/task/sync/event.hpp"

namespace gyre::durable {

struct StoreOptions {
    db::PoolOptions pool = {};
    // How often other processes are looked at, where the database does not tell: SQLite.
    Duration poll_every = std::chrono::seconds(1);
    // The arguments of a run, a signal, a result: more is a DurableError (limit).
    std::size_t payload_bytes_max = std::size_t{1} << 20U;
    // Instead of the clock of the database, for tests.
    std::function<db::Timestamp()> wall_time = {};
};

// Not an aggregate: g++ 12 destroys one twice inside of a co_await.
struct RunOptions {
    RunOptions() noexcept = default;

    std::string queue = "default";
    // Only a worker with this version of the entry takes it; empty: any.
    std::string version;
    std::string parent;                 // the key of the run that it is a child of
    Duration delay = Duration::zero();  // before it is begun
};

struct ListOptions {
    ListOptions() noexcept = default;

    std::optional<RunStatus> status;
    std::string queue;  // empty: all
    std::size_t count_max = 1000;
};

// Is told of changes of a run by this process.
class RunWatcher {
public:
    virtual void on_news(std::string_view key) noexcept = 0;
    // Of a schedule, or of the limits of a queue.
    virtual void on_settings() noexcept {}

protected:
    ~RunWatcher() = default;
};

class Store {
public:
    Store(Executor& executor, std::string_view url, StoreOptions options = {});
    // With a driver of one's own, for tests.
    Store(Executor& executor, std::unique_ptr<db::Driver> driver, StoreOptions options);
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    // Makes the tables, or brings them up to date.
    [[nodiscard]] Future<void> open();

    // False: there is a run of that key already, which goes on.
    [[nodiscard]] Future<bool> start(std::string key, std::string entry,
                                     effect::Arguments arguments = {}, RunOptions options = {});
    // Waits for its end, in whatever process.
    [[nodiscard]] Future<effect::RunOutcome<effect::Value>> result(std::string key);
    // The n-th signal of a name answers the n-th wait for that name.
    [[nodiscard]] Future<void> signal(std::string key, std::string name, effect::Value value = {});
    // The run ends as cancelled as soon as a worker has seen it, and its children too.
    [[nodiscard]] Future<void> cancel(std::string key, std::string reason);
    // A run that failed is begun again where it failed: the last failure of an op is forgotten.
    [[nodiscard]] Future<void> retry(std::string key);

    [[nodiscard]] Future<std::optional<RunInfo>> info(std::string key);
    // The newest first.
    [[nodiscard]] Future<std::vector<RunInfo>> list(ListOptions options = {});
    // The recorded answers, in their order.
    [[nodiscard]] Future<std::vector<HistoryStep>> history(std::string key);
    // Forgets the runs that ended before then, at most so many. Gives their number.
    [[nodiscard]] Future<std::size_t> remove_ended(db::Timestamp before,
                                                   std::size_t count_max = 1000);

    // The time of the database, which all workers share, as of the last `sync_clock`. A simulated platform
    // has a time of its own.
    [[nodiscard]] db::Timestamp now() const;
    [[nodiscard]] Future<void> sync_clock();
    [[nodiscard]] db::Pool& pool() noexcept { return pool_; }
    [[nodiscard]] const StoreOptions& options() const noexcept { return options_; }

    // Of the run of a key, or of all with an empty one. Removed before it goes.
    void add_watcher(std::string key, RunWatcher& watcher);
    void remove_watcher(std::string_view key, const RunWatcher& watcher) noexcept;
    // Tells the watchers of this process; other processes hear of it from the database.
    void announce(std::string_view key) noexcept;
    // Part of a transaction: the workers of other processes hear of it at the commit.
    [[nodiscard]] Future<void> tell(db::Statements& in, const std::string& key);
    // The same for schedules and the limits of queues.
    void announce_settings() noexcept;
    [[nodiscard]] Future<void> tell_settings(db::Statements& in);

    // The time, fetched anew if that was long ago: for programs without a worker, which fetches it by itself.
    [[nodiscard]] Future<std::int64_t> time();

private:
    Executor& executor_;
    const StoreOptions options_;
    db::Pool pool_;
    std::optional<Instant> synced_at_;
    std::int64_t clock_offset_ = 0;  // of the database's clock, in microseconds, to the loop's
    std::unordered_multimap<std::string, RunWatcher*> watchers_;
};

}  // namespace gyre::durable
