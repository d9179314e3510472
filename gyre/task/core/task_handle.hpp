// SPDX-License-Identifier: Apache-2.0
// TaskHandle<T>: the state and the outcome of a spawned task, and a way to cancel it. Dropping the
// handle does nothing to the task, which belongs to its scope.
//
//     TaskHandle<int> task = scope.spawn(count);
//     task.cancel("no longer needed");
//
// Thread: the task's thread.
// Lifetime: keeps the outcome alive, not the task running.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/future.hpp"

namespace gyre {

// A task with room for its outcome. Made by Scope::spawn and Future::poll; lives as Task says.
template <class T>
class TaskBlock : public Task, public Pooled {
public:
    TaskBlock(Scope& scope, Future<T>&& future) noexcept : Task(scope) {
        begin_with(std::move(future));
    }

    [[nodiscard]] Outcome<T>& outcome() noexcept { return slot_.outcome; }

protected:
    explicit TaskBlock(Scope& scope) noexcept : Task(scope) {}
    ~TaskBlock() override {
        if (!slot_.outcome.is_settled() && leaf_ != nullptr) outermost().destroy();
    }

    void begin_with(Future<T>&& future) noexcept {
        leaf_ = &future.release().promise();
        leaf_->join(*this, slot_);
    }

    [[nodiscard]] std::exception_ptr failure() const noexcept override {
        return slot_.outcome.failure();
    }
    void release() noexcept override {}
    void end_unstarted(std::exception_ptr cancelled) noexcept override {
        outermost().destroy();
        may_have_failed_ = true;
        slot_.outcome.set_exception(std::move(cancelled));
    }
    // Derived classes override it, so the type is known: neither call is virtual.
    void destroy() noexcept override {
        this->TaskBlock::~TaskBlock();
        Pooled::operator delete(this, sizeof(TaskBlock));
    }

private:
    [[nodiscard]] PromiseBase& outermost() const noexcept {
        PromiseBase* at = leaf_;
        while (PromiseBase* parent = at->parent()) at = parent;
        return *at;
    }

    Slot<T> slot_;
};

// Keeps the function and its arguments until the coroutine has ended: a lambda's captures stay in
// place while its body may use them.
template <class T, class F, class... Args>
class CallBlock final : public TaskBlock<T> {
public:
    CallBlock(Scope& scope, F function, Args... args)
        : TaskBlock<T>(scope), call_(std::in_place, std::move(function), std::move(args)...) {
        this->begin_with(std::apply(
            [](F& f, Args&... values) -> Future<T> { return f(std::move(values)...); }, *call_));
    }

private:
    void release() noexcept override { call_.reset(); }
    void destroy() noexcept override { delete this; }

    std::optional<std::tuple<F, Args...>> call_;
};

template <class T>
class TaskHandle {
public:
    using value_type = T;

