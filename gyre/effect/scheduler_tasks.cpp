// SPDX-License-Identifier: Apache-2.0
// Tasks inside a run: how a guest spawns, awaits and cancels them. A capability is good for one
// wait; after it the value or the failure message can be taken.
#include <map>
#include <utility>

#include "gyre/effect/internal/task_calls.hpp"
#include "gyre/effect/scheduler.hpp"

namespace gyre::effect {

Capability Scheduler::spawn(RunTask& owner, TaskHost::Spawn how, Continuation body) {
    Run& run = owner.run;
    const auto refuse = [&](ErrorKind kind, const std::string& message) {
        if (body != 0) run.guest.release(body);
        throw ProtocolError(kind, message);
    };
    if (body == 0) refuse(ErrorKind::invalid_request, "a task without a body");
    if (run.family() == nullptr) run.need_extras().family = std::make_unique<Run::Family>();
    Run::Family& family = *run.family();
    if (!owner.is_live()) refuse(ErrorKind::stale_task, "the task that spawns has ended");
    if (family.tasks.size() >= options_.task_count_max) {
        refuse(ErrorKind::task_limit, "more than task_count_max (" +
                                          std::to_string(options_.task_count_max) +
                                          ") tasks in a run");
    }
    auto task = std::make_unique<ChildTask>(run, family.last_id + 1);
    ChildTask& child = *task;
    child.capability = new_capability(family);
    child.owner = &owner;
    child.continuation = body;
    child.is_detached = how == TaskHost::Spawn::detached;
    family.tasks.emplace(child.capability, std::move(task));
    ++family.last_id;
    ++family.live_count;
    (child.is_detached ? family.detached : *owner.attached()).push_back(child);
    if (is_observed())
        observe({.kind = RunEventKind::started,
                 .run = run.id,
                 .task = child.id,
                 .text = child.is_detached ? "detached" : "attached"});
    make_ready(child);
    GYRE_ASSERT(child.capability != 0, "capability 0 names no task");
    return child.capability;
}

Capability Scheduler::new_capability(const Run::Family& family) noexcept {
    for (;;) {
        const auto capability = static_cast<Capability>(random_.next() >> 33u);
        if (capability != 0 && !family.tasks.contains(capability)) return capability;
    }
}

// Null: it names no task of the run.
ChildTask* Scheduler::lookup(Run& run, Capability capability) noexcept {
    Run::Family* family = run.family();
    if (family == nullptr) return nullptr;
    const auto found = family->tasks.find(capability);
    return found == family->tasks.end() ? nullptr : found->second.get();
}

ChildTask& Scheduler::find_task(Run& run, Capability capability) {
    if (ChildTask* task = lookup(run, capability)) return *task;
    throw ProtocolError(ErrorKind::stale_task,
                        "task capability is stale: it names no task of this run");
}

namespace {

Value status_of(const ChildTask& child) noexcept {
    return static_cast<std::int32_t>(child.end);
}

}  // namespace

void Scheduler::wait_for(RunTask& task, Capability capability) {
    if (task.continuation == 0) {
        throw ProtocolError(ErrorKind::invalid_request, "a wait without a continuation");
    }
    ChildTask& child = find_task(task.run, capability);
    if (child.is_observed) {
        throw ProtocolError(ErrorKind::stale_task, "the task has already been observed");
    }
    if (&child == &task) {
        throw ProtocolError(ErrorKind::stale_task, "a task cannot wait for itself");
    }
    if (is_observed()) observe({.kind = RunEventKind::waits, .run = task.run.id, .task = task.id});
    child.is_observed = true;
    if (!child.is_live()) {
        accept(task, effect::resume(status_of(child)));
        return;
    }
    GYRE_ASSERT(child.waiter == nullptr, "a capability is good for one wait");
    child.waiter = &task;
    task.wait_for(nullptr);
}

void Scheduler::on_child_ended(ChildTask& child) noexcept {
    GYRE_ASSERT(!child.is_live(), "a task reports its end after it has left the ready queue");
    GYRE_ASSERT(child.run.family()->live_count > 0, "a task ends once");
    child.unlink();
    --child.run.family()->live_count;
    // A waiter that has ended is kept in the run's table until the run is freed.
    if (RunTask* waiter = std::exchange(child.waiter, nullptr)) {
        accept(*waiter, effect::resume(status_of(child)));
    }
    if (!child.is_detached) end_if_complete(*child.owner);
}

ChildTask* Scheduler::first_unobserved(const RunTask& owner) noexcept {
    const Run::Family* family = owner.run.family();
    if (family == nullptr || family->failed_count == 0) return nullptr;
    ChildTask* first = nullptr;
    for (const auto& [capability, child] : family->tasks) {
        const bool counts = !child->is_detached && child->owner == &owner && !child->is_live() &&
                            child->end == RunTask::End::failed && !child->is_observed;
        if (counts && (first == nullptr || child->id < first->id)) first = child.get();
    }
    return first;
}

void Scheduler::report_detached(const Run& run) noexcept {
    if (run.family()->failed_count == 0) return;
    std::map<std::uint32_t, const ChildTask*> failed;  // in the order of spawning
    for (const auto& [capability, child] : run.family()->tasks) {
        const bool counts =
            child->is_detached && !child->is_observed && child->end == RunTask::End::failed;
        if (counts) failed[child->id] = child.get();
    }
    for (const auto& [id, child] : failed) tell_sink(run, child->error);
}

// As the reference host: a capability that names no task is no error here.
bool Scheduler::TaskCalls::cancel(Capability capability) {
    ChildTask* child = lookup(task_.run, capability);
    if (child == nullptr || !child->is_live()) return false;
    child->end = RunTask::End::cancelled;
    scheduler_.end_early(*child);
    return true;
}

std::unique_ptr<ChildTask> Scheduler::TaskCalls::take(Capability capability) {
    const ChildTask& child = find_task(task_.run, capability);
    if (child.is_live() || !child.is_observed || child.end != RunTask::End::value) {
        throw ProtocolError(ErrorKind::stale_task, "the task has no value to take: wait for it");
    }
    GYRE_ASSERT(child.waiter == nullptr, "a task that has ended has told its waiter");
    return std::move(task_.run.family()->tasks.extract(capability).mapped());
}

Value Scheduler::TaskCalls::take_value(Capability capability) {
    const std::unique_ptr<ChildTask> child = take(capability);
    if (child->held != 0) task_.run.guest.drop(std::exchange(child->held, 0));
    return std::move(child->answer);
}

Held Scheduler::TaskCalls::take_held(Capability capability) {
    return std::exchange(take(capability)->held, 0);
}

std::string Scheduler::TaskCalls::failure_message(Capability capability) {
    const ChildTask& child = find_task(task_.run, capability);
    if (child.is_live() || child.end != RunTask::End::failed) {
        throw ProtocolError(ErrorKind::stale_task, "the task has not failed");
    }
    return child.error.message;
}

}  // namespace gyre::effect
