// SPDX-License-Identifier: Apache-2.0
// Observer: callbacks for each step of a loop. Without an observer, a step costs one compare with
// null.
//
//     class Counter : public Observer {
//         void on_turned() noexcept override { ++turns; }
//         int turns = 0;
//     };
//     Counter counter;
//     Loop loop(platform, app, {.observer = &counter});
//
// Thread: called on the loop's thread, inside the step: be quick, and change nothing.
// Lifetime: outlives the loop.
#pragma once

#include <cstdint>
#include <source_location>
#include <string_view>

#include "gyre/kernel/clock.hpp"
#include "gyre/kernel/op.hpp"

namespace gyre {

class Machine;

// Events of a task, reported by the executor that runs it. A task runs from `started` or `resumed`
// to `suspended` or `ended`.
enum class TaskEvent : std::uint8_t { named, started, suspended, resumed, ended };

class Observer {
public:
    virtual ~Observer() = default;

    virtual void on_submit(const Op& /*op*/, const Machine& /*by*/) noexcept {}
    // The op enters this lane of a machine of this loop; `to` is null if it leaves for another
    // loop.
    virtual void on_route(const Op& /*op*/, Lane /*lane*/, const Machine* /*to*/) noexcept {}
    // The initiator has taken the completion.
    virtual void on_complete(const Op& /*op*/, const Machine& /*by*/) noexcept {}
    virtual void on_tick(const Machine& /*machine*/, Instant /*now*/) noexcept {}
    // Before the wait, with its deadline, and after it, with the new time.
    virtual void on_wait(Instant /*deadline*/) noexcept {}
    virtual void on_waited(Instant /*now*/) noexcept {}
    // The turn is over: time from here to the next wait is spent outside the loop.
    virtual void on_turned() noexcept {}

    // For modules above the kernel, which get the observer from Loop::observer(). Ids of tasks are
    // unique in their loop; the name is set for `named` and `started`, and empty otherwise. The
    // text need not outlive the call.
    virtual void on_task(TaskEvent /*event*/, std::uint64_t /*task_id*/,
                         std::string_view /*name*/) noexcept {}
    // Before `suspended`: what the task waits for, and the line of its await. The text need not
    // outlive the call.
    virtual void on_task_waits(std::uint64_t /*task_id*/, std::string_view /*what*/,
                               const std::source_location& /*where*/) noexcept {}
    // A mark that the program records in the trace.
    virtual void on_mark(std::string_view /*text*/) noexcept {}
};

}  // namespace gyre