    explicit TaskHandle(TaskBlock<T>& block) noexcept : block_(&block) { own().has_handle_ = true; }
    TaskHandle(TaskHandle&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
    TaskHandle& operator=(TaskHandle&& other) noexcept {
        std::swap(block_, other.block_);
        return *this;
    }
    GYRE_ALWAYS_INLINE ~TaskHandle() {
        if (block_ == nullptr) return;
        own().has_handle_ = false;
        if (own().status_.is_completed() && !own().is_telling_end_) own().destroy();
    }

    // A running task counts as `ready`.
    [[nodiscard]] TaskState state() const noexcept {
        return own().state() == TaskState::running ? TaskState::ready : own().state();
    }
    [[nodiscard]] bool is_completed() const noexcept {
        return own().state() == TaskState::completed;
    }
    [[nodiscard]] std::string name() const { return own().name(); }
    TaskHandle& set_name(std::string name) {
        own().set_name(std::move(name));
        return *this;
    }
    [[nodiscard]] const Task& task() const noexcept { return own(); }
    [[nodiscard]] Task& task() noexcept { return own(); }
    [[nodiscard]] std::uint32_t id() const noexcept { return own().id(); }

    // Delivered in the await that the task is in, or at its next one. Does nothing after its end.
    void cancel(CancelReason reason = {}) {
        GYRE_ASSERT(own().executor().is_here(),
                    "task %u is cancelled from another thread: take its canceller() on its own "
                    "thread, and use that one",
                    id());
        own().cancel(std::move(reason));
    }
    // Cancels it from any thread. Defined in canceller.hpp.
    [[nodiscard]] Canceller canceller();
    [[nodiscard]] bool is_cancel_requested() const noexcept { return own().is_cancel_requested(); }
    // Whether it ended with Cancelled, and not with a value or another failure.
    [[nodiscard]] bool was_cancelled() const noexcept { return own().was_cancelled(); }

    // Calls the function when the task has completed, at once if it has; several are called in
    // their order. It must not throw.
    void on_complete(std::move_only_function<void()> function) {
        GYRE_ASSERT(function != nullptr, "on_complete got no function to call");
        if (is_completed()) {
            function();
            return;
        }
        auto& mine = own().rare().on_complete;
        if (mine) {
            mine = [first = std::move(mine), second = std::move(function)]() mutable {
                first();
                second();
            };
        } else {
            mine = std::move(function);
        }
    }

    // Gives the value of the task, or throws its failure. Cancelling the wait does not cancel the
    // task.
    [[nodiscard]] auto await_in(PromiseBase& promise) && noexcept {
        return Join(promise, std::move(*this));
    }
    // The same for a handle that is kept: gives a const reference, and can be awaited again.
    [[nodiscard]] auto await_in(PromiseBase& promise) & noexcept { return Look(promise, *this); }

    // Settled when the task has completed.
    [[nodiscard]] Outcome<T>& outcome() noexcept { return block_->outcome(); }

private:
    class Wait : public ListedWait {
    public:
        Wait(PromiseBase& promise, Task& task) noexcept : task_(&task) { attach(promise); }
        [[nodiscard]] bool await_ready() noexcept {
            return task_->state() == TaskState::completed || begin();
        }
        void await_suspend(std::coroutine_handle<> by) noexcept {
            GYRE_ASSERT(&task_->executor() == &executor(),
                        "task %u is awaited by a task of another executor: use on()", task_->id());
            task_->rare().joiners.push_fresh(*this);
            wait(by);
        }
        [[nodiscard]] const char* what() const noexcept override { return "the end of a task"; }
        [[nodiscard]] WaitTarget target() const noexcept override {
            return {.task_id = task_->id()};
        }

    protected:
        // The failure of the task is about to be thrown here.
        void pass_failure_on() {
            if (task_->may_have_failed_) [[unlikely]]
                task_->pass_trail_on(task());
        }

    private:
        Task* task_;
    };
    class Join final : public Wait {
    public:
        Join(PromiseBase& promise, TaskHandle handle) noexcept
            : Wait(promise, handle.own()), handle_(std::move(handle)) {}
        T await_resume() {
            this->end();
            this->pass_failure_on();
            return handle_.outcome().take();
        }

    private:
        TaskHandle handle_;
    };
    class Look final : public Wait {
    public:
        Look(PromiseBase& promise, TaskHandle& handle) noexcept
            : Wait(promise, handle.own()), handle_(handle) {}
        decltype(auto) await_resume() {
            this->end();
            this->pass_failure_on();
            handle_.outcome().throw_failure();
            if constexpr (!std::is_void_v<T>) return handle_.outcome().value();
        }

    private:
        TaskHandle& handle_;
    };

    [[nodiscard]] Task& own() const noexcept {
        GYRE_ASSERT(block_ != nullptr, "this handle was moved from, or awaited as an rvalue");
        return *block_;
    }

    TaskBlock<T>* block_;
};

}  // namespace gyre
