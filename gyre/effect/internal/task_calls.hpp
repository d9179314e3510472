// SPDX-License-Identifier: Apache-2.0
// TaskCalls: the TaskHost that a guest calls while one of its tasks runs. It lives for one call
// into the guest, on the scheduler's thread.
#pragma once

#include <memory>

#include "gyre/effect/scheduler.hpp"

namespace gyre::effect {

class Scheduler::TaskCalls final : public TaskHost {
public:
    TaskCalls(Scheduler& scheduler, RunTask& task) noexcept : scheduler_(scheduler), task_(task) {}

    Capability spawn(Spawn how, Continuation body) override {
        return scheduler_.spawn(task_, how, body);
    }
    bool cancel(Capability task) override;
    Value take_value(Capability task) override;
    Held take_held(Capability task) override;
    std::string failure_message(Capability task) override;
    RunId run() const noexcept override { return task_.run.id; }

private:
    [[nodiscard]] std::unique_ptr<ChildTask> take(Capability task);

    Scheduler& scheduler_;
    RunTask& task_;
};

}  // namespace gyre::effect
