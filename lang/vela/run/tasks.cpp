// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/run/internal/tasks.hpp"

#include <algorithm>
#include <utility>

#include "gyre/base/detail/scope_exit.hpp"
#include "lang/vela/run/internal/exchange.hpp"

namespace gyre::vela::vm {
namespace {

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
    for (ProgramTimer* timer : timers_) marker.mark(&timer->owner());
    marker.mark(kept_);
    turns_.trace(marker);
    for (VelaTask* task : spare_tasks_) marker.mark(task);
    marker.mark(first_turn_);
    marker.mark(main_);
    if (vm.exchange != nullptr) vm.exchange->trace(marker);
}

VelaTask* Tasks::take_spare_task() {
    if (spare_tasks_.empty()) return vm.heap.make<VelaTask>();
    VelaTask* const task = spare_tasks_.back();
    spare_tasks_.pop_back();
    return task;
}

VelaTask* Tasks::make_task(Deferred& first, std::uint32_t number) {
    VelaTask* const task = take_spare_task();
    task->number = number;
    task->chain.push_back(&first);
    task->effects = vm.running == nullptr ? nullptr : vm.running->effects;
    add_task(*task);
    return task;
}

void Tasks::add_task(VelaTask& task) noexcept {
    task.next_task = all_;
    task.link = &all_;
    if (all_ != nullptr) all_->link = &task.next_task;
    all_ = &task;
}

// Nothing refers to a task that has ended: its handle has forgotten it, it waits for nothing and is
// not queued. The next task takes its place, in memory that is in the processor's cache.
void Tasks::end_task(VelaTask& task) {
    constexpr std::size_t spare_count_max = 64;
    drop_task(task);
    if (spare_tasks_.size() == spare_count_max) return;
    task.set_next({});
    task.is_queued = false;
    task.is_started = false;
    task.is_cancel_wanted = false;
    task.actor = nullptr;
    task.effects = nullptr;
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
    auto* future = vm.heap.make<Deferred>();
    future->state = FutureState::running;
    return future;
}

Deferred* Tasks::make_pending(std::string_view name) {
    auto* future = vm.heap.make<NamedFuture>(name);
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
    if (future.others_waiting == nullptr) return;
    const auto others = std::exchange(future.others_waiting, nullptr);
    for (const Waiter& waiter : *others) {
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
        future.add_behind(
            {nullptr, std::make_unique<FunctionCallback>(std::move(kept), std::move(callback))});
    }
}

void Tasks::start(Deferred& future) {
    if (future.state != FutureState::unstarted) return;
    future.state = FutureState::running;
    VelaTask* task = make_task(future, ++task_count_);
    // One that begins others that begin others: the system's stack ends, so the rest have their turns later.
    constexpr int nested_starts_max = 64;
    if (nested_starts_ == nested_starts_max) return enqueue(*task);
    ++nested_starts_;
    const ScopeExit count([this] { --nested_starts_; });
    if (!go_on(*task)) enqueue(*task);
}

TaskHandle* Tasks::spawn(Deferred& future, Group* group) {
    auto* handle = vm.heap.make<TaskHandle>(&future);
    queue_start(*handle, group);
    return handle;
}

// Until its first turn it is no more than its handle.
void Tasks::queue_start(TaskHandle& handle, Group* group) {
    handle.state = FutureState::running;
    handle.number = ++task_count_;
    if (group != nullptr && !group->is_closed) {
        handle.group = group;
        handle.is_observed = true;
        group->children.push_back(&handle);
    }
    queue_first_turn(handle, vm.running == nullptr ? nullptr : vm.running->effects);
}

TaskHandle* Tasks::spawn_in(Thing* effects, Deferred& future) {
    auto* handle = vm.heap.make<TaskHandle>(&future);
    handle->state = FutureState::running;
    handle->number = ++task_count_;
    queue_first_turn(*handle, effects);
    return handle;
}

void Tasks::queue_first_turn(TaskHandle& handle, Thing* effects) {
    if (effects == nullptr) [[likely]] {
        add_turn({&handle});
        return;
    }
    handle.task = make_task(handle, handle.number);
    handle.task->effects = effects;
    enqueue(*handle.task);
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
    VelaTask* const task = handle.task;
    if (task != nullptr && task->is_cancel_wanted) return false;
    const Word error = vm.error("CancelledError", "the task was cancelled");
    if (task == nullptr || !task->is_started) {
        // Its queued turn finds nothing to run, and drops it.
        if (task != nullptr) task->chain.clear();
        settle_handle(handle, FutureState::rejected, error);
        return true;
    }
    task->is_cancel_wanted = true;
    throw_at_wait(*task, error);
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
        if (future.others_waiting != nullptr) {
            std::erase_if(*future.others_waiting,
                          [&](const Waiter& waiter) { return waiter.task == &task; });
        }
        wake(task, {ResumeKind::error, error});
    } else if (task.is_queued && task.interrupted == nullptr) {
        task.set_next({ResumeKind::error, error});
    }
}

void Tasks::wake(VelaTask& task, Resume with) {
    task.waits_on = nullptr;
    task.set_next(with);
    enqueue(task);
}

}  // namespace gyre::vela::vm
