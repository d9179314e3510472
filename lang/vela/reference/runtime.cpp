// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/reference/runtime.hpp"

#include <algorithm>

#include "lang/vela/reference/native_routine.hpp"

namespace gyre::vela {
namespace {

Resume result_of(const Future& future) {
    const bool is_error = future.state == FutureState::rejected;
    return {is_error ? ResumeKind::error : ResumeKind::value, future.result};
}

// The body of a spawned task: awaits its future.
NativeRoutine wait_for(Future* future) {
    const Settled settled = co_await future;
    co_return settled.get();
}

}  // namespace

Runtime::Runtime(const Program& of, RuntimeOptions options) : program(of), options_(options) {}

void Runtime::run(Function* main) {
    Future* ended = nullptr;
    const auto is_over = [&](const Value& error) {
        outcome.errors.push_back("Uncaught " + printed(error));
        outcome.exit_code = 1;
    };
    try {
        try {
            const Value value = main == nullptr ? Value() : main->call({});
            ended = value.as<Future>();
        } catch (const Thrown& thrown) {
            is_over(thrown.error);
        }
        if (ended != nullptr) {
            ended->is_observed = true;
            ended->waiting.push_back({nullptr, [&] {
                                          if (ended->state == FutureState::rejected)
                                              is_over(ended->result);
                                      }});
            start(*ended);
        }
        run_all();
    } catch (const InternalError& error) {
        outcome.internal_error = error.what;
    }
    for (const TaskHandle* handle : failed_) {
        if (handle->is_observed) continue;
        outcome.errors.push_back("unhandled rejection in task " + handle->name + ": " +
                                 printed(handle->result));
    }
    if (ended != nullptr && !ended->is_settled() && outcome.internal_error.empty()) {
        outcome.errors.push_back("deadlock: main waits on a Future that nothing can settle");
        outcome.exit_code = 3;
    }
    outcome.ended_at_ms = now_us_ / 1000;
}

void Runtime::run_all() {
    do {
        while (!ready_.empty()) {
            const auto job = std::move(ready_.front());
            ready_.pop_front();
            count_step();
            job();
        }
    } while (fire_timers());
}

// Advances time to the next timer; false if there is none.
bool Runtime::fire_timers() {
    std::erase_if(timers_, [](const auto& entry) { return !entry.second->on_fired; });
    if (timers_.empty()) return false;
    now_us_ = std::max(now_us_, timers_.begin()->first.first);
    while (!timers_.empty() && timers_.begin()->first.first <= now_us_) {
        Timer* timer = timers_.begin()->second;
        timers_.erase(timers_.begin());
        const auto on_fired = std::exchange(timer->on_fired, nullptr);
        if (on_fired) on_fired();
    }
    return true;
}

Value Runtime::error(std::string_view type, std::string message) {
    auto* object = heap.make<Object>(program.standard.declared.at(type).info);
    object->fields.emplace_back("message", heap.text(std::move(message)));
    return object;
}

void Runtime::fail(std::string_view type, std::string message) {
    throw Thrown{error(type, std::move(message))};
}

bool Runtime::is_error(const Value& value) const {
    const auto* object = value.as<Object>();
    return object != nullptr && is_kind_of(object->type, program.types.builtins.error);
}

bool Runtime::is_cancelled(const Value& value) const {
    const auto* object = value.as<Object>();
    return object != nullptr && is_kind_of(object->type, program.types.builtins.cancelled);
}

void Runtime::count_step() {
    if (++step_count_ > options_.step_count_max) throw InternalError{"the program does not end"};
}

Future* Runtime::make_future(std::string name, std::unique_ptr<Routine> routine) {
    auto* future = heap.make<Future>();
    future->name = std::move(name);
    future->routine = std::move(routine);
    return future;
}

Future* Runtime::make_pending() {
    auto* future = heap.make<Future>();
    future->state = FutureState::running;
    return future;
}

Iterator* Runtime::make_iterator(std::unique_ptr<Routine> routine) {
    auto* iterator = heap.make<Iterator>();
    iterator->routine = std::move(routine);
    return iterator;
}

void Runtime::settle(Future& future, FutureState state, Value result) {
    if (future.is_settled()) throw InternalError{"a future is settled twice"};
    future.state = state;
    future.result = result;
    for (const Waiter& waiter : std::exchange(future.waiting, {})) {
        if (waiter.task != nullptr) {
            wake(*waiter.task, result_of(future));
        } else {
            waiter.callback();
        }
    }
}

void Runtime::start(Future& future) {
    if (future.state != FutureState::unstarted) return;
    future.state = FutureState::running;
    auto* task = heap.make<Task>();
    task->chain.push_back(&future);
    go_on(*task);
}

TaskHandle* Runtime::spawn(Future& future, ScopeGroup* group) {
    if (group != nullptr && group->is_closed) group = nullptr;
    auto* handle = heap.make<TaskHandle>();
    handle->name = future.name;
    handle->state = FutureState::running;
    handle->routine = wait_for(&future);
    handle->task = heap.make<Task>();
    handle->task->chain.push_back(handle);
    const auto on_settled = [this, handle, group] {
        if (handle->state != FutureState::rejected) return;
        handle->is_cancelled = is_cancelled(handle->result);
        if (handle->is_cancelled) return;
        if (group == nullptr) {
            failed_.push_back(handle);
            return;
        }
        if (group->failure) return;
        group->failure = handle->result;
        for (std::size_t i = 0; i < group->children.size(); ++i) cancel(*group->children[i]);
        interrupt(*group);
    };
    handle->waiting.push_back({nullptr, on_settled});
    if (group != nullptr) {
        handle->is_observed = true;
        group->children.push_back(handle);
    }
    wake(*handle->task, {});
    return handle;
}

bool Runtime::cancel(TaskHandle& handle) {
    Task& task = *handle.task;
    if (handle.is_settled() || task.is_cancel_wanted) return false;
    task.is_cancel_wanted = true;
    const Value error_value = error("CancelledError", "the task was cancelled");
    if (!task.is_started) {
        task.chain.clear();
        settle(handle, FutureState::rejected, error_value);
        return true;
    }
    throw_at_wait(task, error_value);
    return true;
}

// A waiting or ready task throws at its current await; the running task at its next one.
void Runtime::throw_at_wait(Task& task, Value error_value) {
    if (task.waits_on != nullptr) {
        std::erase_if(task.waits_on->waiting,
                      [&](const Waiter& waiter) { return waiter.task == &task; });
        wake(task, {ResumeKind::error, error_value});
    } else if (task.is_queued) {
        task.next = {ResumeKind::error, error_value};
    }
}

void Runtime::wake(Task& task, Resume with) {
    task.waits_on = nullptr;
    task.next = with;
    task.is_queued = true;
    enqueue([this, &task] {
        task.is_queued = false;
        go_on(task);
    });
}

// Runs until its innermost future waits for a future of another task, or without a task.
void Runtime::go_on(Task& task) {
    Resume with = std::exchange(task.next, {});
    // A cancel request is delivered once.
    bool may_cancel = !task.is_cancel_wanted;
    task.is_started = true;
    struct Running {
        Task*& place;
        Task* before;
        ~Running() { place = before; }
    };
    const Running running{running_, std::exchange(running_, &task)};
    while (!task.chain.empty()) {
        count_step();
        Future& top = *task.chain.back();
        const Step step = top.routine->resume(with);
        if (step.kind == StepKind::yields) throw InternalError{"a yield outside of a generator"};
        if (step.kind != StepKind::waits) {
            const bool is_error = step.kind == StepKind::fails;
            task.chain.pop_back();
            settle(top, is_error ? FutureState::rejected : FutureState::fulfilled, step.value);
            with = result_of(top);
            continue;
        }
        auto* future = step.value.as<Future>();
        if (future == nullptr) throw InternalError{"awaits " + printed(step.value)};
        future->is_observed = true;
        if (future->is_settled()) {
            with = result_of(*future);
        } else if (future->state == FutureState::unstarted) {
            future->state = FutureState::running;
            task.chain.push_back(future);
            with = {};
        } else if (may_cancel && task.is_cancel_wanted) {
            may_cancel = false;
            with = {ResumeKind::error, error("CancelledError", "the task was cancelled")};
        } else {
            future->waiting.push_back({&task, nullptr});
            task.waits_on = future;
            return;
        }
    }
}

ActorRef* Runtime::make_actor(Object& actor, Function* handler) {
    auto* reference = heap.make<ActorRef>();
    reference->actor = &actor;
    reference->handler = handler;
    actor.actor = reference;
    return reference;
}

// Every message is a turn of its own, in order; while a handler waits, the next message is handled.
void Runtime::send(ActorRef& to, Value message) {
    enqueue([this, &to, message] {
        const auto report = [this, &to](const Value& error_value) {
            outcome.errors.push_back("unhandled error in actor " +
                                     std::string(to.actor->type->name.text) + ": " +
                                     printed(error_value));
        };
        try {
            const Value value = to.handler->call({message});
            auto* future = value.as<Future>();
            if (future == nullptr) return;
            future->is_observed = true;
            future->waiting.push_back({nullptr, [report, future] {
                                           if (future->state == FutureState::rejected)
                                               report(future->result);
                                       }});
            start(*future);
        } catch (const Thrown& thrown) {
            report(thrown.error);
        }
    });
}

Timer* Runtime::start_timer(std::int64_t delay_ms, std::function<void()> on_fired) {
    auto* timer = heap.make<Timer>();
    timer->on_fired = std::move(on_fired);
    const std::int64_t delay_us = std::clamp<std::int64_t>(delay_ms, 0, INT32_MAX) * 1000;
    timers_.emplace(std::pair{now_us_ + delay_us, ++timer_count_}, timer);
    return timer;
}

std::int64_t Runtime::now() {
    return ++now_us_ / 1000;
}

void Runtime::enqueue(std::function<void()> job) {
    ready_.push_back(std::move(job));
}

}  // namespace gyre::vela
