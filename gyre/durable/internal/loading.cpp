// SPDX-License-Identifier: Apache-2.0
#include "gyre/durable/internal/loading.hpp"

#include <string>
#include <unordered_map>
#include <utility>

#include "gyre/durable/internal/entry_bytes.hpp"

namespace gyre::durable {

namespace {

using RunsById = std::unordered_map<std::int64_t, StoredRun*>;

// " where run in ($1, $2, …) …": one for each run that may be claimed.
std::string of_the_claimed(const char* order) {
    std::string list = "$1";
    for (std::size_t i = 2; i <= claim_count; ++i) list += ", $" + std::to_string(i);
    return " where run in (" + list + ") order by " + order;
}

// What `read` throws is the damage of the run.
template <class F>
void read_row(StoredRun& run, F read) {
    if (!run.damage.empty()) return;
    try {
        read();
    } catch (const DurableError& e) {
        run.damage = e.what();
    }
}

void read_step(StoredRun& run, const db::Row row) {
    const auto number = row.get<std::int64_t>(1);
    if (number != static_cast<std::int64_t>(run.entries.size())) {
        throw DurableError(DurableError::Kind::damaged, "answer " +
                                                            std::to_string(run.entries.size()) +
                                                            " is missing from the store, and " +
                                                            std::to_string(number) + " is there");
    }
    run.entries.push_back(entry_from(row.get<db::Blob>(2), run.id, number));
}

StoredRun run_of(const db::Row row) {
    StoredRun run;
    run.id = row.get<std::int64_t>(0);
    run.key = row.get<std::string>(1);
    run.entry = row.get<std::string>(2);
    run.parent = row.get<std::string>(3);
    run.fence = row.get<std::int64_t>(5);
    run.news = row.get<std::int64_t>(6);
    run.step_count = row.get<std::int64_t>(7);
    run.cancel_reason = row.get<std::optional<std::string>>(8);
    read_row(run, [&] { run.arguments = arguments_from(row.get<db::Blob>(4)); });
    return run;
}

StoredRun::Signal signal_of(const db::Row row, std::size_t first) {
    return {.number = row.get<std::int64_t>(first),
            .name = row.get<std::string>(first + 1),
            .value = value_from(row.get<db::Blob>(first + 2))};
}

void check_count(StoredRun& run) {
    if (!run.damage.empty() || static_cast<std::int64_t>(run.entries.size()) >= run.step_count)
        return;
    run.damage = "the store has " + std::to_string(run.entries.size()) + " answers of " +
                 std::to_string(run.step_count) + " that were recorded";
}

}  // namespace

Future<std::vector<StoredRun>> load_runs(db::Pool& pool, db::Rows claimed) {
    std::vector<StoredRun> runs;
    runs.reserve(claimed.size());
    RunsById by_id;
    db::Values ids;
    for (const db::Row row : claimed) {
        runs.push_back(run_of(row));
        by_id[runs.back().id] = &runs.back();
        ids.emplace_back(runs.back().id);
    }
    ids.resize(claim_count, db::Value(-1));

    const db::Rows steps = co_await pool.query_with(
        "select run, number, body from gyre_steps" + of_the_claimed("run, number"), ids);
    for (const db::Row row : steps) {
        StoredRun& run = *by_id.at(row.get<std::int64_t>(0));
        read_row(run, [&] { read_step(run, row); });
    }
    const db::Rows begun = co_await pool.query_with(
        "select run, task, number, op, until from gyre_begun" + of_the_claimed("run"), ids);
    for (const db::Row row : begun) {
        const Request request{row.get<std::uint32_t>(1), row.get<std::int64_t>(2)};
        by_id.at(row.get<std::int64_t>(0))
            ->begun.emplace(request, Begun{row.get<std::string>(3), row.get<std::int64_t>(4)});
    }
    const db::Rows signals = co_await pool.query_with(
        "select run, number, name, value from gyre_signals" + of_the_claimed("run, number"), ids);
    for (const db::Row row : signals) {
        StoredRun& run = *by_id.at(row.get<std::int64_t>(0));
        read_row(run, [&] { run.signals.push_back(signal_of(row, 1)); });
    }
    for (StoredRun& run : runs) check_count(run);
    co_return runs;
}

Future<std::vector<StoredRun::Signal>> load_signals(db::Pool& pool, std::int64_t id,
                                                    std::int64_t behind) {
    const db::Rows rows = co_await pool.query(
        "select number, name, value from gyre_signals where run = $1 and number > $2 "
        "order by number",
        id, behind);
    std::vector<StoredRun::Signal> signals;
    for (const db::Row row : rows) signals.push_back(signal_of(row, 0));
    co_return signals;
}

}  // namespace gyre::durable
