// SPDX-License-Identifier: Apache-2.0
// What the examples of gyre/durable take for granted.
#pragma once

#include "gyre/durable/cron.hpp"
#include "gyre/durable/policy.hpp"
#include "gyre/durable/queues.hpp"
#include "gyre/durable/schedules.hpp"
#include "gyre/durable/store.hpp"
#include "gyre/durable/worker.hpp"
#include "gyre/effect/coroutine_guest.hpp"
#include "tests/head_examples/common.hpp"

namespace gyre::durable_examples {

extern Executor& executor;
extern durable::Store& store;
extern effect::Scheduler& scheduler;
extern effect::Guest& guest;
extern effect::Handlers& handlers;

namespace policy_hpp {
struct Pay {
    static constexpr effect::ResumeOp<std::string(int)> charge{"com.example.pay", "charge"};
};
struct Mail {
    static constexpr effect::ResumeOp<void(std::string)> send{"com.example.mail", "send"};
};
Future<std::string> charge(int cents, std::string key);
}  // namespace policy_hpp

}  // namespace gyre::durable_examples
