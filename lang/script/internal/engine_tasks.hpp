// SPDX-License-Identifier: Apache-2.0
// EngineTasks: the machine that runs the tasks of an engine's own threads, such as the end of an
// asynchronous compilation, beside the pump. What they queue follows in a checkpoint, and in
// nothing else of an iteration. The loop's thread; any thread may ring.
#pragma once

#include "gyre/job/scheduler.hpp"
#include "gyre/kernel/machine.hpp"
#include "gyre/kernel/standing_op.hpp"
#include "lang/script/engine.hpp"

namespace gyre::script {

class EngineTasks final : public Machine {
public:
    EngineTasks(Engine& engine, job::Scheduler& jobs)
        : Machine("engine tasks"), engine_(engine), jobs_(jobs) {
        bell_.set_background(true);
    }

    // When it is attached.
    void open() {
        submit(bell_);
        engine_.set_task_bell([this] { bell_.ring(); });
    }

private:
    void tick(Instant /*now*/) override {
        while (next_completion() != nullptr) continue;
        bool is_rung = false;
        while (next_notification() != nullptr) is_rung = true;
        if (!is_rung) return;
        // Jobs that an error has left wait for the next callback, as in Node.
        const bool had_jobs = engine_.microtasks().pending() > 0;
        engine_.run_tasks();
        if (!had_jobs && engine_.microtasks().pending() > 0) jobs_.request_checkpoint();
    }
    void on_close() override {
        engine_.set_task_bell({});
        cancel(bell_);
    }

    Engine& engine_;
    job::Scheduler& jobs_;
    WakeOp bell_;
};

}  // namespace gyre::script
