// SPDX-License-Identifier: Apache-2.0
// Envelope: one message on its way to one actor. It is owned by its sender, then by the inbox
// between two loops, the mailbox and the handler in turn; the thread of its owner may use it. It
// is consumed once: handled, or dropped.
#pragma once

#include <cstdint>
#include <typeinfo>

#include "gyre/base/detail/compiler.hpp"
#include "gyre/task/core/detail/frame_pool.hpp"

namespace gyre::actor {

class Cell;

// Why a message was not handled: the mailbox was full, or the actor has ended.
enum class Lost : std::uint8_t { full, ended };

class Envelope {
public:
    Envelope(const Envelope&) = delete;
    Envelope& operator=(const Envelope&) = delete;

    // On the actor's thread. Both consume the envelope.
    virtual void handle(Cell& by) noexcept = 0;
    // Fails the answer, if a task waits for one. The caller counts the loss.
    virtual void drop(Cell& by, Lost why) noexcept = 0;
    [[nodiscard]] virtual const std::type_info& type() const noexcept = 0;

    [[nodiscard]] std::uint64_t trace_id() const noexcept { return trace_id_; }
    void set_trace_id(std::uint64_t id) noexcept { trace_id_ = id; }

protected:
    explicit Envelope(std::uint64_t trace_id = 0) noexcept : trace_id_(trace_id) {}
    virtual ~Envelope() = default;

private:
    friend class Mail;
    Envelope* next_ = nullptr;
    std::uint64_t trace_id_;
};

// Envelopes, first in, first out.
class Mail {
public:
    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
    GYRE_ALWAYS_INLINE void push(Envelope& envelope) noexcept {
        envelope.next_ = nullptr;
        (first_ == nullptr ? first_ : last_->next_) = &envelope;
        last_ = &envelope;
    }
    // Not when it is empty.
    [[nodiscard]] GYRE_ALWAYS_INLINE Envelope& pop() noexcept {
        Envelope& envelope = *first_;
        first_ = envelope.next_;
        return envelope;
    }
    // Moves all of `other` to the front.
    void push_all_front(Mail& other) noexcept {
        if (other.empty()) return;
        other.last_->next_ = first_;
        if (first_ == nullptr) last_ = other.last_;
        first_ = other.first_;
        other.first_ = nullptr;
    }

private:
    Envelope* first_ = nullptr;
    Envelope* last_ = nullptr;
};

// Allocates from the frame pool unless the alignment exceeds that of the pool's blocks.
template <std::size_t alignment>
struct Allotted : Pooled {};
template <std::size_t alignment>
    requires(alignment > alignof(void*))
struct Allotted<alignment> {};

}  // namespace gyre::actor
