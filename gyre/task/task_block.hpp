// SPDX-License-Identifier: Apache-2.0
// TaskBlock<T>: a task with room for its outcome, and for the function and arguments it began with.
// Made by Scope::spawn and Future::poll; lives as Task says.
#pragma once

#include <optional>
#include <tuple>
#include <utility>

#include "gyre/task/future.hpp"

namespace gyre {

template <class T>
class TaskBlock : public Task, public Pooled {
public:
    TaskBlock(Scope& scope, Future<T> future) noexcept : Task(scope) {
        begin_with(std::move(future));
    }

    [[nodiscard]] Outcome<T>& outcome() noexcept { return slot_.outcome; }

protected:
    explicit TaskBlock(Scope& scope) noexcept : Task(scope) {}
    ~TaskBlock() override {
        if (root_ != nullptr && !slot_.outcome.is_settled()) root_->handle().destroy();
    }

    void begin_with(Future<T> future) noexcept {
        root_ = &future.release().promise();
        root_->join(*this, slot_);
        leaf_ = root_;
    }

    [[nodiscard]] std::exception_ptr failure() const noexcept override {
        if (slot_.outcome.has_error()) {
            return std::make_exception_ptr(
                std::system_error(std::make_error_code(slot_.outcome.error().code())));
        }
        return slot_.outcome.exception();
    }
    void release() noexcept override {}
    void end_unstarted(std::exception_ptr cancelled) noexcept override {
        root_->handle().destroy();
        slot_.outcome.set_exception(std::move(cancelled));
    }
    void destroy() noexcept override { delete this; }

private:
    FuturePromise<T>* root_ = nullptr;
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
