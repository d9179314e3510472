// SPDX-License-Identifier: Apache-2.0
// RunObserver: is called for every event of every run: starts, requests, answers, ends. For traces
// and tests; without an observer a step pays one comparison with null.
//
//     struct Printer : RunObserver {
//         void on_run(const RunEvent& event) noexcept override { puts(to_line(event).c_str()); }
//     } printer;
//     Scheduler scheduler(executor, {.observer = &printer});
//
// Thread: called on the scheduler's thread, inside the step; it must not touch the run.
// Lifetime: it outlives the scheduler; an event is valid during the call.
#pragma once

#include <cstdint>
#include <string>

#include "gyre/effect/context.hpp"
#include "gyre/effect/effect_op.hpp"
#include "gyre/effect/run_outcome.hpp"

namespace gyre::effect {

enum class RunEventKind : std::uint8_t {
    started,    // the first step of a run or task
    performed,  // a request: `op` and `arguments`
    answered,   // the answer is applied: `answer` and `value`
    yielded,
    waits,    // the task waits for another task of the run
    ended,    // the task has ended: `value`, or null
    settled,  // the run has its outcome: `end` and `text`
};

struct RunEvent {
    RunEventKind kind;
    RunId run;
    std::uint32_t task;  // 1: the root
    const OpInfo* op = nullptr;
    const Arguments* arguments = nullptr;
    AnswerKind answer = AnswerKind::resume;
    const Value* value = nullptr;
    std::string_view text = {};
    RunEndKind end = RunEndKind::value;
};

// One line of text without a line end. Equal events have equal lines.
[[nodiscard]] std::string to_line(const RunEvent& event);

class RunObserver {
public:
    virtual ~RunObserver() = default;
    virtual void on_run(const RunEvent& event) noexcept = 0;
};

}  // namespace gyre::effect
