// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/run/internal/tasks.hpp"

#include <algorithm>
#include <utility>

#include "gyre/task/core/sleep.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::vm {
namespace {

Resume result_of(const Deferred& future) {
    const bool is_error = future.state == FutureState::rejected;
    return {is_error ? ResumeKind::error : ResumeKind::value, future.result};
}

class FunctionCallback final : public Callback {
public:
    using Function = std::move_only_function<void(Vm& vm, std::span<const Word> kept)>;
    FunctionCallback(std::vector<Word> kept, Function function)
        : kept_(std::move(kept)), function_(std::move(function)) {}
    void on_settled(Vm& vm) override { function_(vm, kept_); }
    void trace(Marker& marker) override { marker.mark(kept_); }

private:
    std::vector<Word> kept_;
    Function function_;
};

}  // namespace

// ---- things

VelaTask::VelaTask() noexcept : Thing(Kind::task) {}
VelaTask::~VelaTask() = default;

Frame::Frame(const Function* of) noexcept : Deferred(""), function(of), at(of->begin()) {
    is_frame = true;
    if (of->code->function != nullptr) {
        name = of->code->function->name.text;
    } else {
        const std::size_t dot = of->code->name.rfind('.');
        const bool is_block = of->code->name.compare(dot + 1, 5, "async") == 0;
        name = is_block ? "block" : "lambda";
    }
    for (std::size_t i = 0; i < of->register_count(); ++i) registers()[i].bits = 0;
}

Step Deferred::resume(Vm& /*vm*/, const Resume& /*with*/) {
    GYRE_ASSERT(false, "a future without a body is resumed");
    return {};
}
Step Frame::resume(Vm& vm, const Resume& with) {
    const Step step = vm.run(*this, with);
    // A plain function, as main may be one, leaves its value in a slot.
    if (step.kind == StepKind::ends && function->code->kind == CodeKind::plain) {
        return {StepKind::ends, Word::nothing()};
    }
    return step;
}
Step NativeFuture::resume(Vm& vm, const Resume& with) {
    return routine->resume(vm, with);
}
// Awaits its body, then ends as that did.
Step TaskHandle::resume(Vm& /*vm*/, const Resume& with) {
    if (!std::exchange(is_body_awaited, true)) return {StepKind::waits, body};
    return {with.kind == ResumeKind::error ? StepKind::fails : StepKind::ends, with.value};
}

void Deferred::trace(Marker& marker) {
    marker.mark(result);
    marker.mark(first_waiting);
    for (const Waiter& waiter : waiting) {
        marker.mark(waiter.task);
        if (waiter.callback != nullptr) waiter.callback->trace(marker);
    }
}
void Frame::trace(Marker& marker) {
    Deferred::trace(marker);
    if (is_settled()) return;
    for (std::size_t i = 0; i < function->register_count(); ++i) {
        if (function->reps[i] == Rep::word) marker.mark(registers()[i].word());
    }
}
void NativeFuture::trace(Marker& marker) {
    Deferred::trace(marker);
    routine->trace(marker);
}
void TaskHandle::trace(Marker& marker) {
    Deferred::trace(marker);
    marker.mark(body);
    marker.mark(task);
    marker.mark(group);
}
void Group::trace(Marker& marker) {
    for (TaskHandle* child : children) marker.mark(child);
    if (failure) marker.mark(*failure);
    marker.mark(task);
    marker.mark(body);
    if (interruption) marker.mark(*interruption);
}
void VelaTask::trace(Marker& marker) {
    for (Deferred* future : chain) marker.mark(future);
    marker.mark(waits_on);
    marker.mark(next.value);
    if (interrupted != nullptr) interrupted->trace(marker);
}
void Promise::trace(Marker& marker) {
    marker.mark(future);
}
void Stream::trace(Marker& marker) {
    marker.mark(frame);
    if (routine != nullptr) routine->trace(marker);
}
void ActorRef::trace(Marker& marker) {
    marker.mark(actor);
}

// ---- tasks

