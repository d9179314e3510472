// SPDX-License-Identifier: Apache-2.0
// TaskBlock<T>: a task with room for its outcome, and for the function and arguments it began with.
// Made by Scope::spawn and Future::poll; lives as Task says.
#pragma once

#include <optional>
#include <tuple>
#include <utility>

#include "gyre/task/core/future.hpp"

namespace gyre {

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
        if (!slot_.outcome.is_settled() && leaf_ != nullptr) outermost().handle().destroy();
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
        outermost().handle().destroy();
        may_have_failed_ = true;
        slot_.outcome.set_exception(std::move(cancelled));
    }
    void destroy() noexcept override { delete this; }

private:
    [[nodiscard]] PromiseBase& outermost() const noexcept {
        PromiseBase* at = leaf_;
        while (PromiseBase* parent = at->parent()) at = parent;
        return *at;
    }

    Slot<T> slot_;
};

// Keeps what the coroutine refers to until it has ended: a lambda's captures stay where they are
// for as long as its body may look at them.
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

}  // namespace gyre
