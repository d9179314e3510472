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
// gyre_schedules  when which runs are started again and again; next_at is the next time, or `never`.
// gyre_queues   the limits of queues that have some: spacing is the time from one run to the next, free_at the end of the
//               time that has been given away. Who claims runs of such a queue has its row locked.
//
// Some indexes hold a part of the rows: a statement that is to use one says so itself (owner <> ''), since a parameter might be
// anything.
#pragma once

#include "gyre/db/pool.hpp"

namespace gyre::durable {

// Makes the tables that are missing. Throws a DurableError (damaged) for those of a newer program.
[[nodiscard]] Future<void> make_tables(db::Pool& pool);

}  // namespace gyre::durable
