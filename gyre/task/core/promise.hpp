// SPDX-License-Identifier: Apache-2.0
// Promise<T>: settles a value by hand, once, and wakes the tasks that wait. A second settle is an
// error and changes nothing. SharedFuture<T>: the other end, for any number of waiters. share:
// makes a SharedFuture of a Future.
//
//     Promise<int> promise;                     auto answer = promise.future();
//     promise.resolve(42);                      co_await answer;   // const int&, again and again
//     co_await promise.future();                // int: moved out if nobody else can see it
//
//     SharedFuture<Config> config = share(read_config());
//     use(co_await config);                     // const Config&: the first await reads it
//
// Thread: one executor's thread.
// Lifetime: the state lives as long as a promise or a future of it.
// Cancel: of an await did nothing; others keep waiting.
//
// share is lazy: the future runs as a task of the root scope from the first await on, and is
// cancelled if the last copy is dropped before its end.
#pragma once

#include <optional>
#include <stdexcept>
#include <utility>

#include "gyre/base/failure.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/future.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre {

// Thrown by a future whose promise was destroyed unsettled.
class BrokenPromise : public Failure {
public:
    BrokenPromise() : Failure("the promise was dropped before it was settled") {}
};

class PromiseSettled : public Failure {
public:
    PromiseSettled() : Failure("Promise already settled") {}
};

// Computes the value of a promise on demand (see share).
class PromiseSource : public Pooled {
public:
    virtual ~PromiseSource() = default;
    // Called at every wait for the value.
    virtual void begin(Executor& executor) = 0;
    // Called when the last future is dropped before the value was set.
    virtual void give_up() noexcept = 0;
};

template <class T>
class PromiseState : public Pooled {
public:
    PromiseState() noexcept = default;
    PromiseState(const PromiseState&) = delete;
    PromiseState& operator=(const PromiseState&) = delete;
    ~PromiseState() { delete source; }

    void share() noexcept { ++shares_; }
    void drop() noexcept {
        if (--shares_ == 0) {
            delete this;
        } else if (source != nullptr && shares_ == 1 && !outcome.is_settled()) {
            source->give_up();
        }
    }
    [[nodiscard]] bool is_shared() const noexcept { return shares_ > 1; }
    Outcome<T> outcome;
    WaitQueue waiters;
    PromiseSource* source = nullptr;  // owned

private:
    std::uint32_t shares_ = 1;
};

template <class T>
class SharedFuture : public ChainsLikeFuture<SharedFuture<T>, T> {
public:
    using value_type = T;

