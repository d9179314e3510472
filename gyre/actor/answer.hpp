// SPDX-License-Identifier: Apache-2.0
// Answer<T>: what somebody waits for who sent a message. Until it is settled it belongs to the
// other side, wherever that is; then it travels home, to the loop of who waits. Who stops waiting
// leaves it: it finds nobody at home, and goes.
#pragma once

#include <memory>
#include <utility>

#include "gyre/actor/call_waits.hpp"
#include "gyre/actor/host.hpp"
#include "gyre/base/atomic.hpp"
#include "gyre/task/coroutine.hpp"
#include "gyre/task/outcome.hpp"

namespace gyre::actor {

class AnswerWait : public Suspension {
protected:
    AnswerWait() noexcept = default;
    ~AnswerWait() = default;

private:
    friend class AnswerBase;
};

class AnswerBase : public Posted {
public:
    AnswerBase(const AnswerBase&) = delete;
    AnswerBase& operator=(const AnswerBase&) = delete;

    // At home: who waits from now on; nobody any more.
    void wait_for(AnswerWait& waiter) noexcept { waiter_ = &waiter; }
    void leave() noexcept {
        waiter_ = nullptr;
        // Relaxed: who does not hear of it in time does what nobody waits for.
        is_left_.store(true, std::memory_order_relaxed);
        end_wait();
    }
    // Before it is sent: the exclusive actor `by` waits for `of` until this is settled. Gives the
    // cycle that this would close, or nothing.
    [[nodiscard]] std::string begin_wait(const AnyRef& by, const Cell& of);
    [[nodiscard]] bool is_home() const noexcept { return is_home_; }
    // Whether nobody waits any more; elsewhere than at home that may not be known yet.
    [[nodiscard]] bool is_left() const noexcept { return is_left_.load(std::memory_order_relaxed); }
    // It is settled: whoever settled it has it no more.
    virtual void send_home() noexcept;

protected:
    // Without a home: send_home does something else.
    explicit AnswerBase(Host* home) noexcept : Posted(&on_arrival), home_(home) {
        if (home_ != nullptr) home_->share();
    }
    virtual ~AnswerBase() {
        if (home_ != nullptr) home_->drop();
    }

private:
    static void on_arrival(Posted& message, Executor& at) noexcept;
    void come_home() noexcept;
    // Any thread, also twice.
    void end_wait() noexcept;

    Host* const home_;
    AnswerWait* waiter_ = nullptr;
    bool is_home_ = false;
    Atomic<bool> is_left_{false};
    CallWaits::Key wait_;
};

template <class T>
class Answer : public AnswerBase, public Allotted<alignof(Outcome<T>)> {
public:
    explicit Answer(Host* home) noexcept : AnswerBase(home) {}
    ~Answer() override = default;
    template <class... Value>
    void resolve(Value&&... value) {
        outcome.set_value(std::forward<Value>(value)...);
        send_home();
    }
    void reject(std::exception_ptr failure) noexcept {
        outcome.set_exception(std::move(failure));
        send_home();
    }

    Outcome<T> outcome;
};

// The base of awaiters that send in await_ready and wait for what comes back.
template <class T>
class AnswerAwait : public AnswerWait {
public:
    ~AnswerAwait() {
        if (answer_ == nullptr) return;
        if (answer_->is_home()) {
            delete answer_;
        } else {
            answer_->leave();
        }
    }

    void await_suspend(std::coroutine_handle<> by) noexcept {
        answer_->wait_for(*this);
        wait(by);
    }
    T await_resume() {
        end();
        const std::unique_ptr<Answer<T>> answer(std::exchange(answer_, nullptr));
        return answer->outcome.take();
    }
    void cancel() noexcept override {
        std::exchange(answer_, nullptr)->leave();
        wake_cancelled();
    }

protected:
    AnswerAwait() noexcept = default;

    Answer<T>* answer_ = nullptr;
};

}  // namespace gyre::actor
