// SPDX-License-Identifier: Apache-2.0
// ThreadChannel<T>: a bounded queue between tasks of any loops and threads, with any number of
// senders and receivers. Each awaits on its own loop. To wake a task that waits costs a message to
// its loop; a send or receive that need not wait costs a few atomic operations.
//
//     co_await channel.send(item);              // waits while it is full; throws ChannelClosed
//     while (auto item = co_await channel.receive()) use(*item);   // ends when closed and empty
//
// Thread: tasks of any loop; the try_ functions and `close` any thread. Between two tasks of one
// loop Channel is faster.
// Lifetime: outlives its senders and receivers. A loop with waiting tasks outlives the threads that
// may wake them (a Runtime ensures that).
// Cancel: did nothing, unless the other side had begun the transfer: then the transfer completes.
//
// Items are received in the order of their sends. The longest waiting task is woken first, but a
// task that comes at that moment may overtake it.
#pragma once

#include <bit>
#include <optional>
#include <utility>

#include "gyre/base/detail/mpmc_ring.hpp"
#include "gyre/task/core/detail/coroutine.hpp"
#include "gyre/task/core/detail/outside_wait.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/sync/channel.hpp"
#include "gyre/task/thread/detail/executor_message.hpp"
#include "gyre/task/thread/detail/wait_room.hpp"
#include "gyre/task/thread/waker.hpp"

namespace gyre {

// An await that another thread may end: the base of the awaiters of a ThreadChannel. While it waits
// it is in a WaitRoom. A call from another thread is posted to its executor as a message, and there
// it tries again: one message per wait. Apart from on_call, only its own thread uses it.
class ThreadWait : public OutsideWait, private ExecutorMessage, private RoomWait {
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
        begin_outside_wait();
        wait(by);
        return true;
    }