Tasks::Tasks(Vm& of, Scope& in, PromiseBase& promise, Clock& clock)
    : vm(of), scope(in), promise_(promise), clock_(clock), started_(clock.now()) {
    vm.tasks = this;
}

Tasks::~Tasks() {
    vm.tasks = nullptr;
    while (all_ != nullptr) drop_task(*all_);
}

void Tasks::trace(Marker& marker) {
    for (VelaTask* task = all_; task != nullptr; task = task->next_task) marker.mark(task);
    for (TaskHandle* handle : failed_) marker.mark(handle);
    for (Timer* timer : timers_) marker.mark(timer);
    marker.mark(kept_);
    marker.mark(main_);
}

VelaTask* Tasks::make_task(Deferred& first) {
    auto* task = vm.heap.make<VelaTask>();
    task->chain.push_back(&first);
    task->next_task = all_;
    task->link = &all_;
    if (all_ != nullptr) all_->link = &task->next_task;
    all_ = task;
    return task;
}

// It has ended: only handles keep it.
void Tasks::drop_task(VelaTask& task) noexcept {
    if (task.link == nullptr) return;
    *task.link = task.next_task;
    if (task.next_task != nullptr) task.next_task->link = task.link;
    task.link = nullptr;
}

Deferred* Tasks::make_pending() {
    auto* future = vm.heap.make<Deferred>("");
    future->state = FutureState::running;
    return future;
}

void Tasks::settle(Deferred& future, FutureState state, Word result) {
    GYRE_ASSERT(!future.is_settled(), "a future is settled twice");
    future.state = state;
    future.result = result;
    if (VelaTask* first = std::exchange(future.first_waiting, nullptr)) {
        wake(*first, result_of(future));
    }
    if (future.waiting.empty()) return;
    for (const Waiter& waiter : std::exchange(future.waiting, {})) {
        if (waiter.task != nullptr) {
            wake(*waiter.task, result_of(future));
        } else {
            waiter.callback->on_settled(vm);
        }
    }
}

void Tasks::when_settled(
    Deferred& future, std::vector<Word> kept,
    std::move_only_function<void(Vm& vm, std::span<const Word> kept)> callback) {
    future.is_observed = true;
    if (future.is_settled()) {
        callback(vm, kept);
    } else {
        future.waiting.push_back(
            {nullptr, std::make_unique<FunctionCallback>(std::move(kept), std::move(callback))});
    }
}

void Tasks::start(Deferred& future) {
    if (future.state != FutureState::unstarted) return;
    future.state = FutureState::running;
    VelaTask* task = make_task(future);
    if (!go_on(*task)) enqueue(*task);
}

TaskHandle* Tasks::spawn(Deferred& future, Group* group) {
    if (group != nullptr && group->is_closed) group = nullptr;
    auto* handle = vm.heap.make<TaskHandle>(&future);
    handle->state = FutureState::running;
    handle->task = make_task(*handle);
    handle->group = group;
    if (group != nullptr) {
        handle->is_observed = true;
        group->children.push_back(handle);
    }
    wake(*handle->task, {});
    return handle;
}

// Before its waiters run: whether its failure concerns its scope, or nobody.
void Tasks::on_task_ended(TaskHandle& handle) {
    if (handle.state != FutureState::rejected) return;
    handle.is_cancelled = vm.is_cancelled(handle.result);
    if (handle.is_cancelled) return;
    Group* group = handle.group;
    if (group == nullptr) {
        failed_.push_back(&handle);
        return;
    }
    if (group->failure) return;
    group->failure = handle.result;
    for (std::size_t i = 0; i < group->children.size(); ++i) cancel(*group->children[i]);
    interrupt(*group);
}

bool Tasks::cancel(TaskHandle& handle) {
    VelaTask& task = *handle.task;
    if (handle.is_settled() || task.is_cancel_wanted) return false;
    task.is_cancel_wanted = true;
    const Word error = vm.error("CancelledError", "the task was cancelled");
    if (!task.is_started) {
        // Its queued turn finds nothing to run, and drops it.
        task.chain.clear();
        settle_handle(handle, FutureState::rejected, error);
        return true;
    }
    throw_at_wait(task, error);
    return true;
}

