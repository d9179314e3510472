// SPDX-License-Identifier: Apache-2.0
// ThreadWait: an await that another thread may end: what an awaiter of a ThreadChannel derives
// from. It stands in a WaitRoom; a call travels to its executor as a message, and there it tries
// again. One message for a wait, none where nobody waits. Its own thread alone uses it, but for the
// call.
//
// While it waits it counts as a reason for its loop to be alive, so a loop does not end with a
// message to it under way.
#pragma once

#include "gyre/task/core/detail/coroutine.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/thread/detail/executor_message.hpp"
#include "gyre/task/thread/detail/wait_room.hpp"

namespace gyre {

class ThreadWait : public Suspension, private ExecutorMessage, private RoomWait {
public:
    [[nodiscard]] bool await_ready() noexcept {
        if (begin()) return true;
        is_over_ = attempt();
        return is_over_ && may_go_on();
    }
    [[nodiscard]] bool await_suspend(std::coroutine_handle<> by) noexcept {
        if (is_over_) {
            go_last(by);
            return true;
        }
        home_ = &executor().loop();
        if (!stay(WaitRoom::Place::last)) return false;
        ++executor().outside_waits_;
        wait(by);
        return true;
    }

    void cancel() noexcept override {
        if (room_.leave(*this)) {
            leave_loop();
            wake_cancelled();
        } else {
            is_recalled_ = true;
        }
    }

protected:
    ThreadWait(PromiseBase& promise, WaitRoom& room) noexcept
        : ExecutorMessage(&on_arrival), room_(room) {
        attach(promise);
    }
    ~ThreadWait() = default;

    // Does what it waits for, if that is possible now: whether it is over.
    [[nodiscard]] virtual bool attempt() noexcept = 0;
    // Whether an attempt is worth while, seen from inside the room.
    [[nodiscard]] virtual bool may_succeed() const noexcept = 0;

private:
    // False: it is over after all.
    [[nodiscard]] bool stay(WaitRoom::Place place) noexcept {
        for (;;) {
            room_.enter(*this, place);
            if (!may_succeed() || !room_.leave(*this)) return true;
            if (attempt()) return false;
            place = WaitRoom::Place::first;
        }
    }
    // Its loop is open: it waits for this.
    void on_call() noexcept override { static_cast<void>(home_->post(*this)); }
    static void on_arrival(ExecutorMessage& message, Executor& /*at*/) noexcept {
        static_cast<ThreadWait&>(message).arrive_home();
    }
    void arrive_home() noexcept {
        const bool is_done = attempt();
        if (!is_done && !is_recalled_ && stay(WaitRoom::Place::first)) return;
        leave_loop();
        is_done || !is_recalled_ ? wake() : wake_cancelled();
    }
    void leave_loop() noexcept { --executor().outside_waits_; }

    WaitRoom& room_;
    Loop* home_ = nullptr;
    bool is_over_ = false;
    bool is_recalled_ = false;
};

}  // namespace gyre
