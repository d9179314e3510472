// SPDX-License-Identifier: Apache-2.0
// The tables of durable runs, beside those of a program in the same database. Times are microseconds since 1970.
//
// gyre_runs     a run. While status is 0 (open), wake_at says when somebody has to look at it: when its timer is
//               due, or, if it has an owner, when the owner's lease is over. fence grows with each owner, and
//               whatever an owner writes names its fence. news counts signals, requests to cancel and ends
//               of children: a run is only put aside by an owner that has seen them all.
// gyre_steps    the answers of a run, numbered from 0 in the order in which they are applied.
// gyre_begun    requests that were noted before their answer: timers, and ops that may run only once.
// gyre_signals  the signals of a run, numbered by its news.
#pragma once

#include "gyre/db/pool.hpp"

namespace gyre::durable {

// Makes the tables that are missing. Throws a DurableError (damaged) for those of a newer program.
[[nodiscard]] Future<void> make_tables(db::Pool& pool);

}  // namespace gyre::durable
