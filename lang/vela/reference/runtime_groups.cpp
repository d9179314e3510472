// SPDX-License-Identifier: Apache-2.0
// Scopes with their children, and streams with their generators.
#include <algorithm>

#include "lang/vela/reference/native_routine.hpp"
#include "lang/vela/reference/runtime.hpp"

namespace gyre::vela {
namespace {

// The next value of a generator: resumes its body, and forwards its awaits.
class NextRoutine : public Routine {
public:
    NextRoutine(Runtime& runtime, Iterator& iterator) : runtime_(runtime), iterator_(iterator) {}

    Step resume(const Resume& with) override {
        if (!is_begun_) {
            is_begun_ = true;
            if (iterator_.is_done) return {StepKind::ends, runtime_.heap.none()};
            if (iterator_.is_running) {
                return {StepKind::fails, runtime_.error("Error", "next() is already waited for")};
            }
            iterator_.is_running = true;
            iterator_.is_started = true;
        }
        const Step step = iterator_.routine->resume(with);
        if (step.kind == StepKind::waits) return step;
        iterator_.is_running = false;
        iterator_.is_done = step.kind != StepKind::yields;
        if (step.kind == StepKind::fails) return step;
        return {StepKind::ends,
                iterator_.is_done ? runtime_.heap.none() : runtime_.heap.some(step.value)};
    }

private:
    Runtime& runtime_;
    Iterator& iterator_;
    bool is_begun_ = false;
};

// Closes a suspended generator: its pending finally blocks run.
class CloseRoutine : public Routine {
public:
    explicit CloseRoutine(Iterator& iterator) : iterator_(iterator) {}

    Step resume(const Resume& with) override {
        Resume next = with;
        if (!is_begun_) {
            is_begun_ = true;
            const bool is_open = iterator_.is_started && !iterator_.is_done;
            iterator_.is_done = true;
            if (!is_open || iterator_.is_running) return {};
            next = {ResumeKind::close, {}};
        }
        Step step = iterator_.routine->resume(next);
        // Further values are dropped.
        while (step.kind == StepKind::yields) {
            step = iterator_.routine->resume({ResumeKind::close, {}});
        }
        if (step.kind == StepKind::ends) step.value = {};
        return step;
    }

private:
    Iterator& iterator_;
    bool is_begun_ = false;
};

NativeRoutine joined(Runtime* runtime, ScopeGroup* group, bool is_left_early,
                     std::optional<Value> error) {
    std::optional<Value> own_error;
    const auto cancel_all = [&] {
        for (std::size_t i = 0; i < group->children.size(); ++i) {
            runtime->cancel(*group->children[i]);
        }
    };
    if (is_left_early) cancel_all();
    // Children may still be spawned while it waits.
    for (std::size_t i = 0; i < group->children.size(); ++i) {
        TaskHandle* child = group->children[i];
        while (!child->is_settled()) {
            const Settled settled = co_await child;
            if (child->is_settled()) break;
            // Not a child that ended: the waiting task is cancelled.
            own_error = settled.value;
            cancel_all();
        }
    }
    group->is_closed = true;
    const bool is_of_child =
        error && group->interruption && error->thing() == group->interruption->thing();
    if (error && !is_of_child) throw Thrown{*error};
    if (own_error) throw Thrown{*own_error};
    if (group->failure) throw Thrown{*group->failure};
    co_return Value();
}

}  // namespace

// A generator suspended in a scope belongs to no task: it gets the failure at the end of the scope.
void Runtime::interrupt(ScopeGroup& group) {
    Task* task = std::exchange(group.task, nullptr);
    if (task == nullptr) return;
    const auto& chain = task->chain;
    if (std::find(chain.begin(), chain.end(), group.body) == chain.end()) return;
    group.interruption = error("CancelledError", "a task of the scope failed");
    throw_at_wait(*task, *group.interruption);
}

ScopeGroup* Runtime::open_scope() {
    auto* group = heap.make<ScopeGroup>();
    group->task = running_;
    group->body = running_ == nullptr ? nullptr : running_->chain.back();
    return group;
}

Future* Runtime::close_scope(ScopeGroup& group, bool is_left_early,
                             std::optional<Value> error_value) {
    group.task = nullptr;
    return make_future("scope", joined(this, &group, is_left_early, error_value));
}

Future* Runtime::next(Iterator& iterator) {
    return make_future("next", std::make_unique<NextRoutine>(*this, iterator));
}

Future* Runtime::close(Iterator& iterator) {
    return make_future("close", std::make_unique<CloseRoutine>(iterator));
}

}  // namespace gyre::vela
