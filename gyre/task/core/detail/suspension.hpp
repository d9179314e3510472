// SPDX-License-Identifier: Apache-2.0
// Suspension: the base of all awaiters that are not coroutines; WaitQueue: those that wait for the
// same event; TimerWait: one that is a timer. Used on the task's own thread; each lives in the
// frame of the coroutine that awaits.
#pragma once

#include <coroutine>
#include <cstdint>

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

// For reports: the object that a wait depends on, and the task that it depends on through it. The
// texts read "'a' <holds> mutex 'm1' and waits for <part><kind> 'm2', <by> 'b'".
struct WaitTarget {
    const char* part = "";  // "room in "
    const char* kind = "";  // "mutex"; empty: the wait is for the task itself
    const char* name = "";  // given by the program; empty: it has none
    const char* by = "";
    const char* holds = "";
    std::uint32_t task_id = 0;  // 0: no task is known
};

// One await that may have to wait. The order of calls is
//
//   begin  in await_ready: true when a cancel request is due, so that nothing must be started
//   wait   in await_suspend: the task waits from here on
//   wake   once, when the wait ends: the task is ready
//   end    in await_resume: throws Cancelled if the wait was cancelled
class Suspension {
public:
    Suspension(const Suspension&) = delete;
    Suspension& operator=(const Suspension&) = delete;

    // While the task waits: ends the wait soon, with wake_cancelled() if nothing was done, else as
    // it would have ended anyway.
    virtual void cancel() noexcept = 0;
    // While the task waits: its frame is about to be destroyed. Leaves the list that it is in.
    virtual void abandon() noexcept {}
    // An op that it submitted has completed. Wakes the task, unless an await overrides it; defined
    // in executor.cpp, beside its caller.
    virtual void on_complete(Op& op) noexcept;
    // A standing op that it submitted has rung.
    virtual void on_notify(StandingOp& /*op*/) noexcept {}
    // For reports: the name of what it waits for.
    [[nodiscard]] virtual const char* what() const noexcept = 0;
    // For reports: the object or task that it depends on, where it knows one.
    [[nodiscard]] virtual WaitTarget target() const noexcept { return {}; }
    // For reports: the op that will end the wait, or null.
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
    // The same from an await of the same executor, whose run queue is at hand.
    void wake_from(const Suspension& running) noexcept;
    // In await_ready, when there is nothing to wait for: whether the task may go on at once. False
    // after many such awaits, so that other tasks run: await_suspend then calls go_last.
    [[nodiscard]] bool may_go_on() noexcept;
    void go_last(std::coroutine_handle<> by) noexcept;
    void wake_cancelled() noexcept;
    void end();
    // For a wait that a cancel does not end: the request stays due.
    void forget_cancel() noexcept;
    [[nodiscard]] Task& task() const noexcept;
    [[nodiscard]] Executor& executor() const noexcept;

private:
    friend class Executor;
    friend class TaskReport;

    Task* task_ = nullptr;
};

// A wait for an event of the same executor, in the list of those that wait for it.
class ListedWait : public Suspension, public Link<WaitLinks> {
public:
    void cancel() noexcept override {
        unlink();
        wake_cancelled();
    }
    // The list may have been destroyed before.
    void abandon() noexcept override {
        if (is_linked()) unlink();
    }

protected:
    ListedWait() noexcept : Link(Fresh{}) {}
    // Trivial, so that it costs nothing: only an abandoned wait is still in a list.
    ~ListedWait() = default;

private:
    friend void wake_all(WaitQueue& waits) noexcept;
};
// Waits that are still in it at its end are never woken: their frames are about to be destroyed.
class WaitQueue : public Queue<ListedWait, WaitLinks> {
public:
    WaitQueue() noexcept = default;
    ~WaitQueue() {
        while (pop_front() != nullptr) {
        }
    }
};
// Ends all waits of the queue, in their order.
void wake_all(WaitQueue& waits) noexcept;

// A Suspension that is a timer op. All timers of an executor are TimerWaits, so a timer op needs no
// pointer to its owner.
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