    void cancel() noexcept override {
        if (room_.leave(*this)) {
            end_outside_wait();
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

    // Tries to push or pop. True when the wait is over: it succeeded, or the channel is closed.
    [[nodiscard]] virtual bool attempt() noexcept = 0;
    // Whether an attempt may succeed. Called after it has entered the room.
    [[nodiscard]] virtual bool may_succeed() const noexcept = 0;

private:
    // Enters the room. False: the wait is over, an attempt has succeeded meanwhile.
    [[nodiscard]] bool stay(WaitRoom::Place place) noexcept {
        for (;;) {
            room_.enter(*this, place);
            if (!may_succeed() || !room_.leave(*this)) return true;
            if (attempt()) return false;
            place = WaitRoom::Place::first;
        }
    }
    // On the calling thread. The post cannot fail: this wait keeps its loop alive.
    void on_call() noexcept override { static_cast<void>(home_->post(*this)); }
    static void on_arrival(ExecutorMessage& message, Executor& /*at*/) noexcept {
        static_cast<ThreadWait&>(message).arrive_home();
    }
    void arrive_home() noexcept {
        const bool is_done = attempt();
        if (!is_done && !is_recalled_ && stay(WaitRoom::Place::first)) return;
        end_outside_wait();
        is_done || !is_recalled_ ? wake() : wake_cancelled();
    }

    WaitRoom& room_;
    Loop* home_ = nullptr;
    bool is_over_ = false;
    bool is_recalled_ = false;
};

template <class T>
class ThreadChannel {
    using Ring = MpmcRing<T>;

public:
    // The capacity is rounded up to a power of two, at least 2.
    explicit ThreadChannel(std::size_t capacity)
        : ring_(std::bit_ceil(capacity < 2 ? std::size_t{2} : capacity)) {}
    ~ThreadChannel() {
        GYRE_ASSERT(receivers_.empty(),
                    "a channel is destroyed while tasks wait for items: join them");
        GYRE_ASSERT(senders_.empty(), "a channel is destroyed while tasks wait to send: join them");
    }
    ThreadChannel(const ThreadChannel&) = delete;
    ThreadChannel& operator=(const ThreadChannel&) = delete;

    [[nodiscard]] auto send(T item) noexcept { return Send{*this, std::move(item)}; }
    [[nodiscard]] auto receive() noexcept { return Receive{*this}; }

    // Any thread, with or without a loop, may call the functions below.

    // False when it is full or closed: the item stays with the caller.
    [[nodiscard]] bool try_send(T& item) noexcept { return push(item) == Ring::Pushed::done; }
    [[nodiscard]] bool try_send(T&& item) noexcept { return try_send(item); }
    // Nothing when it is empty.
    [[nodiscard]] std::optional<T> try_receive() noexcept {
        std::optional<T> item;
        static_cast<void>(pop(item));
        return item;
    }
    // Waiting and later sends throw ChannelClosed; items in the channel can still be received. A
    // second close does nothing.
    void close() noexcept {
        ring_.close();
        senders_.call_all();
        receivers_.call_all();
    }
    [[nodiscard]] bool is_closed() const noexcept { return ring_.is_closed(); }
    [[nodiscard]] std::size_t capacity() const noexcept { return ring_.capacity(); }

    class SendAwait final : public ThreadWait {
    public:
        SendAwait(PromiseBase& promise, ThreadChannel& channel, T item) noexcept
            : ThreadWait(promise, channel.senders_), channel_(channel), item_(std::move(item)) {}
        void await_resume() {
            this->end();
            if (!is_sent_) throw ChannelClosed();
        }
        [[nodiscard]] const char* what() const noexcept override {
            return "room in a channel between threads";
        }

    private:
        [[nodiscard]] bool attempt() noexcept override {
            const auto pushed = channel_.push(item_);
            is_sent_ = pushed == Ring::Pushed::done;
            return pushed != Ring::Pushed::full;
        }
        [[nodiscard]] bool may_succeed() const noexcept override {
            return channel_.ring_.may_push();
        }

        ThreadChannel& channel_;
        T item_;
        bool is_sent_ = false;
    };

    class ReceiveAwait final : public ThreadWait {
    public:
        ReceiveAwait(PromiseBase& promise, ThreadChannel& channel) noexcept
            : ThreadWait(promise, channel.receivers_), channel_(channel) {}
        [[nodiscard]] std::optional<T> await_resume() {
            this->end();
            return std::move(item_);
        }
        [[nodiscard]] const char* what() const noexcept override {
            return "an item of a channel between threads";
        }

    private:
        [[nodiscard]] bool attempt() noexcept override {
            return channel_.pop(item_) != Ring::Popped::empty;
        }
        [[nodiscard]] bool may_succeed() const noexcept override {
            return channel_.ring_.may_pop();
        }

        ThreadChannel& channel_;
        std::optional<T> item_;
    };

private:
    struct [[nodiscard]] Send {
        ThreadChannel& channel;
        T item;
        [[nodiscard]] SendAwait await_in(PromiseBase& promise) && noexcept {
            return SendAwait(promise, channel, std::move(item));
        }
    };
    struct [[nodiscard]] Receive {
        ThreadChannel& channel;
        [[nodiscard]] ReceiveAwait await_in(PromiseBase& promise) const noexcept {
            return ReceiveAwait(promise, channel);
        }
    };

    // Both call one wait of the other side. That call may reach a wait too early: a slot before its
    // own may still be in transfer, and the call is spent. So each success also calls a wait of its
    // own side that could go on.
    [[nodiscard]] typename Ring::Pushed push(T& item) noexcept {
        const auto pushed = ring_.push(item);
        if (pushed == Ring::Pushed::full) return pushed;
        if (pushed == Ring::Pushed::done) receivers_.call_one();
        if (!senders_.empty() && ring_.may_push()) senders_.call_one();
        return pushed;
    }
    [[nodiscard]] typename Ring::Popped pop(std::optional<T>& into) noexcept {
        const auto popped = ring_.pop(into);
        if (popped == Ring::Popped::empty) return popped;
        if (popped == Ring::Popped::done) senders_.call_one();
        if (!receivers_.empty() && ring_.may_pop()) receivers_.call_one();
        return popped;
    }

    Ring ring_;
    WaitRoom senders_;
    WaitRoom receivers_;
};

}  // namespace gyre
