// SPDX-License-Identifier: Apache-2.0
// this_task: the task that runs this code: its name, its executor, its cancel state. Never waits.
//
//     Task& self = co_await this_task();
//
// Thread: the task's thread.
// Lifetime: the reference is valid while the task runs.
#pragma once

#include "gyre/task/core/detail/coroutine.hpp"

namespace gyre {

class [[nodiscard]] ThisTask {
public:
    [[nodiscard]] auto await_in(PromiseBase& promise) const noexcept {
        return Await{promise.task()};
    }

private:
    struct Await {
        Task& task;
        [[nodiscard]] bool await_ready() const noexcept { return true; }
        void await_suspend(std::coroutine_handle<> /*by*/) const noexcept {}
        [[nodiscard]] Task& await_resume() const noexcept { return task; }
    };
};
[[nodiscard]] inline ThisTask this_task() noexcept {
    return {};
}

// `co_await cancel_point()`: throws Cancelled if a request is due; for long work without other
// awaits. Never waits.
class [[nodiscard]] CancelPoint {
public:
    [[nodiscard]] auto await_in(PromiseBase& promise) const noexcept { return Await(promise); }

private:
    class Await {
    public:
        explicit Await(PromiseBase& promise) noexcept : promise_(promise) {}
        [[nodiscard]] bool await_ready() const noexcept { return true; }
        void await_suspend(std::coroutine_handle<> /*by*/) const noexcept {}
        void await_resume() const {
            if (promise_.is_cancel_due()) promise_.deliver_cancel();
        }

    private:
        PromiseBase& promise_;
    };
};
[[nodiscard]] inline CancelPoint cancel_point() noexcept {
    return {};
}

}  // namespace gyre
