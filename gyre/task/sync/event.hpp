// SPDX-License-Identifier: Apache-2.0
// Event: has happened, or not yet. Any number of tasks may wait; `set` wakes all of them, even if
// `reset` follows at once.
//
//     co_await event.wait();
//
// Thread: its executor's thread.
// Lifetime: outlives the tasks that wait for it.
// Cancel: did nothing.
#pragma once

#include "gyre/task/core/detail/coroutine.hpp"

namespace gyre {

class Event {
public:
    Event() noexcept = default;
    ~Event() {
        GYRE_ASSERT(waiters_.empty(), "an event goes while tasks wait for it: join them first");
    }

    void set() noexcept {
        wake_all(waiters_);
        is_set_ = true;
    }
    void reset() noexcept { is_set_ = false; }
    [[nodiscard]] bool is_set() const noexcept { return is_set_; }

    class Await final : public ListedWait {
    public:
        Await(PromiseBase& promise, Event& event) noexcept : event_(event) { attach(promise); }
        [[nodiscard]] bool await_ready() noexcept {
            return begin() || (event_.is_set_ && may_go_on());
        }
        void await_suspend(std::coroutine_handle<> by) noexcept {
            if (event_.is_set_) {
                go_last(by);
                return;
            }
            event_.waiters_.push_fresh(*this);
            wait(by);
        }
        void await_resume() { end(); }
        [[nodiscard]] const char* what() const noexcept override { return "an event"; }

    private:
        Event& event_;
    };
    struct [[nodiscard]] Wait {
        Event& event;
        [[nodiscard]] Await await_in(PromiseBase& promise) const noexcept {
            return Await(promise, event);
        }
    };
    Wait wait() noexcept { return {*this}; }
    // `co_await event` is the same.
    [[nodiscard]] Await await_in(PromiseBase& promise) & noexcept { return Await(promise, *this); }

private:
    WaitQueue waiters_;
    bool is_set_ = false;
};

}  // namespace gyre