void Tasks::settle_handle(TaskHandle& handle, FutureState state, Word result) {
    // The scope hears of it before those who wait for the task.
    handle.state = state;
    handle.result = result;
    on_task_ended(handle);
    handle.state = FutureState::running;
    settle(handle, state, result);
}

// A waiting or ready task throws at its current await; the running task at its next one.
void Tasks::throw_at_wait(VelaTask& task, Word error) {
    if (task.waits_on != nullptr) {
        Deferred& future = *task.waits_on;
        if (future.first_waiting == &task) future.first_waiting = nullptr;
        std::erase_if(future.waiting, [&](const Waiter& waiter) { return waiter.task == &task; });
        wake(task, {ResumeKind::error, error});
    } else if (task.is_queued && task.interrupted == nullptr) {
        task.next = {ResumeKind::error, error};
    }
}

void Tasks::wake(VelaTask& task, Resume with) {
    task.waits_on = nullptr;
    task.next = with;
    enqueue(task);
}

void Tasks::enqueue(VelaTask& task) {
    task.is_queued = true;
    begin_queued();
    scope.spawn(drive(&task));
}

// One turn of a task: until it waits or ends.
gyre::Future<void> Tasks::drive(VelaTask* task) {
    --queued_count_;
    bool is_interrupted = true;
    while (is_interrupted && !exit_code_) {
        task->is_queued = false;
        try {
            is_interrupted = !go_on(*task);
        } catch (const Ended&) {
            break;
        }
        if (!is_interrupted) break;
        task->is_queued = true;
        co_await gyre::yield();
    }
    end_outside();
}

bool Tasks::go_on(VelaTask& task) {
    Resume with = std::exchange(task.next, {});
    // A cancel request is delivered once.
    bool may_cancel = !task.is_cancel_wanted;
    task.is_started = true;
    struct Running {
        VelaTask*& place;
        VelaTask* before;
        ~Running() { place = before; }
    };
    const Running running{vm.running, std::exchange(vm.running, &task)};
    while (!task.chain.empty()) {
        Deferred& top = *task.chain.back();
        const bool could_interrupt = std::exchange(vm.may_interrupt, top.is_frame);
        const Step step =
            task.interrupted != nullptr ? vm.go_on_interrupted(task) : top.resume(vm, with);
        vm.may_interrupt = could_interrupt;
        if (step.kind == StepKind::interrupted) {
            vm.leave_interrupted(task);
            return false;
        }
        GYRE_ASSERT(step.kind != StepKind::yields, "a yield outside of a generator");
        if (step.kind != StepKind::waits) {
            // An interpreter that was interrupted in a nested body ends that body.
            Deferred& ended = *task.chain.back();
            const bool is_error = step.kind == StepKind::fails;
            task.chain.pop_back();
            const auto state = is_error ? FutureState::rejected : FutureState::fulfilled;
            if (ended.kind == Kind::task_handle) {
                settle_handle(static_cast<TaskHandle&>(ended), state, step.value);
            } else {
                settle(ended, state, step.value);
            }
            with = result_of(ended);
            continue;
        }
        auto& future = *static_cast<Deferred*>(step.value.thing());
        future.is_observed = true;
        if (future.is_settled()) {
            with = result_of(future);
        } else if (future.state == FutureState::unstarted) {
            if (task.chain.size() >= vm.options.depth_max) {
                with = {ResumeKind::error,
                        vm.error("StackOverflowError", "Too many calls inside one another")};
                continue;
            }
            future.state = FutureState::running;
            task.chain.push_back(&future);
            with = {};
        } else if (may_cancel && task.is_cancel_wanted) {
            may_cancel = false;
            with = {ResumeKind::error, vm.error("CancelledError", "the task was cancelled")};
        } else {
            if (future.first_waiting == nullptr && future.waiting.empty()) {
                future.first_waiting = &task;
            } else {
                future.waiting.push_back({&task, nullptr});
            }
            task.waits_on = &future;
            return true;
        }
    }
    drop_task(task);
    return true;
}

}  // namespace gyre::vela::vm
