// SPDX-License-Identifier: Apache-2.0
// StandardAwait: how a task awaits an awaitable of the standard, which knows no tasks. It gets the
// handle of a coroutine of its own, whose one step is to wake the task; it may resume that on any
// thread, also inside its await_suspend. Used on the task's thread, in the frame that awaits.
//
// Cancel class: did all. The standard has no way to ask such an awaitable to end.
#pragma once

#include <concepts>
#include <coroutine>
#include <exception>
#include <utility>

#include "gyre/task/core/detail/coroutine.hpp"
#include "gyre/task/core/detail/outside_wait.hpp"
#include "gyre/task/thread/detail/executor_message.hpp"

namespace gyre {

// The part of StandardAwait that is the same for all awaitables.
class ResumedWait : public OutsideWait, private ExecutorMessage {
public:
    void cancel() noexcept override {}
    [[nodiscard]] const char* what() const noexcept override { return "a standard awaitable"; }

protected:
    explicit ResumedWait(PromiseBase& promise) noexcept : ExecutorMessage(&on_arrival) {
        attach(promise);
    }
    ~ResumedWait() { drop_resumer(); }

    // The handle for the awaitable. Its frame is freed when it is resumed, or dropped.
    [[nodiscard]] std::coroutine_handle<> make_resumer() {
        executor_ = &executor();
        loop_ = &executor().loop();
        resumer_ = wake_when_resumed(this).handle;
        return resumer_;
    }
    void drop_resumer() noexcept {
        if (resumer_ != nullptr) std::exchange(resumer_, nullptr).destroy();
    }
    // False if it was resumed already.
    [[nodiscard]] bool stay(std::coroutine_handle<> by) noexcept {
        if (resumer_ == nullptr) return false;
        begin_outside_wait();
        wait(by);
        is_waiting_ = true;
        return true;
    }

private:
    struct Resumer {
        struct promise_type : Pooled {
            Resumer get_return_object() noexcept {
                return {std::coroutine_handle<promise_type>::from_promise(*this)};
            }
            [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
            [[nodiscard]] std::suspend_never final_suspend() const noexcept { return {}; }
            void return_void() const noexcept {}
            [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
        };
        std::coroutine_handle<> handle;
    };
    static Resumer wake_when_resumed(ResumedWait* wait) {
        wait->on_resumed();
        co_return;
    }
    // On any thread. From another one a message brings it home; the post cannot fail, because this
    // wait keeps the loop alive.
    void on_resumed() noexcept {
        if (executor_->is_here()) {
            end_wait();
        } else {
            static_cast<void>(loop_->post(*this));
        }
    }
    static void on_arrival(ExecutorMessage& message, Executor& /*at*/) noexcept {
        static_cast<ResumedWait&>(message).end_wait();
    }
    void end_wait() noexcept {
        resumer_ = nullptr;
        if (!std::exchange(is_waiting_, false)) return;
        end_outside_wait();
        wake();
    }

    Executor* executor_ = nullptr;
    Loop* loop_ = nullptr;
    std::coroutine_handle<> resumer_;
    bool is_waiting_ = false;
};

template <StandardAwaitable A>
[[nodiscard]] decltype(auto) standard_awaiter_of(A&& awaitable) {
    if constexpr (HasCoAwaitMember<A>) {
        return std::forward<A>(awaitable).operator co_await();
    } else if constexpr (HasCoAwaitFunction<A>) {
        return operator co_await(std::forward<A>(awaitable));
    } else {
        return static_cast<std::remove_reference_t<A>&>(awaitable);
    }
}

// The awaitable outlives it: both are operands of one co_await.
template <StandardAwaitable A>
class StandardAwait final : public ResumedWait {
public:
    StandardAwait(PromiseBase& promise, A&& awaitable)
        : ResumedWait(promise), awaiter_(standard_awaiter_of(std::forward<A>(awaitable))) {}

    [[nodiscard]] bool await_ready() { return begin() || awaiter_.await_ready(); }
    [[nodiscard]] bool await_suspend(std::coroutine_handle<> by) {
        const std::coroutine_handle<> resumer = make_resumer();
        using Next = decltype(awaiter_.await_suspend(resumer));
        if constexpr (std::is_void_v<Next>) {
            awaiter_.await_suspend(resumer);
        } else if constexpr (std::same_as<Next, bool>) {
            if (!awaiter_.await_suspend(resumer)) {
                drop_resumer();
                return false;
            }
        } else {
            awaiter_.await_suspend(resumer).resume();
        }
        return stay(by);
    }
    decltype(auto) await_resume() {
        end();
        return awaiter_.await_resume();
    }

private:
    decltype(standard_awaiter_of(std::declval<A>())) awaiter_;
};

}  // namespace gyre
