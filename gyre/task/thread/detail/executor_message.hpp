// SPDX-License-Identifier: Apache-2.0
// ExecutorMessage: a message from any thread to an executor: Loop::post it. `arrive` is called on the
// executor's thread; from then on the message is the receiver's.
#pragma once

#include "gyre/kernel/op.hpp"

namespace gyre {

class Executor;

class ExecutorMessage : public Request {
public:
    using Arrive = void (*)(ExecutorMessage& message, Executor& at) noexcept;
    explicit ExecutorMessage(Arrive on_arrival) noexcept
        : Request(OpCode::post), arrive_(on_arrival) {}
    void arrive(Executor& at) noexcept { arrive_(*this, at); }

private:
    Arrive arrive_;
};

}  // namespace gyre
