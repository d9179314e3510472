// SPDX-License-Identifier: Apache-2.0
// LoopAdapter: connects a libuv-style loop to the table loop_phases(): its phases, its liveness
// rules and its poll timeout, as scenarios.
//
//     const auto check = [](const conform::MakeLoopAdapter& make_mine) {
//         return conform::run(conform::loop_phases(), "mine", make_mine);
//     };
//
// Thread: one; the adapter calls back on the thread of run.
// Lifetime: run makes an adapter for each scenario and destroys it afterwards.
//
// Verbs of the scripts; X is the name of a handle or request, and the event of its callback:
//   timer X ms [repeat-ms], idle X, prepare X, check X, wake X
//   send X, send_from_thread X     wakes the loop through the handle `wake`
//   stop X, ref X, unref X
//   close X                        event `X closed`
//   defer X                        calls back in the next pending phase
//   request X, request_no_wait X   an operation in flight; the second forbids the loop to wait
//   finish X status, cancel X      completes it: event `X status` or `X cancelled`
//   run [once|no_wait], stop_loop, alive, timeout, now, update_now, block ms
// `alive`, `timeout` and `now` cause an event: `not alive`, `timeout none`, `now 7 ms`.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "gyre/conform/scenario.hpp"

namespace gyre::conform {

// Handles and requests are known by the names in the script. A function with an empty default is
// optional: name its verb in `lacks`.
class LoopAdapter : public Adapter {
public:
    using Callback = std::function<void()>;
    // An empty status means cancelled.
    using OnDone = std::function<void(std::optional<int> status)>;
    using Name = std::string;

    virtual void start_timer(const Name& name, double delay_ms, double repeat_ms,
                             Callback call) = 0;
    virtual void start_idle(const Name& name, Callback call) = 0;
    virtual void start_prepare(const Name& name, Callback call) = 0;
    virtual void start_check(const Name& name, Callback call) = 0;
    virtual void start_wake(const Name& /*name*/, Callback /*call*/) {}
    virtual void send(const Name& /*wake*/) {}
    virtual void send_from_thread(const Name& /*wake*/) {}

    virtual void stop(const Name& handle) = 0;
    virtual void set_ref(const Name& handle, bool has_ref) = 0;
    virtual void close(const Name& handle, Callback on_closed) = 0;

    virtual void defer(Callback /*call*/) {}
    virtual void start_request(const Name& /*name*/, bool /*may_wait*/, OnDone /*done*/) {}
    virtual void finish(const Name& /*request*/, int /*status*/) {}
    virtual void cancel(const Name& /*request*/) {}

    enum class Mode { until_done, once, no_wait };
    virtual void run(Mode mode) = 0;
    virtual void stop_loop() = 0;
    [[nodiscard]] virtual bool is_alive() = 0;
    // How long an iteration that starts now would block; empty: without limit.
    [[nodiscard]] virtual std::optional<double> timeout_ms() = 0;

    // The loop's cached time, since its start.
    [[nodiscard]] virtual double now_ms() { return 0; }
    virtual void update_now() {}
    virtual void block(double ms) = 0;
};

[[nodiscard]] const Table& loop_phases();

using MakeLoopAdapter = std::function<std::unique_ptr<LoopAdapter>()>;
[[nodiscard]] Results run(const Table& table, const std::string& platform,
                          const MakeLoopAdapter& make);

}  // namespace gyre::conform
