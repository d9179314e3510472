// SPDX-License-Identifier: Apache-2.0
// How another thread hands an Op to a loop. Any thread may post; only the loop's own thread may
// drain, sleep and close. It must outlive every thread that may post to it.
//
// One atomic word tells all: it is empty, or the newest of a chain of posted ops, or `sleeping`
// (the loop is blocked, or about to), or `closed`. A loop falls asleep by a compare-exchange from
// empty, so a post either prevents the sleep or sees it: no wake is lost, and none is sent in vain.
#pragma once

#include <cstdint>

#include "gyre/base/detail/atomic.hpp"
#include "gyre/kernel/op.hpp"

namespace gyre {

// A line of its own: posters write it while the loop writes what lies around it.
class alignas(64) Inbox {
public:
    enum class Posted {
        queued,       // the loop is awake and will find it
        loop_sleeps,  // the poster must wake the loop
        refused,      // closed: the op stays with the poster
    };

    [[nodiscard]] Posted post(Op& op) noexcept { return push(op, op); }

    // All of them in one step, in their order; empties the queue unless refused.
    [[nodiscard]] Posted post_all(OpQueue& ops) noexcept {
        if (ops.empty()) return Posted::queued;
        Node& sentinel = ops.head_;
        Node& oldest = *sentinel.next_;
        // From its end to its start a queue is a chain already.
        const Posted posted = push(*sentinel.prev_, oldest);
        if (posted == Posted::refused) {
            oldest.prev_ = &sentinel;
        } else {
            ops.reset();
        }
        return posted;
    }

    // For a thread that brings work home: the loop may be gone as soon as it has the work, so what
    // the thread touches after its post, it touches between these two.
    void enter() noexcept {
        visitors_.fetch_add(1, std::memory_order_relaxed);  // Published by the post.
    }
    void leave() noexcept { visitors_.fetch_sub(1, std::memory_order_release); }
    // Acquire: pairs with the last touch of the last visitor.
    void wait_for_visitors() const noexcept {
        while (visitors_.load(std::memory_order_acquire) > 0) spin_pause();
    }

    // Appends the ops that are there now, oldest first; later posts wait for the next drain. True
    // when each of them is a plain request to `app`, the machine that gets posts by default.
    bool drain(OpQueue& arrived, MachineRef app = {}) noexcept {
        // Relaxed: an empty look costs no exchange; a post it misses is found by the next drain.
        const Word seen = head_.load(std::memory_order_relaxed);
        if (seen == empty || seen == closed) return true;
        // Loads the newest op into the cache while the exchange waits for the word.
        if (seen != sleeping) __builtin_prefetch(chain(seen), 1);
        return append(arrived, take_all(empty), app);
    }

    // Only between a look at the work that is there and the wait. False: something was posted. A
    // loop that sleeps already goes on sleeping.
    [[nodiscard]] bool try_sleep() noexcept {
        Word seen = empty;
        return head_.compare_exchange_strong(seen, sleeping) || seen == sleeping;
    }

    // From now on posts are refused. Appends what was still there.
    void close(OpQueue& rest) noexcept { append(rest, take_all(closed), {}); }

    // Relaxed: a hint for a loop that spins; drain does the real look.
    [[nodiscard]] bool looks_empty() const noexcept {
        const Word seen = head_.load(std::memory_order_relaxed);
        return seen == empty || seen == sleeping || seen == closed;
    }

private:
    using Word = std::uintptr_t;
    using Node = Link<OpLinks>;

    // No op has these addresses.
    static constexpr Word empty = 0;
    static constexpr Word sleeping = 1;
    static constexpr Word closed = 2;

    static Word word_of(Node& node) noexcept { return reinterpret_cast<Word>(&node); }
    static Node* chain(Word word) noexcept {
        return word <= closed ? nullptr : reinterpret_cast<Node*>(word);
    }

    // A chain from its newest to its oldest, which may be the same op.
    Posted push(Node& newest, Node& oldest) noexcept {
        // Relaxed: the exchange below publishes, and a failed one loads again.
        Word seen = head_.load(std::memory_order_relaxed);
        do {
            if (seen == closed) {
                oldest.prev_ = nullptr;
                return Posted::refused;
            }
            oldest.prev_ = chain(seen);
            // Release: whoever drains the ops sees them as the poster left them.
        } while (!head_.compare_exchange_weak(seen, word_of(newest), std::memory_order_release,
                                              std::memory_order_relaxed));
        return seen == sleeping ? Posted::loop_sleeps : Posted::queued;
    }

    Node* take_all(Word then) noexcept {
        // Acquire: pairs with the release of each post (every exchange continues its sequence).
        return chain(head_.exchange(then, std::memory_order_acquire));
    }

    static bool is_request_to(MachineRef app, const Op& op) noexcept {
        if (op.is_standing() || op.code_ == OpCode::cancel) return false;
        const MachineRef to = op.destination();
        return op.lane_ == Lane::submissions && (!to || to == app);
    }

    // The chain is linked by prev_: one walk that adds next_ makes it a piece of a queue.
    static bool append(OpQueue& queue, Node* newest, MachineRef app) noexcept {
        if (newest == nullptr) return true;
        bool is_all_for_app = true;
        Node& sentinel = queue.head_;
        Node* const last = sentinel.prev_;
        sentinel.prev_ = newest;
        Node* newer = &sentinel;
        for (Node* node = newest; node != nullptr;) {
            Node* const older = node->prev_;
            is_all_for_app = is_all_for_app && is_request_to(app, static_cast<const Op&>(*node));
            node->next_ = newer;
            newer = node;
            node = older;
        }
        newer->prev_ = last;
        last->next_ = newer;
        return is_all_for_app;
    }

    Atomic<Word> head_{empty};
    Atomic<std::uint32_t> visitors_{0};  // on the line that visitors write anyway
};

}  // namespace gyre
