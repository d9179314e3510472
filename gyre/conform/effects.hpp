// SPDX-License-Identifier: Apache-2.0
// EffectsAdapter: connects a host of effectful functions to the table effect_runs(): the ten
// scenarios of the Voyd specification by its names, its trace, and the rules around them.
//
//     const auto check = [](const conform::MakeEffectsAdapter& make_mine) {
//         return conform::run(conform::effect_runs(), "mine", make_mine);
//     };
//
// Thread: one; the adapter calls back on the thread of run.
// Lifetime: run makes an adapter for each scenario and destroys it afterwards; the guests and the
// EffectsHost outlive it.
//
// The table brings the guests: R is a run, and the function that it runs. The ops `await` and
// `other` are resume ops, `now` is a tail op; each takes and returns a number. Verbs of the
// scripts:
//   asks R op n, gives R n         the guest's next step: an op, or its end with a value
//   gives_last R                   the guest's next step: its end with the last answer
//   lies R status|op|payload       the guest's next step is malformed
//   handle op, handle_async op     registers a handler that answers at once, or that may wait
//   budget n                       steps of one tick
//   start R, cancel R, cancel_from_thread R, settle
//   post X                         other work of the host, run between steps: event X
//   finish n                       ends the wait of the n-th handler call: event hn:end
//   watch guest|outcome …          records more: `R resumes n`; `R value n`, `R failed …` and so on
//   quiet                          records no handler calls
//   held R                         records whether the host still holds the guest's continuation
// In a handler (the event `hn:start` of its n-th call, or `hn:end`):
//   resume n, tail n, end n, throw reason, resume_after n ms, clean_up (event `R cleaned`)
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gyre/conform/scenario.hpp"

namespace gyre::effect {
class Guest;
}

namespace gyre::conform {

// One run of a guest function. A host wraps it into its own kind of guest.
class EffectsGuest {
public:
    struct Step {
        enum class Kind : std::uint8_t {
            gives,  // the function returned `number`
            asks,   // `op` with the argument `number`
            // Malformed steps that the host must produce from it:
            lies_status,   // a step of an unknown kind
            lies_op,       // an op that the guest does not declare
            lies_payload,  // an argument of the wrong type
        };
        Kind kind;
        std::string op;
        int number;
    };
    [[nodiscard]] virtual Step start() = 0;
    [[nodiscard]] virtual Step resume(int answer) = 0;
    // The host has dropped the guest, and will not resume it.
    virtual void release() = 0;

protected:
    ~EffectsGuest() = default;
};

struct EffectsAnswer {
    enum class Kind : std::uint8_t { resume, tail, end, failed };
    Kind kind = Kind::resume;
    int value = 0;
    std::string reason = {};  // of a failure
    double delay_ms = 0;      // 0: at once
};

struct EffectsOutcome {
    enum class Kind : std::uint8_t { value, unhandled, handler_failed, protocol_error, cancelled };
    Kind kind;
    int value = 0;
    std::string message = {};  // of a failure; of a failed handler only its reason
};

// The adapter calls it to report events.
class EffectsHost {
public:
    // A handler is called. An async request is answered by EffectsAdapter::answer, during this call
    // or later.
    [[nodiscard]] virtual EffectsAnswer on_request(const std::string& run) = 0;
    virtual void on_async_request(const std::string& run, std::uint64_t call) = 0;
    // The run has ended.
    virtual void on_outcome(const std::string& run, const EffectsOutcome& outcome) = 0;

protected:
    ~EffectsHost() = default;
};

// A function with an empty default is optional: name its verb in `lacks`.
class EffectsAdapter : public Adapter {
public:
    using Callback = std::function<void()>;

    // Called first.
    virtual void open(EffectsHost& host) = 0;
    virtual void set_budget(int /*steps_per_tick*/) {}
    virtual void add_handler(const std::string& op) = 0;
    virtual void add_async_handler(const std::string& op) = 0;

    virtual void start(const std::string& run, EffectsGuest& guest) = 0;
    virtual void cancel(const std::string& run) = 0;
    virtual void cancel_from_thread(const std::string& /*run*/) {}
    virtual void answer(std::uint64_t call, const EffectsAnswer& answer) = 0;
    // From a handler: calls clean_up when the run has ended, whatever its outcome.
    virtual void on_end(Callback /*clean_up*/) {}

    virtual void post(Callback /*work*/) {}
    // Runs until no work is left.
    virtual void settle() = 0;
};

[[nodiscard]] const Table& effect_runs();

using MakeEffectsAdapter = std::function<std::unique_ptr<EffectsAdapter>()>;
[[nodiscard]] Results run(const Table& table, const std::string& platform,
                          const MakeEffectsAdapter& make);

// Makes a guest of gyre/effect that does what the guest of the table says: an engine's guest, for
// instance. Its steps must not be preempted: the order of the events would depend on real time.
using MakeEffectGuest = std::function<std::unique_ptr<effect::Guest>(EffectsGuest& guest)>;

// Runs a table of effects with gyre's scheduler on these guests, on each platform as run_gyre does.
[[nodiscard]] Results run_gyre_effects(const Table& table,
                                       const std::vector<std::string>& platforms,
                                       const MakeEffectGuest& make);

}  // namespace gyre::conform
