// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/run/internal/tasks.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "gyre/task/core/sleep.hpp"
#include "lang/vela/run/internal/exchange.hpp"
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

void Chain::grow() {
    auto larger = std::make_unique_for_overwrite<Deferred*[]>(capacity_ * std::size_t{2});
    std::copy_n(data(), size_, larger.get());
    more_ = std::move(larger);
    capacity_ *= 2;
}

VelaTask::VelaTask() noexcept : Thing(Kind::task) {}
VelaTask::~VelaTask() = default;

Frame::Frame(const Function* of) noexcept : Deferred(of->future_name), function(of), at(of->entry) {
    is_frame = true;
    std::memset(static_cast<void*>(registers()), 0, of->slot_count * sizeof(Slot));
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
    marker.mark(actor);
    marker.mark(effects);
    marker.mark(next.value);
    if (interrupted != nullptr) interrupted->trace(marker);
}
void Promise::trace(Marker& marker) {
    marker.mark(future);
}
void PromiseFuture::trace(Marker& marker) {
    Deferred::trace(marker);
    marker.mark(promise);
}
void Stream::trace(Marker& marker) {
    marker.mark(frame);
    if (routine != nullptr) routine->trace(marker);
}
void ActorRef::trace(Marker& marker) {
    marker.mark(actor);
    marker.mark(std::span(mailbox).subspan(next_message));
    marker.mark(busy);
}

// ---- tasks

Tasks::Tasks(Vm& of, Scope& in, PromiseBase& promise, Clock& clock)
    : vm(of), scope(in), promise_(promise), clock_(clock), started_(clock.now()) {
    vm.tasks = this;
}

Tasks::~Tasks() {
    extension.reset();
    vm.tasks = nullptr;
    while (all_ != nullptr) drop_task(*all_);
}

void Tasks::trace(Marker& marker) {
    for (VelaTask* task = all_; task != nullptr; task = task->next_task) marker.mark(task);
    for (TaskHandle* handle : failed_) marker.mark(handle);
    for (Timer* timer : timers_) marker.mark(timer);
    marker.mark(kept_);
    turns_.trace(marker);
    for (VelaTask* task : spare_tasks_) marker.mark(task);
    marker.mark(main_);
    if (vm.exchange != nullptr) vm.exchange->trace(marker);
}

VelaTask* Tasks::make_task(Deferred& first) {
    VelaTask* task = nullptr;
    if (spare_tasks_.empty()) {
        task = vm.heap.make<VelaTask>();
    } else {
        task = spare_tasks_.back();
        spare_tasks_.pop_back();
    }
    task->number = ++task_count_;
    task->chain.push_back(&first);
    task->effects = vm.running == nullptr ? nullptr : vm.running->effects;
    task->next_task = all_;
    task->link = &all_;
    if (all_ != nullptr) all_->link = &task->next_task;
    all_ = task;
    return task;
}

// Nothing refers to a task that has ended: its handle has forgotten it, it waits for nothing and is
// not queued. The next task takes its place, in memory that is in the processor's cache.
void Tasks::end_task(VelaTask& task) {
    constexpr std::size_t spare_count_max = 64;
    drop_task(task);
    if (spare_tasks_.size() == spare_count_max) return;
    task.next = {};
    task.is_queued = false;
    task.is_started = false;
    task.is_cancel_wanted = false;
    task.actor = nullptr;
    task.effects = nullptr;
    task.interrupted_at = nullptr;
    spare_tasks_.push_back(&task);
}

void Tasks::drop_task(VelaTask& task) noexcept {
    if (task.link == nullptr) return;
    *task.link = task.next_task;
    if (task.next_task != nullptr) task.next_task->link = task.link;
    task.link = nullptr;
}

Promise* Tasks::make_promise() {
    auto* future = vm.heap.make<PromiseFuture>();
    auto* promise = vm.heap.make<Promise>(future);
    future->promise = promise;
    return promise;
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
    if (handle.is_settled()) return false;
    VelaTask& task = *handle.task;
    if (task.is_cancel_wanted) return false;
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
    handle.task = nullptr;
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
    add_turn({TurnKind::task, &task});
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
        } else if (turn.kind == TurnKind::task) {
            is_done = take_queued_turn(static_cast<VelaTask&>(*turn.what));
        } else if (turn.kind == TurnKind::message) {
            handle_next(static_cast<ActorRef&>(*turn.what));
        } else {
            call_now(Word(turn.what), turn.name);
        }
    } catch (const Ended&) {
    }
    end_outside();
    return is_done;
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

bool Tasks::go_on(VelaTask& task) {
    Resume with = std::exchange(task.next, {});
    // A cancel request is delivered once.
    bool may_cancel = !task.is_cancel_wanted;
    if (vm.tells_steps && !task.chain.empty()) tell_turn(task, with);
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
            if (vm.tells_steps) tell_end(task, ended, step);
            task.chain.pop_back();
            const auto state = is_error ? FutureState::rejected : FutureState::fulfilled;
            if (ended.kind == Kind::task_handle) {
                settle_handle(static_cast<TaskHandle&>(ended), state, step.value);
            } else {
                settle(ended, state, step.value);
            }
            if (is_error && task.actor != nullptr && task.chain.empty())
                report_handler(task, step.value);
            with = result_of(ended);
            continue;
        }
        auto& future = *static_cast<Deferred*>(step.value.thing());
        future.is_observed = true;
        if (vm.tells_steps) tell_await(task, future);
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
    end_task(task);
    return true;
}

}  // namespace gyre::vela::vm
