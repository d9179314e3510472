// SPDX-License-Identifier: Apache-2.0
// What awaits are made of: Suspension, the base of everything that is awaited and is no coroutine,
// and the lists of those that wait for the same thing. Only on the task's own thread; each lives in
// the frame of the coroutine that awaits.
#pragma once

#include <coroutine>

#include "gyre/base/detail/intrusive.hpp"
#include "gyre/kernel/op.hpp"

namespace gyre {

class Executor;
class Op;
class PromiseBase;
class StandingOp;
class Task;
class WaitQueue;
struct WaitLinks;

// One await that has to wait, or might: the base of everything that is awaited and is no coroutine.
// It lives in the frame of the coroutine that awaits. The order of calls is
//
//   begin  in await_ready: true when a cancel request is due, so that nothing must be started
//   wait   in await_suspend: the task waits from here on
//   wake   once, by whoever ends the wait: the task is ready
//   end    in await_resume: throws Cancelled where that is what happened
class Suspension {
public:
    Suspension(const Suspension&) = delete;
    Suspension& operator=(const Suspension&) = delete;

    // On the task's thread, while it waits: end the wait soon, with wake_cancelled() where nothing
    // was done, or as it would have ended anyway.
    virtual void cancel() noexcept = 0;
    // While it waits: its frame goes, because the executor does. It leaves what it stands in.
    virtual void abandon() noexcept {}
    // An op that it submitted has completed. Wakes the task, unless an await overrides it; defined
    // in executor.cpp, beside its caller.
    virtual void on_complete(Op& op) noexcept;
    // A standing op that it submitted has rung.
    virtual void on_notify(StandingOp& /*op*/) noexcept {}
    // For reports: what it waits for.
    [[nodiscard]] virtual const char* what() const noexcept = 0;
    // For reports: the op that is to end it, where there is one.
    [[nodiscard]] virtual const Op* pending_op() const noexcept { return nullptr; }

protected:
    Suspension() noexcept = default;
    ~Suspension() = default;

    void attach(PromiseBase& promise) noexcept;
    [[nodiscard]] bool begin() noexcept;
    // While the task waits: whether this wait has been asked to end.
    [[nodiscard]] bool is_cancel_due() const noexcept;
    void wait(std::coroutine_handle<> by) noexcept;
    void wake() noexcept;
    // The same, in an await of the same executor: its run queue is at hand there.
    void wake_from(const Suspension& running) noexcept;
    // In await_ready, where there is nothing to wait for: whether the task goes on at once. False
    // where that has been so often that the others are due; then await_suspend calls go_last.
    [[nodiscard]] bool may_go_on() noexcept;
    void go_last(std::coroutine_handle<> by) noexcept;
    void wake_cancelled() noexcept;
    void end();
    // The request stays due: for a wait that a cancel does not end.
    void forget_cancel() noexcept;
    [[nodiscard]] Task& task() const noexcept;
    [[nodiscard]] Executor& executor() const noexcept;

private:
    friend class Executor;
    friend class TaskReport;

    Task* task_ = nullptr;
};

// A wait inside the executor, in the list of the thing it waits for.
class ListedWait : public Suspension, public Link<WaitLinks> {
public:
    void cancel() noexcept override {
        unlink();
        wake_cancelled();
    }
    // The list may have gone before.
    void abandon() noexcept override {
        if (is_linked()) unlink();
    }

protected:
    ListedWait() noexcept : Link(Fresh{}) {}
    // Trivial: what every await would pay for, only one that is abandoned needs.
    ~ListedWait() = default;

private:
    friend void wake_all(WaitQueue& waits) noexcept;
};
// Waits that are still in it when it goes are never woken: their frames are about to go too.
class WaitQueue : public Queue<ListedWait, WaitLinks> {
public:
    WaitQueue() noexcept = default;
    ~WaitQueue() {
        while (pop_front() != nullptr) {
        }
    }
};
// Ends all these waits, in their order.
void wake_all(WaitQueue& waits) noexcept;

// TimerWait: a Suspension that has a timer, and is one: every timer of an executor is part of such,
// so that the op needs no word to say whose it is. It lives as a Suspension does.
class TimerWait : public Suspension, protected TimerOp {
public:
    [[nodiscard]] TimerOp& timer() noexcept { return *this; }
    [[nodiscard]] const TimerOp& timer() const noexcept { return *this; }
    [[nodiscard]] static TimerWait& of(Op& op) noexcept {
        return static_cast<TimerWait&>(static_cast<TimerOp&>(op));
    }

protected:
    explicit TimerWait(Instant when = Instant()) noexcept : TimerOp(when) {}
    ~TimerWait() = default;
};

}  // namespace gyre
