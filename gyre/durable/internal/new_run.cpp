// SPDX-License-Identifier: Apache-2.0
#include "gyre/durable/internal/new_run.hpp"

namespace gyre::durable {

Future<bool> insert_run(Store& store, db::Statements& in, const NewRun& run) {
    const std::uint64_t count = co_await in.execute(
        "insert into gyre_runs (key, queue, entry, version, parent, arguments, status, "
        "wake_at, owner, fence, news, step_count, error, message, created_at) "
        "values ($1, $2, $3, $4, $5, $6, 0, $7, '', 0, 0, 0, '', '', $8) "
        "on conflict (key) do nothing",
        run.key, run.queue, run.entry, run.version, run.parent, run.arguments, run.wake_at,
        run.created_at);
    if (count == 0) co_return false;
    co_await store.tell(in, run.key);
    co_return true;
}

}  // namespace gyre::durable
