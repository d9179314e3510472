// SPDX-License-Identifier: Apache-2.0
#include "gyre/durable/internal/schema.hpp"

#include <string>

#include "gyre/durable/error.hpp"

namespace gyre::durable {

namespace {

constexpr std::int64_t current_version = 2;  // 1 had neither schedules nor queues
// Of PostgreSQL's advisory lock: the bytes of "runs".
constexpr std::int64_t lock_number = 0x72756e73;

constexpr const char* tables = R"(
create table if not exists gyre_durable (version bigint not null);
create table if not exists gyre_runs (
    id $id primary key,
    key text not null unique,
    queue text not null,
    entry text not null,
    version text not null,
    parent text not null,
    arguments $bytes not null,
    status bigint not null,
    wake_at bigint not null,
    owner text not null,
    fence bigint not null,
    news bigint not null,
    step_count bigint not null,
    cancel_reason text,
    result $bytes,
    error text not null,
    message text not null,
    created_at bigint not null,
    ended_at bigint
);
create index if not exists gyre_runs_due on gyre_runs (queue, wake_at) where status = 0;
drop index if exists gyre_runs_owned;
create index if not exists gyre_runs_at_work on gyre_runs (queue, owner) where owner <> '';
create index if not exists gyre_runs_children on gyre_runs (parent) where parent <> '';
create index if not exists gyre_runs_ended on gyre_runs (ended_at) where status <> 0;
create table if not exists gyre_steps (
    run bigint not null,
    number bigint not null,
    is_failure bigint not null,
    at bigint not null,
    body $bytes not null,
    primary key (run, number)
)$by_key;
create table if not exists gyre_begun (
    run bigint not null,
    task bigint not null,
    number bigint not null,
    op text not null,
    until bigint not null,
    primary key (run, task, number)
)$by_key;
create table if not exists gyre_signals (
    run bigint not null,
    number bigint not null,
    name text not null,
    value $bytes not null,
    primary key (run, number)
)$by_key;
create table if not exists gyre_schedules (
    name text not null primary key,
    cron text not null,
    zone text not null,
    queue text not null,
    entry text not null,
    version text not null,
    arguments $bytes not null,
    catch_up_max bigint not null,
    next_at bigint not null
)$by_key;
create index if not exists gyre_schedules_due on gyre_schedules (queue, next_at);
create table if not exists gyre_queues (
    name text not null primary key,
    running_max bigint,
    spacing bigint,
    free_at bigint not null
)$by_key;
)";

void replace_all(std::string& text, const std::string& name, const std::string& by) {
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
        text.replace(at, name.size(), by);
        at += by.size();
    }
}

std::string tables_of(bool is_postgres) {
    std::string sql = tables;
    replace_all(sql, "$id", is_postgres ? "bigint generated always as identity" : "integer");
    replace_all(sql, "$bytes", is_postgres ? "bytea" : "blob");
    replace_all(sql, "$by_key", is_postgres ? "" : " without rowid");
    return sql;
}

Future<void> make_in(db::Transaction& in, bool is_postgres) {
    // SQLite's transaction has the lock of the file already.
    if (is_postgres) co_await in.execute("select pg_advisory_xact_lock($1)", lock_number);
    co_await in.script(tables_of(is_postgres));
    const auto version = co_await in.optional<std::int64_t>(
        "select version from gyre_durable order by version desc limit 1");
    if (!version || *version < current_version) {
        co_await in.execute("insert into gyre_durable values ($1)", current_version);
    } else if (*version > current_version) {
        throw DurableError(DurableError::Kind::damaged,
                           "the tables of this store are of version " + std::to_string(*version) +
                               ", and this program knows version " +
                               std::to_string(current_version) + ": use a newer program");
    }
}

}  // namespace

Future<void> make_tables(db::Pool& pool) {
    auto body = [&pool](db::Transaction& in) { return make_in(in, pool.is_postgres()); };
    co_await pool.transaction(body);
}

}  // namespace gyre::durable
