// SPDX-License-Identifier: Apache-2.0
// ThreadChannel<T>: a bounded queue between tasks of any loops and threads, with any number of
// senders and receivers. Each awaits on its own loop. A full or empty channel costs a message to
// the other loop, everything else a few atomic operations.
//
//     co_await channel.send(item);              // waits while it is full; throws ChannelClosed
//     while (auto item = co_await channel.receive()) use(*item);   // ends when closed and empty
//
// Thread: any loop's tasks. Between two tasks of one loop Channel is faster.
// Lifetime: outlives all that use it. The loops of waiting tasks stay until nobody wakes them any
// more (a Runtime ensures that).
// Cancel: did nothing; a transfer that the other side had begun counts.
//
// Items are received in the order of their sends. The longest waiting task is woken first, but
// another that comes at that moment may overtake it.
#pragma once

#include <bit>
#include <optional>
#include <utility>

#include "gyre/base/detail/mpmc_ring.hpp"
#include "gyre/task/sync/channel.hpp"
#include "gyre/task/thread/detail/thread_wait.hpp"

namespace gyre {

template <class T>
class ThreadChannel {
    using Ring = MpmcRing<T>;

public:
    // Room for at least so many: the next power of two, from 2 on.
    explicit ThreadChannel(std::size_t capacity)
        : ring_(std::bit_ceil(capacity < 2 ? std::size_t{2} : capacity)) {}
    ~ThreadChannel() {
        GYRE_ASSERT(receivers_.empty(), "a channel goes while tasks wait for items: join them");
        GYRE_ASSERT(senders_.empty(), "a channel goes while tasks wait to send: join them first");
    }
    ThreadChannel(const ThreadChannel&) = delete;
    ThreadChannel& operator=(const ThreadChannel&) = delete;

    [[nodiscard]] auto send(T item) noexcept { return Send{*this, std::move(item)}; }
    [[nodiscard]] auto receive() noexcept { return Receive{*this}; }

    // What follows may be called on any thread, also on one without a loop.

    // False where it is full or closed: the item stays with the caller.
    [[nodiscard]] bool try_send(T& item) noexcept { return push(item) == Ring::Pushed::done; }
    [[nodiscard]] bool try_send(T&& item) noexcept { return try_send(item); }
    // Nothing where it is empty.
    [[nodiscard]] std::optional<T> try_receive() noexcept {
        std::optional<T> item;
        static_cast<void>(pop(item));
        return item;
    }
    // Sends that wait or come later get ChannelClosed; what is inside can still be received. A
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

    // Both call one of the other side for what they did. A call may have found its receiver before
    // the item in front of its own was there, and be used up: so who gets on looks for another one
    // of its own side who could.
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
