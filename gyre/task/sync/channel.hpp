// SPDX-License-Identifier: Apache-2.0
// Channel<T>: a bounded queue between tasks of one executor, fair on both ends: first come, first
// served. If the other side waits already, the item is handed over directly.
//
//     co_await channel.send(item);              // waits while it is full; throws ChannelClosed
//     while (auto item = co_await channel.receive()) use(*item);   // ends when closed and empty
//
// Thread: its executor's thread; ThreadChannel is for several.
// Lifetime: outlives the tasks that wait on it.
// Cancel: did nothing. The item of a cancelled send is dropped with it; the next item goes to the
// next receiver.
//
// At most one side waits: receivers while there is no item, senders while there is no room. With a
// capacity of 0 each send waits for its receiver.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "gyre/base/failure.hpp"
#include "gyre/task/core/detail/coroutine.hpp"

namespace gyre {

// Thrown by a send to a closed channel.
class ChannelClosed : public Failure {
public:
    ChannelClosed() : Failure("the channel is closed") {}
};

template <class T>
class Channel {
    static_assert(std::is_nothrow_move_constructible_v<T>, "an item must move without a throw");

public:
    // The name stands in reports about waiting tasks, and must live as long as the channel.
    explicit Channel(std::size_t capacity, const char* name = "")
        : capacity_(checked(capacity)),
          mask_(std::bit_ceil(capacity) - 1),
          places_(std::make_unique_for_overwrite<Place[]>(mask_ + 1)),
          name_(name) {
        GYRE_ASSERT(name != nullptr, "a channel got no name: leave it out for the default");
    }
    ~Channel() {
        GYRE_ASSERT(receivers_.empty(), "a channel goes while tasks wait for items: join them");
        GYRE_ASSERT(senders_.empty(), "a channel goes while tasks wait to send: join them first");
        while (count() > 0) drop_first();
    }
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    [[nodiscard]] auto send(T item) noexcept { return Send{*this, std::move(item)}; }
    [[nodiscard]] auto receive() noexcept { return Receive{*this}; }

    // False if it is full or closed: the item stays with the caller.
    [[nodiscard]] bool try_send(T& item) noexcept {
        if (is_closed_) return false;
        return give(item, [](ReceiveAwait& receiver) { receiver.wake(); });
    }
    [[nodiscard]] bool try_send(T&& item) noexcept { return try_send(item); }
    // None if it is empty.
    [[nodiscard]] std::optional<T> try_receive() noexcept {
        std::optional<T> item;
        take(item);
        return item;
    }

    // Waiting senders get ChannelClosed; the items inside can still be received. A second close
    // does nothing.
    void close() noexcept {
        is_closed_ = true;
        while (auto* receiver = receivers_.take_front()) receiver->wake();
        while (auto* sender = senders_.take_front()) sender->wake();
    }
    [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }
    // Items inside.
    [[nodiscard]] std::size_t count() const noexcept { return put_count_ - taken_count_; }
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

    class SendAwait final : public ListedWait {
    public:
        SendAwait(PromiseBase& promise, Channel& channel, T item) noexcept
            : channel_(channel), item_(std::move(item)) {
            attach(promise);
        }
        [[nodiscard]] GYRE_ALWAYS_INLINE bool await_ready() noexcept {
            if (begin() || channel_.is_closed_) return true;
            is_sent_ =
                channel_.give(item_, [this](ReceiveAwait& receiver) { receiver.wake_from(*this); });
            return is_sent_ && may_go_on();
        }
        GYRE_ALWAYS_INLINE void await_suspend(std::coroutine_handle<> by) noexcept {
            if (is_sent_) {
                go_last(by);
                return;
            }
            channel_.last_sender_ = task().id();
            channel_.senders_.push_fresh(*this);
            wait(by);
        }
        GYRE_ALWAYS_INLINE void await_resume() {
            end();
            if (!is_sent_) throw ChannelClosed();
        }
        [[nodiscard]] const char* what() const noexcept override { return "room in a channel"; }
        [[nodiscard]] WaitTarget target() const noexcept override {
            return {.part = "room in ",
                    .kind = "channel",
                    .name = channel_.name_,
                    .by = "last received from by",
                    .holds = "receives from",
                    .task_id = channel_.last_receiver_};
        }

    private:
        friend class Channel;
        Channel& channel_;
        T item_;
        bool is_sent_ = false;
    };

