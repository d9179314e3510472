// SPDX-License-Identifier: Apache-2.0
// Inbox: the queue through which other threads post ops to a loop. Any thread may post; only the
// loop's own thread may drain, sleep and close. It must outlive every thread that may post to it.
//
// All state is one atomic word: `empty`, or the newest of a chain of posted ops, or `sleeping` (the
// loop is blocked, or about to block), or `closed`. A loop goes to sleep by a compare-exchange from
// `empty`, so a post either prevents the sleep or sees it: no wake-up is lost, and no superfluous
// one is sent.
#pragma once

#include <cstdint>

#include "gyre/base/detail/atomic.hpp"
#include "gyre/kernel/op.hpp"

namespace gyre {

// On its own cache line: posting threads write it while the loop writes the fields around it.
class alignas(64) Inbox {
public:
    enum class Posted {
        queued,       // the loop is awake and will find it
        loop_sleeps,  // the poster must wake the loop
        refused,      // closed: the op stays with the poster
    };

    [[nodiscard]] Posted post(Op& op) noexcept { return push(op, op); }

    // Posts all ops in one step, in order; empties the queue unless refused.
    [[nodiscard]] Posted post_all(OpQueue& ops) noexcept {
        if (ops.empty()) return Posted::queued;
        Node& sentinel = ops.head_;
        Node& oldest = *sentinel.next_;
        // Read from its end to its start, a queue already has the form of a chain.
        const Posted posted = push(*sentinel.prev_, oldest);
        if (posted == Posted::refused) {
            oldest.prev_ = &sentinel;
        } else {
            ops.reset();
        }
        return posted;
    }

    // For a thread that posts the completion of offloaded work: the loop may be destroyed as soon
    // as it has drained the op, so the thread calls `enter` before the post and `leave` after its
    // last access to the loop.
    void enter() noexcept {
        visitors_.fetch_add(1, std::memory_order_relaxed);  // Published by the post.
    }
    void leave() noexcept { visitors_.fetch_sub(1, std::memory_order_release); }
    // Acquire: pairs with the release in `leave` of the last visitor.
    void wait_for_visitors() const noexcept {
        while (visitors_.load(std::memory_order_acquire) > 0) spin_pause();
    }

    // In the child of a fork(), where no other thread is.
    void forget_visitors() noexcept { visitors_.store(0, std::memory_order_relaxed); }

    // Appends the ops that are in the inbox now, oldest first; later posts wait for the next drain.
    // True if each of them is a plain request to `app`, the default destination of posts.
    bool drain(OpQueue& arrived, MachineRef app = {}) noexcept {
        // Relaxed: an empty inbox costs no exchange; a post missed here is found by the next drain.
        const Word seen = head_.load(std::memory_order_relaxed);
        if (seen == empty || seen == closed) return true;
        // Loads the newest op into the cache while the exchange waits for the word.
        if (seen != sleeping) __builtin_prefetch(chain(seen), 1);
        return append(arrived, take_all(empty), app);
    }

    // Called between the last check for work and the wait. False if an op was posted. Calling it
    // while `sleeping` is set already is allowed and returns true.
    [[nodiscard]] bool try_sleep() noexcept {
        Word seen = empty;
        return head_.compare_exchange_strong(seen, sleeping) || seen == sleeping;
    }

    // From now on posts are refused. Appends the ops that are still in the inbox.
    void close(OpQueue& rest) noexcept { append(rest, take_all(closed), {}); }

    // Relaxed: a hint for a loop that spins; drain reads the word properly.
    [[nodiscard]] bool looks_empty() const noexcept {
        const Word seen = head_.load(std::memory_order_relaxed);
        return seen == empty || seen == sleeping || seen == closed;
    }

private:
    using Word = std::uintptr_t;
    using Node = Link<OpLinks>;

    // Values that cannot be addresses of ops.
    static constexpr Word empty = 0;
    static constexpr Word sleeping = 1;
    static constexpr Word closed = 2;

    static Word word_of(Node& node) noexcept { return reinterpret_cast<Word>(&node); }
    static Node* chain(Word word) noexcept {
        return word <= closed ? nullptr : reinterpret_cast<Node*>(word);
    }

    // Pushes a chain, given by its newest and its oldest op, which may be the same.
    Posted push(Node& newest, Node& oldest) noexcept {
        // Relaxed: the exchange below publishes, and a failed one loads again.
        Word seen = head_.load(std::memory_order_relaxed);
        do {
            if (seen == closed) {
                oldest.prev_ = nullptr;
                return Posted::refused;
            }
            oldest.prev_ = chain(seen);
            // Release: the loop that drains the ops sees them as the posting thread wrote them.
        } while (!head_.compare_exchange_weak(seen, word_of(newest), std::memory_order_release,
                                              std::memory_order_relaxed));
        return seen == sleeping ? Posted::loop_sleeps : Posted::queued;
    }

    Node* take_all(Word then) noexcept {
        // Acquire: pairs with the release of each post (each later exchange continues its release
        // sequence).
        return chain(head_.exchange(then, std::memory_order_acquire));
    }

    static bool is_request_to(MachineRef app, const Op& op) noexcept {
        if (op.is_standing() || op.code_ == OpCode::cancel) return false;
        const MachineRef to = op.destination();
        return op.lane_ == Lane::submissions && (!to || to == app);
    }

    // The chain is linked by prev_: one pass that sets next_ makes it part of a queue.
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
    Atomic<std::uint32_t> visitors_{0};  // on the cache line that visitors write anyway
};

}  // namespace gyre
