// SPDX-License-Identifier: Apache-2.0
// How a random program of tasks begins, ends and is judged. task_actions.cpp is what its tasks do.
#include "tests/property/task_program.hpp"

namespace gyre::property {
namespace {

constexpr std::uint32_t steps_max = 400;

}  // namespace

TaskProgram::TaskProgram(std::uint64_t seed)
    : random_(seed), steps_left_(static_cast<std::uint32_t>(20 + random_.below(steps_max))) {
    platform_.emplace(clock_, sim::SimOptions{.seed = random_.next()});
    for (std::size_t capacity = 0; capacity < 3; ++capacity) {
        channels_.emplace_back(capacity);
    }
    for (int i = 0; i < 4; ++i) promises_.emplace_back();
    ExecutorOptions options{.order_seed = random_.next()};
    // Small budgets in some, so that tasks are left for the next tick.
    if (random_.one_in(2)) {
        options.tasks_per_tick_max = 1 + static_cast<std::uint32_t>(random_.below(4));
    }
    if (random_.one_in(2)) {
        options.ready_awaits_max = 1 + static_cast<std::uint32_t>(random_.below(4));
    }
    executor_.emplace(options);
    loop_.emplace(*platform_, *executor_,
                  LoopOptions{.offload = &platform_->offload(), .observer = &recorder_});
    if (random_.one_in(4)) turns_until_close_ = 1 + random_.below(60);
}

TaskProgram::~TaskProgram() {
    loop_->close();
    loop_.reset();
    executor_.reset();
}

void TaskProgram::run() {
    Crowd everybody(ledger_);
    for (auto count = 2 + random_.below(8); count > 0; --count) {
        spawn(executor_->root(), everybody, 0);
    }
    if (turns_until_close_ > 0) {
        while (loop_->is_alive() && turns_until_close_-- > 0) loop_->turn();
        loop_->close();
        if (executor_->task_count() > 0) return;
    } else {
        static_cast<void>(loop_->run());
        help_out();
        static_cast<void>(loop_->run());
        executor_->root().cancel("nothing can wake it");
        static_cast<void>(loop_->run());
    }
    judge();
}

// For those who wait for something that nobody brings any more.
void TaskProgram::help_out() {
    event_.set();
    for (Place& place : channels_) place.channel.close();
    for (Promise<int>& promise : promises_) {
        if (!promise.is_settled()) promise.resolve(0);
    }
}

void TaskProgram::judge() {
    ledger_.check(executor_->task_count() == 0, "a program that is cancelled ends");
    ledger_.check(loop_->ops_in_flight() == 0, "no op is left in flight");
    for (Spawned& task : spawned_) {
        ledger_.check(task.handle.is_completed(), "every task ends");
        ledger_.check(task.completions == 1, "a task ends once");
        ledger_.check(task.handle.outcome().is_settled(), "a task that ended has an outcome");
        ledger_.check(!task.handle.was_cancelled() || task.handle.is_cancel_requested(),
                      "nothing is cancelled that nobody cancelled");
    }
    for (std::size_t i = 0; i < channels_.size(); ++i) {
        while (auto item = channels_[i].channel.try_receive()) ledger_.on_left_inside(item->id, i);
    }
    ledger_.judge_items();
    ledger_.check(permits_.available() == permit_count, "every permit comes back");
    ledger_.check(!mutex_.is_locked(), "every lock is given back");
    ledger_.check(ledger_.alive == 0, "what began has ended, and nothing is left");
}

}  // namespace gyre::property
