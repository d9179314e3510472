// SPDX-License-Identifier: Apache-2.0
// RunObserver: sees what runs do, step by step. Called on the loop's thread, inside the step: it
// must not touch the run. It outlives the scheduler. Without one, a step pays a compare with null.
#pragma once

#include <cstdint>
#include <string>

#include "gyre/effect/context.hpp"
#include "gyre/effect/effect_op.hpp"
#include "gyre/effect/run_outcome.hpp"

namespace gyre::effect {

enum class RunEventKind : std::uint8_t {
    started,    // the guest is entered for the first time, or a task of it is
    performed,  // a request: op and arguments
    answered,   // the answer that is applied: kind and value
    yielded,
    waits,    // for a task of the same run
    ended,    // a task: its value, or none
    settled,  // the run: `text` says how
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

// One line, without its end; the same event gives the same line.
[[nodiscard]] std::string to_line(const RunEvent& event);

class RunObserver {
public:
    virtual ~RunObserver() = default;
    virtual void on_run(const RunEvent& event) noexcept = 0;
};

}  // namespace gyre::effect
