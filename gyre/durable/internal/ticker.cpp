// SPDX-License-Identifier: Apache-2.0
#include "gyre/durable/internal/ticker.hpp"

#include <algorithm>
#include <chrono>

#include "gyre/base/log.hpp"
#include "gyre/durable/error.hpp"
#include "gyre/durable/internal/new_run.hpp"
#include "gyre/durable/internal/times.hpp"

namespace gyre::durable {

namespace {

// Schedules that are moved on in one transaction.
constexpr std::size_t due_count_max = 64;

// "report@2026-11-19T03:30Z"
std::string key_of(const std::string& name, db::Timestamp tick) {
    constexpr std::size_t to_the_minute = 16;
    std::string time = tick.to_string().substr(0, to_the_minute);
    std::ranges::replace(time, ' ', 'T');
    return name + "@" + time + "Z";
}

struct Due {
    explicit Due(const db::Row row)
        : name(row.get<std::string>(0)),
          cron(row.get<std::string>(1)),
          zone(row.get<std::string>(2)),
          entry(row.get<std::string>(3)),
          version(row.get<std::string>(4)),
          arguments(row.get<db::Blob>(5)),
          catch_up_max(row.get<std::size_t>(6)),
          next_at{row.get<std::int64_t>(7)} {}

    std::string name;
    std::string cron;
    std::string zone;
    std::string entry;
    std::string version;
    db::Blob arguments;
    std::size_t catch_up_max;
    db::Timestamp next_at;
};

struct Ticks {
    std::vector<db::Timestamp> now;
    db::Timestamp next;
};

// A schedule that somebody has damaged in the store has no more times.
Ticks ticks_of(const Due& due, db::Timestamp now) {
    try {
        const Cron cron = Cron::parse(due.cron, due.zone);
        return {
            .now = last_ticks(cron, std::max(due.next_at, db::Timestamp{0}), now, due.catch_up_max),
            .next = cron.next_after(now)};
    } catch (const DurableError& e) {
        log(LogLevel::error, "schedule '%s' stops: %s", due.name.c_str(), e.what());
        return {.now = {}, .next = {never}};
    }
}

}  // namespace

// Looks back over longer and longer times: a schedule of each minute may have been alone for years.
std::vector<db::Timestamp> last_ticks(const Cron& cron, db::Timestamp next, db::Timestamp now,
                                      std::size_t count_max) {
    constexpr std::int64_t hour = std::int64_t{3600} * 1'000'000;
    for (std::int64_t back = hour;; back *= 2) {
        const bool is_all = now.micros - next.micros <= back;
        std::vector<db::Timestamp> ticks;
        db::Timestamp tick = is_all ? next : cron.next_after({now.micros - back});
        for (; tick <= now; tick = cron.next_after(tick)) ticks.push_back(tick);
        if (!is_all && ticks.size() < count_max) continue;
        const std::size_t excess = ticks.size() - std::min(ticks.size(), count_max);
        ticks.erase(ticks.begin(), ticks.begin() + static_cast<std::ptrdiff_t>(excess));
        return ticks;
    }
}

Future<void> Ticker::work() {
    for (;;) {
        has_news_.reset();
        Duration wait = store_.options().poll_every;
        try {
            const std::int64_t next = co_await next_tick();
            const std::int64_t left = next - store_.now().micros;
            if (next != never && left <= 0) {
                if (co_await start_due()) continue;
                wait = std::chrono::milliseconds(100);  // Another worker has it.
            } else {
                // PostgreSQL tells of changes; a look now and then costs little.
                constexpr Duration minute = std::chrono::minutes(1);
                if (store_.pool().is_postgres()) wait = std::max(wait, minute);
                if (left < micros(wait)) wait = std::chrono::microseconds(left);
            }
        } catch (const db::DbError& e) {
            if (!is_passing(e)) throw;
            log(LogLevel::warn, "schedules wait for their store: %s", e.what());
        }
        co_await wait_at_most(has_news_, wait);
    }
}

Future<std::int64_t> Ticker::next_tick() {
    const auto next = co_await store_.pool().optional<std::int64_t>(
        "select next_at from gyre_schedules where queue = $1 order by next_at limit 1", queue_);
    co_return next.value_or(never);
}

Future<bool> Ticker::start_due() {
    bool was_due = false;
    std::vector<std::string> started;
    auto body = [&](db::Transaction& in) -> Future<void> {
        was_due = co_await start_due_in(in, started);
    };
    co_await store_.pool().transaction(body);
    for (const std::string& key : started) store_.announce(key);
    co_return was_due;
}

// Whoever moves a schedule on starts its runs, in one transaction.
Future<bool> Ticker::start_due_in(db::Transaction& in, std::vector<std::string>& started) {
    const db::Timestamp now = store_.now();
    co_await end_if_idle(in, store_.pool().is_postgres());
    const std::string lock = store_.pool().is_postgres() ? " for update skip locked" : "";
    const db::Rows rows = co_await in.query(
        "select name, cron, zone, entry, version, arguments, catch_up_max, next_at "
        "from gyre_schedules where queue = $1 and next_at <= $2 order by next_at limit " +
            std::to_string(due_count_max) + lock,
        queue_, now.micros);
    for (const db::Row row : rows) {
        const Due due(row);
        const Ticks ticks = ticks_of(due, now);
        for (const db::Timestamp tick : ticks.now) {
            const NewRun run{.key = key_of(due.name, tick),
                             .queue = queue_,
                             .entry = due.entry,
                             .version = due.version,
                             .parent = {},
                             .arguments = due.arguments,
                             .wake_at = now.micros,
                             .created_at = now.micros};
            if (co_await insert_run(store_, in, run)) started.push_back(run.key);
        }
        co_await in.execute("update gyre_schedules set next_at = $2 where name = $1", due.name,
                            ticks.next.micros);
    }
    co_return !rows.empty();
}

}  // namespace gyre::durable