    class ReceiveAwait final : public ListedWait {
    public:
        ReceiveAwait(PromiseBase& promise, Channel& channel) noexcept : channel_(channel) {
            attach(promise);
        }
        [[nodiscard]] GYRE_ALWAYS_INLINE bool await_ready() noexcept {
            if (begin()) return true;
            return (channel_.take(item_) && may_go_on()) ||
                   (channel_.is_closed_ && !item_.has_value());
        }
        GYRE_ALWAYS_INLINE void await_suspend(std::coroutine_handle<> by) noexcept {
            if (item_.has_value()) {
                go_last(by);
                return;
            }
            channel_.last_receiver_ = task().id();
            channel_.receivers_.push_fresh(*this);
            wait(by);
        }
        [[nodiscard]] GYRE_ALWAYS_INLINE std::optional<T> await_resume() {
            end();
            return std::move(item_);
        }
        [[nodiscard]] const char* what() const noexcept override { return "an item of a channel"; }
        [[nodiscard]] WaitTarget target() const noexcept override {
            return {.part = "an item of ",
                    .kind = "channel",
                    .name = channel_.name_,
                    .by = "last sent to by",
                    .holds = "sends to",
                    .task_id = channel_.last_sender_};
        }

    private:
        friend class Channel;
        Channel& channel_;
        std::optional<T> item_;
    };

private:
    struct [[nodiscard]] Send {
        Channel& channel;
        T item;
        [[nodiscard]] SendAwait await_in(PromiseBase& promise) && noexcept {
            return SendAwait(promise, channel, std::move(item));
        }
    };
    struct [[nodiscard]] Receive {
        Channel& channel;
        [[nodiscard]] ReceiveAwait await_in(PromiseBase& promise) const noexcept {
            return ReceiveAwait(promise, channel);
        }
    };

    static std::size_t checked(std::size_t capacity) noexcept {
        GYRE_ASSERT(capacity <= capacity_max, "a channel of %zu items: it allocates room for all",
                    capacity);
        return capacity;
    }

    // Gives the item to the receiver that waits longest, or puts it inside. False if it is full.
    template <class Wake>
    GYRE_ALWAYS_INLINE bool give(T& item, Wake wake) noexcept {
        if (auto* receiver = receivers_.take_front()) {
            receiver->item_.emplace(std::move(item));
            wake(*receiver);
            return true;
        }
        if (count() == capacity_) return false;
        put(item);
        return true;
    }
    // Takes the first item inside, which the sender that waits longest refills, or the item of that
    // sender.
    GYRE_ALWAYS_INLINE bool take(std::optional<T>& into) noexcept {
        if (count() > 0) {
            into.emplace(std::move(first()));
            drop_first();
            if (auto* sender = senders_.take_front()) {
                put(sender->item_);
                mark_sent(*sender);
            }
            return true;
        }
        if (auto* sender = senders_.take_front()) {
            into.emplace(std::move(sender->item_));
            mark_sent(*sender);
            return true;
        }
        return false;
    }
    GYRE_ALWAYS_INLINE void put(T& item) noexcept {
        std::construct_at(&places_[put_count_ & mask_].item, std::move(item));
        ++put_count_;
    }
    [[nodiscard]] T& first() noexcept { return places_[taken_count_ & mask_].item; }
    void drop_first() noexcept {
        std::destroy_at(&first());
        ++taken_count_;
    }
    static void mark_sent(SendAwait& sender) noexcept {
        sender.is_sent_ = true;
        sender.wake();
    }

    static constexpr std::size_t capacity_max = std::size_t{1} << 32;

    union Place {
        Place() noexcept {}
        ~Place() {}
        T item;
    };
    // A ring: item number n is at the place n & mask_, until it is taken.
    const std::size_t capacity_;
    const std::size_t mask_;
    const std::unique_ptr<Place[]> places_;
    std::size_t put_count_ = 0;
    std::size_t taken_count_ = 0;
    Queue<ReceiveAwait, WaitLinks> receivers_;
    Queue<SendAwait, WaitLinks> senders_;
    const char* const name_;
    // For reports: the tasks that had to wait last; 0: none had to.
    std::uint32_t last_sender_ = 0;
    std::uint32_t last_receiver_ = 0;
    bool is_closed_ = false;
};

}  // namespace gyre