    explicit SharedFuture(PromiseState<T>& state) noexcept : state_(&state) { state_->share(); }
    SharedFuture(const SharedFuture& other) noexcept : state_(other.state_) { state_->share(); }
    SharedFuture(SharedFuture&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
    SharedFuture& operator=(SharedFuture other) noexcept {
        std::swap(state_, other.state_);
        return *this;
    }
    ~SharedFuture() {
        if (state_ != nullptr) state_->drop();
    }

    [[nodiscard]] bool is_settled() const noexcept { return state().outcome.is_settled(); }

    // Cancel class: did nothing.
    [[nodiscard]] auto await_in(PromiseBase& /*by*/) & noexcept { return Look(state()); }
    [[nodiscard]] auto await_in(PromiseBase& /*by*/) && noexcept { return Take(std::move(*this)); }
    operator Future<T>() && { return wait_for(std::move(*this)); }

private:
    class Wait final : public ListedWait {
    public:
        explicit Wait(PromiseBase& promise) noexcept { attach(promise); }
        [[nodiscard]] bool enter(WaitQueue& waiters, std::coroutine_handle<> by) noexcept {
            if (begin()) return false;
            waiters.push_fresh(*this);
            wait(by);
            return true;
        }
        [[nodiscard]] const char* what() const noexcept override { return "a promise"; }
        using Suspension::end;
    };
    // Most awaits find the value set, so the Wait is constructed only when it is needed; a bit
    // beside the address of the state marks that.
    class Await {
    public:
        explicit Await(PromiseState<T>& state) noexcept
            : word_(reinterpret_cast<std::uintptr_t>(&state)) {}
        Await(const Await&) = delete;
        Await& operator=(const Await&) = delete;
        [[nodiscard]] bool await_ready() const noexcept { return state().outcome.is_settled(); }
        // False if a cancel request is due: the task goes on at once, and it is delivered.
        template <class Promise>
        [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> by) noexcept {
            PromiseState<T>& of = state();
            std::construct_at(&wait_, by.promise());
            word_ |= waiting;
            if (!wait_.enter(of.waiters, by)) return false;
            if (of.source != nullptr) of.source->begin(by.promise().task().executor());
            return true;
        }

    protected:
        void end() {
            if (is_waiting()) wait_.end();
        }
        [[nodiscard]] PromiseState<T>& state() const noexcept {
            return *reinterpret_cast<PromiseState<T>*>(word_ & ~waiting);
        }

    private:
        static constexpr std::uintptr_t waiting = 1;
        [[nodiscard]] bool is_waiting() const noexcept { return (word_ & waiting) != 0; }

        std::uintptr_t word_;
        union {
            Wait wait_;
        };
    };
    class Look final : public Await {
    public:
        using Await::Await;
        decltype(auto) await_resume() {
            this->end();
            this->state().outcome.throw_failure();
            if constexpr (!std::is_void_v<T>) return this->state().outcome.value();
        }
    };
    class Take final : public Await {
    public:
        explicit Take(SharedFuture&& future) noexcept
            : Await(*std::exchange(future.state_, nullptr)) {}
        ~Take() { this->state().drop(); }
        T await_resume() {
            this->end();
            if constexpr (std::is_copy_constructible_v<T>) {
                if (this->state().is_shared()) {
                    this->state().outcome.throw_failure();
                    return this->state().outcome.value();
                }
            }
            return this->state().outcome.take();
        }
    };
    static Future<T> wait_for(SharedFuture future) { co_return co_await std::move(future); }
    [[nodiscard]] PromiseState<T>& state() const noexcept {
        GYRE_ASSERT(state_ != nullptr,
                    "this shared future was moved from, or awaited as an rvalue");
        return *state_;
    }

    PromiseState<T>* state_;
};

template <class T>
class Promise {
public:
    Promise() : state_(new PromiseState<T>) {}
    explicit Promise(PromiseState<T>& state) noexcept : state_(&state) { state_->share(); }
    Promise(Promise&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
    Promise& operator=(Promise&& other) noexcept {
        std::swap(state_, other.state_);
        return *this;
    }
    ~Promise() {
        if (state_ == nullptr) return;
        if (!is_settled() && has_future()) reject(BrokenPromise());
        state_->drop();
    }

    [[nodiscard]] bool is_settled() const noexcept { return state().outcome.is_settled(); }
    [[nodiscard]] SharedFuture<T> future() const noexcept { return SharedFuture<T>(*state_); }
    // Whether there is a future of it.
    [[nodiscard]] bool has_future() const noexcept { return state().is_shared(); }

    // Throws PromiseSettled if it was settled before.
    template <class... Value>
    void resolve(Value&&... value) {
        expect_unsettled();
        state_->outcome.set_value(std::forward<Value>(value)...);
        wake_all(state_->waiters);
    }
    void reject(std::exception_ptr failure) {
        expect_unsettled();
        state_->outcome.set_exception(std::move(failure));
        wake_all(state_->waiters);
    }
    template <class E>
        requires std::is_base_of_v<std::exception, E>
    void reject(E failure) {
        reject(std::make_exception_ptr(std::move(failure)));
    }
    void reject(Error error) {
        expect_unsettled();
        state_->outcome.set_error(error);
        wake_all(state_->waiters);
    }
    // Awaits the future, and settles with its outcome.
    [[nodiscard]] Future<void> settle_as(Future<T> future) {
        expect_unsettled();
        co_await await_outcome(state_->outcome, std::move(future));
        wake_all(state_->waiters);
    }

private:
    void expect_unsettled() const {
        if (state_->outcome.is_settled()) throw PromiseSettled();
    }
    // Checked where that costs little: neither when it is settled nor when a future is made.
    [[nodiscard]] PromiseState<T>& state() const noexcept {
        GYRE_ASSERT(state_ != nullptr, "this promise was moved from: use the one it was moved to");
        return *state_;
    }

    PromiseState<T>* state_;
};

template <class T>
class SharedSource final : public PromiseSource {
public:
    SharedSource(PromiseState<T>& state, Future<T> future) noexcept
        : state_(state), future_(std::move(future)) {}

    void begin(Executor& executor) override {
        if (task_.has_value()) return;
        GYRE_ASSERT(executor.is_here(), "await a shared future on the thread of its executor");
        task_.emplace(executor.root().spawn(run(Promise<T>(state_), std::move(future_))));
        task_->set_name("a shared future");
    }
    void give_up() noexcept override {
        if (task_.has_value()) task_->cancel("nobody awaits it any more");
    }

private:
    // Destroys the promise before the task ends: that may drop the last handle of the task.
    static Future<void> run(Promise<T> promise, Future<T> future) {
        Promise<T> mine = std::move(promise);
        co_await mine.settle_as(std::move(future));
    }

    PromiseState<T>& state_;
    Future<T> future_;
    std::optional<TaskHandle<void>> task_;
};

template <class T>
SharedFuture<T> share_future(Future<T> future) {
    auto* state = new PromiseState<T>;
    state->source = new SharedSource<T>(*state, std::move(future));
    SharedFuture<T> shared(*state);
    state->drop();
    return shared;
}
template <class A>
[[nodiscard]] auto share(A&& awaitable) {
    if constexpr (check_awaitable<A>()) {
        return share_future(as_future(std::forward<A>(awaitable)));
    } else {
        return NotAwaitable{};
    }
}

}  // namespace gyre
