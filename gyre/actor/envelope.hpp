// SPDX-License-Identifier: Apache-2.0
// Envelope: one message on its way to one actor. It belongs to whoever has it: its sender, an inbox
// between two loops, a mailbox, the handler. It is used up once: handled, or dropped.
#pragma once

#include <cstdint>
#include <typeinfo>

#include "gyre/task/frame_pool.hpp"
#include "gyre/task/hot.hpp"

namespace gyre::actor {

class Cell;

// Why a message is not handled: there was no room for it, or nobody to handle it.
enum class Lost : std::uint8_t { full, ended };

class Envelope {
public:
    Envelope(const Envelope&) = delete;
    Envelope& operator=(const Envelope&) = delete;

    // On the actor's thread; both use it up.
    virtual void handle(Cell& by) noexcept = 0;
    // Tells who waits for the answer. Counting it is the caller's.
    virtual void drop(Cell& by, Lost why) noexcept = 0;
    [[nodiscard]] virtual const std::type_info& type() const noexcept = 0;

    [[nodiscard]] std::uint64_t trace_id() const noexcept { return trace_id_; }
    void set_trace_id(std::uint64_t id) noexcept { trace_id_ = id; }

protected:
    Envelope() noexcept = default;
    virtual ~Envelope() = default;

private:
    friend class Mail;
    Envelope* next_ = nullptr;
    std::uint64_t trace_id_ = 0;
};

// Envelopes in the order they came.
class Mail {
public:
    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
    GYRE_HOT void push(Envelope& envelope) noexcept {
        envelope.next_ = nullptr;
        (first_ == nullptr ? first_ : last_->next_) = &envelope;
        last_ = &envelope;
    }
    // There is one.
    [[nodiscard]] GYRE_HOT Envelope& pop() noexcept {
        Envelope& envelope = *first_;
        first_ = envelope.next_;
        return envelope;
    }
    // Puts all of `other` in front of what is here.
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

// Memory of envelopes and the like: the pool's, whose blocks are aligned to 8, where that will do.
template <std::size_t alignment>
struct Allotted : Pooled {};
template <std::size_t alignment>
    requires(alignment > alignof(void*))
struct Allotted<alignment> {};

}  // namespace gyre::actor
