// SPDX-License-Identifier: Apache-2.0
// Scopes with their children, and streams with their generators.
#include <algorithm>
#include <utility>

#include "lang/vela/run/internal/native_routine.hpp"
#include "lang/vela/run/internal/tasks.hpp"

namespace gyre::vela::vm {
namespace {

// The next value of a stream: resumes its body, and passes its awaits on.
class NextRoutine final : public Routine {
public:
    explicit NextRoutine(Stream& stream) noexcept : stream_(stream) {}

    Step resume(Vm& vm, const Resume& with) override {
        if (!is_begun_) {
            is_begun_ = true;
            if (stream_.is_done) return {StepKind::ends, vm.none()};
            if (stream_.is_running) {
                return {StepKind::fails, vm.error("Error", "next() is already waited for")};
            }
            stream_.is_running = true;
            stream_.is_started = true;
        }
        const Step step = stream_.resume(vm, with);
        if (step.kind == StepKind::waits) return step;
        stream_.is_running = false;
        stream_.is_done = step.kind != StepKind::yields;
        if (step.kind == StepKind::fails) return step;
        return {StepKind::ends, stream_.is_done ? vm.none() : vm.some(step.value)};
    }
    void trace(Marker& marker) override { marker.mark(&stream_); }

private:
    Stream& stream_;
    bool is_begun_ = false;
};

// Closes a suspended generator: its pending finally blocks run.
class CloseRoutine final : public Routine {
public:
    explicit CloseRoutine(Stream& stream) noexcept : stream_(stream) {}

    Step resume(Vm& vm, const Resume& with) override {
        Resume next = with;
        if (!is_begun_) {
            is_begun_ = true;
            const bool is_open = stream_.is_started && !stream_.is_done;
            stream_.is_done = true;
            if (!is_open || stream_.is_running) return {};
            next = {ResumeKind::close, Word::nothing()};
        }
        Step step = stream_.resume(vm, next);
        // Further values are dropped.
        while (step.kind == StepKind::yields) {
            step = stream_.resume(vm, {ResumeKind::close, Word::nothing()});
        }
        if (step.kind == StepKind::ends) step.value = Word::nothing();
        return step;
    }
    void trace(Marker& marker) override { marker.mark(&stream_); }

private:
    Stream& stream_;
    bool is_begun_ = false;
};

void cancel_children(Tasks& tasks, Group& group) {
    for (std::size_t i = 0; i < group.children.size(); ++i) tasks.cancel(*group.children[i]);
}

NativeRoutine joined(Tasks* tasks, Group* group, bool is_left_early, Word error) {
    Kept kept = co_await keep();
    Word own_error;
    if (is_left_early) cancel_children(*tasks, *group);
    // Children may still be spawned while it waits.
    for (std::size_t i = 0; i < group->children.size(); ++i) {
        TaskHandle* child = group->children[i];
        while (!child->is_settled()) {
            const Settled settled = co_await static_cast<Deferred*>(child);
            if (child->is_settled()) break;
            // Not a child that ended: the waiting task is cancelled.
            own_error = kept.add(settled.value);
            cancel_children(*tasks, *group);
        }
    }
    group->is_closed = true;
    const bool is_of_child = group->interruption && error == *group->interruption;
    if (!error.is_missing() && !is_of_child) throw Thrown{error};
    if (!own_error.is_missing()) throw Thrown{own_error};
    if (group->failure) throw Thrown{*group->failure};
    co_return Word::nothing();
}

}  // namespace

// A generator suspended in a scope belongs to no task: it gets the failure at the end of the scope.
void Tasks::interrupt(Group& group) {
    VelaTask* task = std::exchange(group.task, nullptr);
    if (task == nullptr) return;
    const auto& chain = task->chain;
    if (std::find(chain.begin(), chain.end(), group.body) == chain.end()) return;
    group.interruption = vm.error("CancelledError", "a task of the scope failed");
    throw_at_wait(*task, *group.interruption);
}

Group* Tasks::open_scope() {
    auto* group = vm.heap.make<Group>();
    group->task = vm.running;
    group->body = vm.running == nullptr ? nullptr : vm.running->chain.back();
    return group;
}

Deferred* Tasks::close_scope(Group& group, bool is_left_early, Word error) {
    group.task = nullptr;
    return make_native("scope",
                       joined(this, &group, is_left_early, error).keeping({&group, error}));
}

Deferred* Tasks::next(Stream& stream) {
    return make_native("next", std::make_unique<NextRoutine>(stream));
}

Deferred* Tasks::close(Stream& stream) {
    return make_native("close", std::make_unique<CloseRoutine>(stream));
}

}  // namespace gyre::vela::vm
