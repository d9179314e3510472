// SPDX-License-Identifier: Apache-2.0
// Runs of effectful functions as a table of scenarios: the ten of the Voyd specification by its
// names, its trace, and the rules around them; and what a host must offer to be run against it. One
// thread.
//
// The guests are the kit's: R is a run, and the function that it runs. The ops `await` and `other`
// are resume ops, `now` is a tail op; each takes and gives a number. Verbs of the scripts:
//   asks R op n, gives R n         what the guest does next; `gives_last R`: gives the last answer
//   lies R status|op|payload       the guest's next step is none
//   handle op, handle_async op     registers a handler that answers at once, or that may wait
//   budget n                       steps of one tick
//   start R, cancel R, cancel_from_thread R, settle
//   post X                         other work of the host, done when the scheduler lets it: event X
//   finish n                       what the n-th handler call waits for has happened: event hn:end
//   watch guest|outcome …, quiet   writes down more: `R resumes n`, and `R value n`, `R failed …`,
//                                  `R cancelled`; or less: no handler calls
//   held R                         says whether the host still holds the guest's continuation
// In a handler, which is the event `hn:start` for its n-th call, or `hn:end`:
//   resume n, tail n, end n, throw reason, resume_after n ms, clean_up (event `R cleaned`)
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "gyre/conform/player.hpp"

namespace gyre::conform {

// One run of the kit's guest. A host wraps it into whatever its guests are.
class EffectsGuest {
public:
    struct Step {
        enum class Kind : std::uint8_t {
            gives,         // it has ended, with `number`
            asks,          // `op` with the argument `number`
            lies_status,   // to be turned into a step of no known kind,
            lies_op,       // an op that the guest does not have,
            lies_payload,  // an argument that does not fit
        };
        Kind kind;
        std::string op;
        int number;
    };
    [[nodiscard]] virtual Step start() = 0;
    [[nodiscard]] virtual Step resume(int answer) = 0;
    // It will not be resumed, and the host has let go of it.
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
    std::string message = {};  // of a failure; of a failed handler its reason alone
};

// What the adapter tells the kit.
class EffectsHost {
public:
    // A handler is called. The second kind is answered by EffectsAdapter::answer, in there or
    // later.
    [[nodiscard]] virtual EffectsAnswer on_request(const std::string& run) = 0;
    virtual void on_async_request(const std::string& run, std::uint64_t call) = 0;
    // The run is terminal.
    virtual void on_outcome(const std::string& run, const EffectsOutcome& outcome) = 0;

protected:
    ~EffectsHost() = default;
};

// Without a body here a function does nothing; say so in `lacks`, with its verb.
class EffectsAdapter : public Adapter {
public:
    using Callback = std::function<void()>;

    // Before everything else.
    virtual void open(EffectsHost& host) = 0;
    virtual void set_budget(int /*steps_per_tick*/) {}
    virtual void add_handler(const std::string& op) = 0;
    virtual void add_async_handler(const std::string& op) = 0;

    virtual void start(const std::string& run, EffectsGuest& guest) = 0;
    virtual void cancel(const std::string& run) = 0;
    virtual void cancel_from_thread(const std::string& /*run*/) {}
    virtual void answer(std::uint64_t call, const EffectsAnswer& answer) = 0;
    // Called in a handler: once the run has ended, in whatever way.
    virtual void on_end(Callback /*clean_up*/) {}

    virtual void post(Callback /*work*/) {}
    // Goes on until nothing can happen any more.
    virtual void settle() = 0;
};

[[nodiscard]] const Table& effect_runs();

using MakeEffectsAdapter = std::function<std::unique_ptr<EffectsAdapter>()>;
[[nodiscard]] Results run(const Table& table, const std::string& platform,
                          const MakeEffectsAdapter& make);

}  // namespace gyre::conform
