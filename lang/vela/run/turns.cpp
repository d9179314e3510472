// SPDX-License-Identifier: Apache-2.0
// The turns of a program: when its tasks run, how long in one go, and how one of them goes on.
#include <utility>

#include "gyre/task/core/sleep.hpp"
#include "lang/vela/run/internal/tasks.hpp"

namespace gyre::vela::vm {

void Tasks::enqueue(VelaTask& task) {
    task.is_queued = true;
    add_turn({&task});
}

void Tasks::add_turn(const Turn& turn) {
    begin_outside();
    turns_.push(turn);
    if (std::exchange(is_runner_there_, true)) return;
    scope.spawn(run_turns());
}

gyre::Future<void> Tasks::run_turns() {
    // How many turns that were not interrupted follow each other before the clock is read or other tasks of the loop run.
    constexpr int turns_in_a_row_max = 64;
    struct Leave {
        bool& is_there;
        ~Leave() { is_there = false; }
    };
    const Leave leave{is_runner_there_};
    while (!turns_.is_empty()) {
        bool is_interrupted = false;
        share_.start(scope.executor().loop());
        do {
            is_interrupted = false;
            for (int i = 0; i < turns_in_a_row_max && !is_interrupted && !turns_.is_empty(); ++i) {
                is_interrupted = !run_turn(turns_.pop());
            }
        } while (!turns_.is_empty() && goes_on_at_once());
        if (!turns_.is_empty()) co_await let_others_run(is_interrupted);
    }
}

// In real time a program takes its share of the turn in one go, as a script does: an interruption comes sooner than other
// tasks of the loop would let it go on.
bool Tasks::goes_on_at_once() noexcept {
    Loop& loop = scope.executor().loop();
    return share_.is_timed(loop) && !share_.is_used_up(loop);
}

// False if it was interrupted.
bool Tasks::run_turn(const Turn& turn) {
    bool is_done = true;
    try {
        if (exit_code_) {
            // The program has ended: the queue only runs empty.
        } else {
            is_done = take(turn);
        }
    } catch (const Ended&) {
    }
    end_outside();
    return is_done;
}

bool Tasks::take(const Turn& turn) {
    switch (turn.what->kind) {
        case Kind::task:
            return take_queued_turn(static_cast<VelaTask&>(*turn.what));
        case Kind::task_handle:
            return take_first_turn(static_cast<TaskHandle&>(*turn.what));
        case Kind::actor_ref:
            handle_next(static_cast<ActorRef&>(*turn.what));
            return true;
        default:
            call_now(Word(turn.what), turn.name);
            return true;
    }
}

bool Tasks::take_first_turn(TaskHandle& handle) {
    if (handle.is_settled()) return true;  // It was cancelled.
    if (handle.is_frame && !vm.tells_steps) return run_first(handle, &handle, nullptr);
    handle.task = make_task(handle, handle.number);
    VelaTask& task = *handle.task;
    if (go_on(task)) return true;
    enqueue(task);
    return false;
}

bool Tasks::take_queued_turn(VelaTask& task) {
    if (!is_held_up(task)) {
        task.is_queued = false;
        if (take_turn(task)) return true;
    }
    enqueue(task);
    return false;
}

// Other tasks of the loop; and when the program has had its share of this turn of the loop, all that
// the loop serves. In virtual time the share is counted, not timed: a run repeats.
gyre::Future<void> Tasks::let_others_run(bool is_interrupted) {
    if (has_had_its_share(is_interrupted)) {
        slice_count_ = 0;
        co_await gyre::sleep(Duration::zero());
    } else {
        co_await gyre::yield();
    }
}

bool Tasks::has_had_its_share(bool is_interrupted) noexcept {
    Loop& loop = scope.executor().loop();
    if (share_.is_timed(loop)) return true;  // run_turns() goes on until then.
    const Instant turn = loop.now();
    if (std::exchange(turn_, turn) != turn) slice_count_ = 0;
    if (is_interrupted) ++slice_count_;
    return slice_count_ >= slices_per_turn_max;
}

// An interruption is no suspension point: meanwhile no other handler of the actor runs.
bool Tasks::is_held_up(const VelaTask& task) noexcept {
    const ActorRef* actor = task.actor;
    return actor != nullptr && actor->busy != nullptr && actor->busy != &task;
}

bool Tasks::take_turn(VelaTask& task) {
    ActorRef* actor = task.actor;
    if (actor == nullptr) return go_on(task);
    actor->busy = nullptr;
    const bool is_done = go_on(task);
    if (!is_done) {
        actor->busy = &task;
        return false;
    }
    for (; actor->missed_turns > 0; --actor->missed_turns) queue_message(*actor);
    return true;
}

// A handle of another Future has no code of its own, and is not called.
inline Step Tasks::resume_top(VelaTask& task, Deferred& top, const Resume& with) {
    if (top.kind == Kind::task_handle && !top.is_frame) {
        return static_cast<TaskHandle&>(top).await_body(with);
    }
    const bool could_interrupt = std::exchange(vm.may_interrupt, static_cast<bool>(top.is_frame));
    const Step step =
        task.interrupted != nullptr ? vm.go_on_interrupted(task) : top.resume(vm, with);
    vm.may_interrupt = could_interrupt;
    return step;
}

namespace {
// The task that runs, and behind it the one before.
struct Running {
    Running(VelaTask*& at, VelaTask& now) noexcept : place(at), before(std::exchange(at, &now)) {}
    ~Running() { place = before; }
    VelaTask*& place;
    VelaTask* before;
};
}  // namespace

// Most bodies end in their first turn: these leave nothing behind of their task, which the next one uses.
bool Tasks::run_first(Frame& body, TaskHandle* handle, ActorRef* actor) {
    if (first_turn_ == nullptr) first_turn_ = take_spare_task();
    VelaTask& task = *first_turn_;
    task.chain.push_back(&body);
    task.actor = actor;
    task.is_started = true;
    task.number = handle != nullptr ? handle->number : ++task_count_;
    if (handle != nullptr) handle->task = &task;
    const Running running(vm.running, task);
    vm.may_interrupt = true;
    const Step step = body.Frame::resume(vm, {});
    vm.may_interrupt = false;
    if (step.kind == StepKind::ends) [[likely]] {
        task.chain.clear();
        task.is_cancel_wanted = false;
        if (handle != nullptr) {
            settle_handle(*handle, FutureState::fulfilled, step.value);
        } else {
            body.state = FutureState::fulfilled;
        }
        return true;
    }
    first_turn_ = nullptr;
    add_task(task);
    if (follow(task, step, true)) return true;
    if (actor != nullptr) actor->busy = &task;
    enqueue(task);
    return false;
}

bool Tasks::go_on(VelaTask& task) {
    const Resume with = task.take_next();
    // A cancel request is delivered once.
    const bool may_cancel = !task.is_cancel_wanted;
    if (vm.tells_steps && !task.chain.empty()) tell_turn(task, with);
    task.is_started = true;
    const Running running(vm.running, task);
    if (!task.chain.empty()) {
        return follow(task, resume_top(task, *task.chain.back(), with), may_cancel);
    }
    end_task(task);
    return true;
}

// Goes on from where its innermost body stopped.
bool Tasks::follow(VelaTask& task, Step step, bool may_cancel) {
    for (;;) {
        Resume with;
        if (step.kind == StepKind::interrupted) {
            vm.leave_interrupted(task);
            return false;
        }
        GYRE_ASSERT(step.kind != StepKind::yields, "a yield outside of a generator");
        if (step.kind != StepKind::waits) {
            with = end_innermost(task, step);
            if (task.chain.empty()) break;
        } else {
            auto& future = *static_cast<Deferred*>(step.value.thing());
            future.is_observed = true;
            if (vm.tells_steps) tell_await(task, future);
            if (future.is_settled()) {
                with = result_of(future);
            } else if (future.state == FutureState::unstarted) {
                with = begin_innermost(task, future);
            } else if (may_cancel && task.is_cancel_wanted) {
                may_cancel = false;
                with = {ResumeKind::error, vm.error("CancelledError", "the task was cancelled")};
            } else {
                future.add_waiter(task);
                task.waits_on = &future;
                return true;
            }
        }
        step = resume_top(task, *task.chain.back(), with);
    }
    end_task(task);
    return true;
}

Resume Tasks::begin_innermost(VelaTask& task, Deferred& future) {
    if (task.chain.size() >= vm.options.depth_max) {
        return {ResumeKind::error,
                vm.error("StackOverflowError", "Too many calls inside one another")};
    }
    future.state = FutureState::running;
    task.chain.push_back(&future);
    return {};
}

// How the one that awaits it goes on. An interpreter that was interrupted in a nested body ends that body.
Resume Tasks::end_innermost(VelaTask& task, const Step& step) {
    Deferred& ended = *task.chain.back();
    const bool is_error = step.kind == StepKind::fails;
    if (vm.tells_steps) tell_end(task, ended, step);
    task.chain.pop_back();
    const auto state = is_error ? FutureState::rejected : FutureState::fulfilled;
    if (ended.kind == Kind::task_handle) {
        settle_handle(static_cast<TaskHandle&>(ended), state, step.value);
    } else {
        settle(ended, state, step.value);
    }
    if (is_error && task.actor != nullptr && task.chain.empty()) report_handler(task, step.value);
    return result_of(ended);
}

}  // namespace gyre::vela::vm
