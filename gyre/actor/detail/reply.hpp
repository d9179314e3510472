// SPDX-License-Identifier: Apache-2.0
// Reply<T>: the answer to an ask or post. Until it is settled it belongs to the receiver of the
// message, on any thread; then it is delivered to its home, the loop of the task that waits. A
// waiter that is cancelled abandons it: an abandoned answer is deleted when it is delivered.
#pragma once

#include <memory>
#include <utility>

#include "gyre/actor/detail/actor_host.hpp"
#include "gyre/base/detail/atomic.hpp"
#include "gyre/task/core/detail/coroutine.hpp"
#include "gyre/task/core/outcome.hpp"

namespace gyre::actor {

// One entry in CallWaits: the exclusive actor `by` waits for an answer.
struct CallWait {
    const Cell* by = nullptr;
    std::uint64_t number = 0;
};

// The exclusive actor that waits for the task: the actor whose handler the task is or belongs to,
// or the actor that asked an interleaved one for it. Empty when there is none.
[[nodiscard]] AnyRef waiting_actor_of(Task& task);

class AnswerWait : public Suspension {
protected:
    AnswerWait() noexcept = default;
    ~AnswerWait() = default;

private:
    friend class ReplyBase;
};

class ReplyBase : public ExecutorMessage {
public:
    ReplyBase(const ReplyBase&) = delete;
    ReplyBase& operator=(const ReplyBase&) = delete;

    // On the home thread.
    void wait_for(AnswerWait& waiter) noexcept { waiter_ = &waiter; }
    void abandon() noexcept {
        waiter_ = nullptr;
        // Relaxed: a receiver that misses it does work that nobody waits for, no harm.
        is_abandoned_.store(true, std::memory_order_relaxed);
        end_wait();
    }
    // Before it is sent: notes that the exclusive actor `by` waits for `of` until this is settled.
    // Returns the cycle that this would close, or an empty string.
    [[nodiscard]] std::string begin_wait(const AnyRef& by, const Cell& of);
    [[nodiscard]] bool is_delivered() const noexcept { return is_delivered_; }
    // Whether the waiter was cancelled. Other threads may learn of it late.
    [[nodiscard]] bool is_abandoned() const noexcept {
        return is_abandoned_.load(std::memory_order_relaxed);
    }
    // Call once, when it is settled: the caller gives up ownership.
    virtual void deliver() noexcept;

protected:
    // Null: a derived class overrides deliver.
    explicit ReplyBase(ActorHost* home) noexcept : ExecutorMessage(&on_arrival), home_(home) {
        if (home_ != nullptr) home_->share();
    }
    virtual ~ReplyBase() {
        if (home_ != nullptr) home_->drop();
    }

private:
    static void on_arrival(ExecutorMessage& message, Executor& at) noexcept;
    void on_delivered() noexcept;
    // Any thread; may be called twice.
    void end_wait() noexcept;

    ActorHost* const home_;
    AnswerWait* waiter_ = nullptr;
    bool is_delivered_ = false;
    Atomic<bool> is_abandoned_{false};
    CallWait wait_;
};

template <class T>
class Reply : public ReplyBase, public Allotted<alignof(Outcome<T>)> {
public:
    explicit Reply(ActorHost* home) noexcept : ReplyBase(home) {}
    ~Reply() override = default;
    template <class... Value>
    void resolve(Value&&... value) {
        outcome.set_value(std::forward<Value>(value)...);
        deliver();
    }
    void reject(std::exception_ptr failure) noexcept {
        outcome.set_exception(std::move(failure));
        deliver();
    }

    Outcome<T> outcome;
};

// The base of awaiters that send in await_ready and wait for the answer.
template <class T>
class AnswerAwait : public AnswerWait {
public:
    ~AnswerAwait() {
        if (answer_ == nullptr) return;
        if (answer_->is_delivered()) {
            delete answer_;
        } else {
            answer_->abandon();
        }
    }

    void await_suspend(std::coroutine_handle<> by) noexcept {
        answer_->wait_for(*this);
        wait(by);
    }
    T await_resume() {
        end();
        const std::unique_ptr<Reply<T>> answer(std::exchange(answer_, nullptr));
        return answer->outcome.take();
    }
    void cancel() noexcept override {
        std::exchange(answer_, nullptr)->abandon();
        wake_cancelled();
    }

protected:
    AnswerAwait() noexcept = default;

    Reply<T>* answer_ = nullptr;
};

}  // namespace gyre::actor
