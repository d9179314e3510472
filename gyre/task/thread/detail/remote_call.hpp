// SPDX-License-Identifier: Apache-2.0
// RemoteCall: what one executor does for another: a message that it submits as an op, and that
// comes back when the task it started there has ended. It lives with its initiator; between its
// arrival and its completion the other thread alone touches it. Users see `on`.
#pragma once

#include "gyre/task/core/task_handle.hpp"
#include "gyre/task/thread/detail/executor_message.hpp"

namespace gyre {

class RemoteCall : public ExecutorMessage {
public:
    // Its initiator wants it back.
    void recall() noexcept { task_->cancel("its caller on another loop is cancelled"); }

protected:
    // Spawns a task in the root scope that never fails.
    using Start = TaskHandle<void> (*)(RemoteCall& call, Executor& at);
    explicit RemoteCall(Start start) noexcept : ExecutorMessage(&on_arrival), start_(start) {}

private:
    static void on_arrival(ExecutorMessage& message, Executor& at) noexcept {
        auto& call = static_cast<RemoteCall&>(message);
        TaskHandle<void> task = call.start_(call, at);
        call.task_ = &task.task();
        call.task_->rare().trace_id = call.trace_id();
        // Also where it is cancelled before it began.
        task.on_complete([&call, &at] { at.complete(call, 0); });
    }

    const Start start_;
    Task* task_ = nullptr;
};

}  // namespace gyre
