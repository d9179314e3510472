// SPDX-License-Identifier: Apache-2.0
// How runs are read from the store, many by one statement. What is damaged is noted in its run: the others go
// on. One loop's thread.
#pragma once

#include <cstddef>
#include <vector>

#include "gyre/db/pool.hpp"
#include "gyre/durable/internal/active_run.hpp"

namespace gyre::durable {

// Runs that are claimed and loaded together.
inline constexpr std::size_t claim_count = 64;
inline constexpr const char* claimed_columns =
    "id, key, entry, parent, arguments, fence, news, step_count, cancel_reason";

// Of the rows of a claim, with these columns.
[[nodiscard]] Future<std::vector<StoredRun>> load_runs(db::Pool& pool, db::Rows claimed);
// The signals of a run behind that one.
[[nodiscard]] Future<std::vector<StoredRun::Signal>> load_signals(db::Pool& pool, std::int64_t id,
                                                                  std::int64_t behind);

}  // namespace gyre::durable
