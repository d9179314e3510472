// SPDX-License-Identifier: Apache-2.0
// ExecutorMessage: a message from any thread to an executor, sent with Loop::post. The executor
// calls `on_arrival` on its own thread; from then on the receiver owns the message.
#pragma once

#include "gyre/kernel/op.hpp"

namespace gyre {

class Executor;

class ExecutorMessage : public Request {
public:
    using OnArrival = void (*)(ExecutorMessage& message, Executor& at) noexcept;
    explicit ExecutorMessage(OnArrival call) noexcept : Request(OpCode::post), on_arrival_(call) {}

private:
    friend class Executor;
    const OnArrival on_arrival_;
};

}  // namespace gyre
