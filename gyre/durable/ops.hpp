// SPDX-License-Identifier: Apache-2.0
// Durable: the ops that a durable run has besides those of its program: time that survives the process,
// signals, other runs. add_ops: their handlers, for a table of handlers that a worker uses.
//
//     effect::Effectful<int> remind(std::string who) {
//         co_await effect::perform(durable::Durable::sleep, 7 * 24 * 3600 * 1000);
//         effect::Value answer = co_await effect::perform(durable::Durable::signal, "answer");
//         co_return answer.is(effect::Value::Kind::nothing) ? 0 : 1;
//     }
//     durable::add_ops(handlers);
//
// Thread: the scheduler's.
// Lifetime: the handlers outlive the runs.
// Cancel: a wait of a run that is cancelled ends, and leaves no trace.
//
// In a run without a store these ops fail.
#pragma once

#include <cstdint>
#include <string>

#include "gyre/effect/effect_op.hpp"
#include "gyre/effect/handlers.hpp"

namespace gyre::durable {

struct Durable {
    // Milliseconds, from the first time that the run asks, whatever process it is in then.
    static constexpr effect::ResumeOp<void(std::int64_t)> sleep{"gyre.durable", "sleep"};
    // The value of the next signal of that name.
    static constexpr effect::ResumeOp<effect::Value(std::string)> signal{"gyre.durable", "signal"};
    // Microseconds since 1970, the same in a replay.
    static constexpr effect::ResumeOp<std::int64_t()> now{"gyre.durable", "now"};
    // Key, entry, arguments: starts a run, once. False: there was one of that key. A child is cancelled
    // when its parent fails or is cancelled; it goes on when its parent is done.
    static constexpr effect::ResumeOp<bool(std::string, std::string, effect::Value)> start{
        "gyre.durable", "start"};
    // The result of the run of a key. If it failed or was cancelled, this run fails.
    static constexpr effect::ResumeOp<effect::Value(std::string)> result{"gyre.durable", "result"};
};

void add_ops(effect::Handlers& handlers);

}  // namespace gyre::durable
