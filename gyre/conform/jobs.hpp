// SPDX-License-Identifier: Apache-2.0
// JobsAdapter: connects the event loop of a language to the tables jobs_as_node() and
// jobs_as_js2il(), the order of its callbacks as scenarios.
//
//     const auto check = [](const conform::MakeJobsAdapter& make_mine) {
//         return conform::run(conform::jobs_as_node(), "mine", make_mine);
//     };
//
// Thread: one; the adapter calls back on the thread of run.
// Lifetime: run makes an adapter for each scenario and destroys it afterwards.
//
// Verbs of the scripts; X is the name of a callback, and the event of its call:
//   tick X, micro X, immediate X, timeout X ms, interval X ms
//   callback X, post X      the completion of an operation of the host; the same from a thread
//   close X                 a close callback
//   then X n                the n-th reaction in a chain of promises
//   adopt X, thenable X     a reaction of a promise that was resolved with a promise or a thenable
//   clear_timeout X, clear_interval X, clear_immediate X, refresh X, ref X, unref X
//   reject P, handle P      makes a rejected promise, and gives it a handler
//   context n, show         sets the async context, and records the current one
//   throw E                 ends the callback with an error
//   block ms, now, wait     keeps the thread busy; records the time; records the loop's next wait
// Events: `error E`, `unhandled P`, `handled P`; and, if the script has a line for them, `dry` when
// the loop has no work left and `exit` at its end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "gyre/conform/scenario.hpp"

namespace gyre::conform {

// The adapter calls it to report events.
class JobsHost {
public:
    // A job threw (a std::exception); the other jobs still run.
    virtual void on_error(const std::string& what) = 0;
    // A rejected promise has no handler at the end of its checkpoint; later it gets one.
    virtual void on_rejection(const std::string& promise) = 0;
    virtual void on_rejection_handled(const std::string& promise) = 0;
    // The loop has no work left; new work that is started here keeps it running. Then its end.
    virtual void on_before_exit() = 0;
    virtual void on_exit() = 0;

protected:
    ~JobsHost() = default;
};

// A function with an empty default is optional: name its verb in `lacks`.
class JobsAdapter : public Adapter {
public:
    using Job = std::function<void()>;
    using Id = std::uint64_t;

    // Runs the main script and then the loop, and returns at the end of the program.
    virtual void run(const Job& main_script, JobsHost& host) = 0;

    virtual void next_tick(Job job) = 0;
    virtual void queue_microtask(Job job) = 0;
    virtual Id set_timeout(Job job, double delay_ms) = 0;
    virtual Id set_immediate(Job /*job*/) { return 0; }
    virtual Id set_interval(Job /*job*/, double /*period_ms*/) { return 0; }
    virtual void clear_immediate(Id /*id*/) {}
    virtual void clear_timeout(Id /*id*/) {}
    virtual void clear_interval(Id /*id*/) {}
    // Restarts the timer from now.
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

    // A number that each queued job captures and restores when it runs (AsyncLocalStorage).
    virtual void set_context(int /*context*/) {}
    [[nodiscard]] virtual int context() { return 0; }

    // The script keeps the thread busy for this time.
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
