// SPDX-License-Identifier: Apache-2.0
// OpPolicy: what happens to an op of a durable run when its handler fails, or when the process ends while it
// runs. set_policy: gives one to a handler of a table. op_key: a name for one request, the same after a crash.
//
//     handlers.on(Pay::charge, [](effect::Context& context, int cents) -> Future<std::string> {
//         co_return co_await charge(cents, durable::op_key(context));   // the bank knows the key
//     });
//     durable::set_policy(handlers, Pay::charge.info, {.tries_max = 5});
//     durable::set_policy(handlers, Mail::send.info, {.is_at_most_once = true});
//
// Thread: the scheduler's.
// Lifetime: the table outlives its runs.
//
//     the process ends…        idempotent, or with a key     at most once
//     before the handler       it runs then                  it runs then
//     while the handler runs   it runs again                 fails: unknown_end
//     before the commit        it runs again                 fails: unknown_end
//     after the commit         its answer is used            its answer is used
#pragma once

#include <string>

#include "gyre/effect/context.hpp"
#include "gyre/effect/handlers.hpp"
#include "gyre/kernel/clock.hpp"

namespace gyre::durable {

struct OpPolicy {
    // Noted before the handler is called: after a crash it is not called again, and the op fails with
    // a DurableError (unknown_end).
    bool is_at_most_once = false;
    // The handler is called so often, while it fails; with at most once, for one that fails without effect.
    int tries_max = 1;
    // Between two tries: twice as long each time.
    Duration back_off = std::chrono::milliseconds(100);
    Duration back_off_max = std::chrono::minutes(1);
};

// For a handler that is there; a handler with a Reply is refused with a Failure.
void set_policy(effect::Handlers& handlers, const effect::OpInfo& op, OpPolicy policy);

// "order-7/1/3": the run's key, the task, the number of its request.
[[nodiscard]] std::string op_key(effect::Context& context);

}  // namespace gyre::durable
