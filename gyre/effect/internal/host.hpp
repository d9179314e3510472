// SPDX-License-Identifier: Apache-2.0
// What a guest can ask of the scheduler while one of its tasks runs. Lives for one call into it.
#pragma once

#include "gyre/effect/scheduler.hpp"

namespace gyre::effect {

class Scheduler::Host final : public TaskHost {
public:
    Host(Scheduler& scheduler, RunTask& task) noexcept : scheduler_(scheduler), task_(task) {}

    Capability spawn(Spawn how, Continuation body) override {
        return scheduler_.spawn(task_, how, body);
    }
    bool cancel(Capability task) override;
    Value take_value(Capability task) override;
    std::string failure_message(Capability task) override;

private:
    Scheduler& scheduler_;
    RunTask& task_;
};

}  // namespace gyre::effect
