// SPDX-License-Identifier: Apache-2.0
#include "gyre/durable/internal/claims.hpp"

#include <algorithm>
#include <optional>

#include "gyre/durable/internal/loading.hpp"

namespace gyre::durable {

namespace {

struct StoredLimits {
    std::optional<std::int64_t> running_max;
    std::optional<std::int64_t> spacing;
    std::int64_t free_at;
};

struct AtWork {
    std::int64_t count;
    std::optional<std::int64_t> first_end;
};

constexpr const char* limits_sql =
    "select running_max, spacing, free_at from gyre_queues where name = $1";

// Runs that are taken up together where a limit spaces them: those of a tenth of a second.
std::int64_t burst_of(std::int64_t spacing) noexcept {
    constexpr std::int64_t tenth_of_a_second = 100'000;
    return std::max<std::int64_t>(1, tenth_of_a_second / spacing);
}

}  // namespace

void Claims::know(std::string entry, std::string version) {
    entries_.emplace_back(std::move(entry), std::move(version));
    claim_sql_.clear();
}

// The condition for runs that this worker can run. Its values begin with that number.
std::string Claims::known_entries(std::size_t first) const {
    std::string condition = "(1 = 0";
    for (std::size_t i = 0; i < entries_.size(); ++i, first += 2) {
        condition += " or (entry = $" + std::to_string(first) + " and version in ('', $" +
                     std::to_string(first + 1) + "))";
    }
    return condition + ")";
}

db::Values Claims::with_entries(db::Values values) const {
    for (const auto& [entry, version] : entries_) {
        values.emplace_back(entry);
        values.emplace_back(version);
    }
    return values;
}

void Claims::write_sql() {
    if (!claim_sql_.empty()) return;
    constexpr std::size_t values_of_claim = 5;
    constexpr std::size_t values_of_next = 1;
    claim_sql_ =
        "update gyre_runs set owner = $1, wake_at = $2, fence = fence + 1 "
        "where id in (select id from gyre_runs where status = 0 and queue = $3 and wake_at <= $4 "
        "and " +
        known_entries(values_of_claim + 1) + " order by wake_at limit $5" +
        (store_.pool().is_postgres() ? " for update skip locked" : "") + ") returning " +
        claimed_columns;
    next_sql_ = "select wake_at from gyre_runs where status = 0 and queue = $1 and " +
                known_entries(values_of_next + 1) + " order by wake_at limit 1";
}

Future<Claimed> Claims::claim(const std::string& owner, std::size_t count_max) {
    write_sql();
    if (!knows_limits_) co_await read_limits();
    const auto most = static_cast<std::int64_t>(std::min(count_max, claim_count));
    Claimed claimed;
    db::Rows rows;
    if (is_limited_) {
        auto body = [&](db::Transaction& in) -> Future<void> {
            rows = co_await take_within_limits(in, owner, most, claimed);
        };
        co_await store_.pool().transaction(body);
    } else {
        rows = co_await take(store_.pool(), owner, most);
    }
    if (!rows.empty()) claimed.runs = co_await load_runs(store_.pool(), std::move(rows));
    co_return claimed;
}

Future<std::int64_t> Claims::next_due() {
    write_sql();
    db::Values values = with_entries({queue_});
    const db::Rows rows = co_await store_.pool().query_with(next_sql_, std::move(values));
    co_return rows.empty() ? never : rows[0].get<std::int64_t>(0);
}

Future<void> Claims::read_limits() {
    knows_limits_ = true;  // What changes while it is read is read again.
    std::optional<StoredLimits> limits;
    try {
        limits = co_await store_.pool().optional<StoredLimits>(limits_sql, queue_);
    } catch (...) {
        knows_limits_ = false;
        throw;
    }
    has_running_limit_ = limits && limits->running_max;
    is_limited_ = has_running_limit_ || (limits && limits->spacing);
}

Future<db::Rows> Claims::take(db::Statements& in, const std::string& owner,
                              std::int64_t count_max) {
    const std::int64_t now = store_.now().micros;
    return in.query_with(claim_sql_,
                         with_entries({owner, now + micros(lease_), queue_, now, count_max}));
}

Future<db::Rows> Claims::take_within_limits(db::Transaction& in, const std::string& owner,
                                            std::int64_t count_max, Claimed& claimed) {
    const std::int64_t now = store_.now().micros;
    const Allowance left = co_await allowance(in, now, count_max);
    db::Rows rows;
    if (left.count > 0) rows = co_await take(in, owner, left.count);
    const auto count = static_cast<std::int64_t>(rows.size());
    const std::int64_t given_to = left.given_to + count * left.spacing;
    if (count == left.count && count < count_max) {
        // If the present is not given away yet, it is the other limit that holds runs back.
        const std::int64_t next = given_to + left.spacing;
        claimed.held_until = next > now ? next : left.lease_end;
    }
    if (left.spacing == 0) co_return rows;
    if (count > 0) {
        co_await in.execute("update gyre_queues set free_at = $2 where name = $1", queue_,
                            given_to);
    }
    co_return rows;
}

Future<Claims::Allowance> Claims::allowance(db::Transaction& in, std::int64_t now,
                                            std::int64_t count_max) {
    co_await end_if_idle(in, store_.pool().is_postgres());
    // SQLite's transaction has the lock of the file already.
    const std::string lock = store_.pool().is_postgres() ? " for update" : "";
    const auto limits = co_await in.optional<StoredLimits>(limits_sql + lock, queue_);
    Allowance left{
        .count = count_max, .lease_end = now + micros(lease_), .spacing = 0, .given_to = 0};
    if (limits && limits->running_max) {
        // A run whose lease is over is as good as free.
        const auto at_work = co_await in.one<AtWork>(
            "select count(*), min(wake_at) from (select wake_at from gyre_runs where queue = $1 "
            "and owner <> '' and status = 0 and wake_at > $2 limit $3) as at_work",
            queue_, now, *limits->running_max);
        left.count = std::min(left.count, *limits->running_max - at_work.count);
        left.lease_end = at_work.first_end.value_or(left.lease_end);
    }
    if (limits && limits->spacing) {
        left.spacing = std::max<std::int64_t>(*limits->spacing, 1);
        left.given_to = std::max(limits->free_at, now - burst_of(left.spacing) * left.spacing);
        left.count = std::min(left.count, (now - left.given_to) / left.spacing);
    }
    left.count = std::max<std::int64_t>(left.count, 0);
    co_return left;
}

}  // namespace gyre::durable
