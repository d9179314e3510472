// SPDX-License-Identifier: Apache-2.0
// The order of a language's callbacks as a table of scenarios, and what a loop must offer to be run
// against it. Write a JobsAdapter for yours, make a new one for every scenario, and look at the
// results. One thread.
//
// Verbs of the scripts, X being a callback's name and so the event that its call is:
//   tick X, micro X, immediate X, timeout X ms, interval X ms
//   callback X, post X      the end of an operation of the host; from another thread
//   close X                 the end of something that was closed
//   then X n                as a promise's reaction, after n jobs
//   adopt X, thenable X     the same, of a promise that took on another one, or a thenable
//   clear_timeout X, clear_interval X, clear_immediate X, refresh X, ref X, unref X
//   reject P, handle P      makes a rejected promise, and gives it a handler
//   context n, show         sets the context, and says which one is current
//   throw E                 ends the callback by an error
//   block ms, now, wait     works that long; says the time; says how long the loop would wait
// Events: `error E`, `unhandled P`, `handled P`; `dry` when the loop has run dry and `exit` at its
// end, where the script has a line for them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "gyre/conform/player.hpp"

namespace gyre::conform {

// What the adapter tells the kit.
class JobsHost {
public:
    // A job threw (a std::exception); the other jobs still run.
    virtual void on_error(const std::string& what) = 0;
    // Nobody had handled the rejected promise by the end of its checkpoint; now somebody has.
    virtual void on_rejection(const std::string& promise) = 0;
    virtual void on_rejection_handled(const std::string& promise) = 0;
    // The loop has run dry: what is started here keeps it going. And its end.
    virtual void on_before_exit() = 0;
    virtual void on_exit() = 0;

protected:
    ~JobsHost() = default;
};

// Without a body here a function does nothing; say so in `lacks`, with its verb.
class JobsAdapter : public Adapter {
public:
    using Job = std::function<void()>;
    using Id = std::uint64_t;

    // Runs the main script and all that follows from it, and returns at the end of the program.
    virtual void run(const Job& main_script, JobsHost& host) = 0;

    virtual void next_tick(Job job) = 0;
    virtual void queue_microtask(Job job) = 0;
    virtual Id set_timeout(Job job, double delay_ms) = 0;
    virtual Id set_immediate(Job /*job*/) { return 0; }
    virtual Id set_interval(Job /*job*/, double /*period_ms*/) { return 0; }
    virtual void clear_immediate(Id /*id*/) {}
    virtual void clear_timeout(Id /*id*/) {}
    virtual void clear_interval(Id /*id*/) {}
    // The timer starts again from now.
    virtual void refresh(Id /*id*/) {}
    virtual void set_ref(Id /*id*/, bool /*has_ref*/) {}

    virtual void host_callback(Job /*job*/) {}
    virtual void close_callback(Job /*job*/) {}
    // Keeps the loop alive until the job has run.
    virtual void post_from_thread(Job /*job*/) {}

    virtual void after_reactions(Job /*job*/, int /*count*/) {}
    virtual void after_adopting(Job /*job*/) {}
    virtual void after_thenable(Job /*job*/) {}
    virtual void make_rejected(const std::string& /*promise*/) {}
    virtual void handle_rejected(const std::string& /*promise*/) {}

    // A small number that goes with each job that is queued while it is set.
    virtual void set_context(int /*context*/) {}
    [[nodiscard]] virtual int context() { return 0; }

    // The script works for so long.
    virtual void block(double ms) = 0;
    [[nodiscard]] virtual double passed_ms() { return 0; }
    [[nodiscard]] virtual double wait_ms() { return 0; }
};

// Node's order, rule by rule (docs/CLAUSES.md names them by their numbers), and JS2IL's iteration.
[[nodiscard]] const Table& jobs_as_node();
[[nodiscard]] const Table& jobs_as_js2il();

using MakeJobsAdapter = std::function<std::unique_ptr<JobsAdapter>()>;
[[nodiscard]] Results run(const Table& table, const std::string& platform,
                          const MakeJobsAdapter& make);

}  // namespace gyre::conform
