// SPDX-License-Identifier: Apache-2.0
#include "gyre/durable/schedules.hpp"

#include <cstdint>
#include <utility>

#include "gyre/durable/internal/entry_bytes.hpp"
#include "gyre/durable/internal/payload.hpp"

namespace gyre::durable {

Future<void> set_schedule(Store& store, std::string name, std::string cron, std::string entry,
                          effect::Arguments arguments, ScheduleOptions options) {
    const Cron times = Cron::parse(cron, options.zone);
    if (options.catch_up_max == 0 || options.catch_up_max > ScheduleOptions::catch_up_limit) {
        throw DurableError(DurableError::Kind::limit,
                           "catch_up_max is " + std::to_string(options.catch_up_max) +
                               ", and goes from 1 to " +
                               std::to_string(ScheduleOptions::catch_up_limit));
    }
    const db::Blob bytes = bytes_of(arguments);
    check_payload(store.options(), bytes.size(), "the arguments of a schedule");
    const std::int64_t now = co_await store.time();
    const std::int64_t next_at = times.next_after({now}).micros;
    auto body = [&](db::Transaction& in) -> Future<void> {
        co_await in.execute(
            "insert into gyre_schedules "
            "(name, cron, zone, queue, entry, version, arguments, catch_up_max, next_at) "
            "values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (name) do update set "
            "cron = excluded.cron, zone = excluded.zone, queue = excluded.queue, "
            "entry = excluded.entry, version = excluded.version, arguments = excluded.arguments, "
            "catch_up_max = excluded.catch_up_max, "
            "next_at = case when gyre_schedules.cron = excluded.cron "
            "and gyre_schedules.zone = excluded.zone "
            "then gyre_schedules.next_at else excluded.next_at end",
            name, cron, options.zone, options.queue, entry, options.version, bytes,
            options.catch_up_max, next_at);
        co_await store.tell_settings(in);
    };
    co_await store.pool().transaction(body);
    store.announce_settings();
}

Future<bool> remove_schedule(Store& store, std::string name) {
    co_return co_await store.pool().execute("delete from gyre_schedules where name = $1", name) > 0;
}

Future<std::vector<ScheduleInfo>> list_schedules(Store& store) {
    const db::Rows rows = co_await store.pool().query(
        "select name, cron, zone, queue, entry, version, catch_up_max, next_at "
        "from gyre_schedules order by name");
    std::vector<ScheduleInfo> found;
    for (const db::Row row : rows) {
        found.push_back({.name = row.get<std::string>(0),
                         .cron = row.get<std::string>(1),
                         .zone = row.get<std::string>(2),
                         .queue = row.get<std::string>(3),
                         .entry = row.get<std::string>(4),
                         .version = row.get<std::string>(5),
                         .catch_up_max = row.get<std::size_t>(6),
                         .next_at = {row.get<std::int64_t>(7)}});
    }
    co_return found;
}

}  // namespace gyre::durable
