// SPDX-License-Identifier: Apache-2.0
// Answer: what a handler says to a request. `resume` and `tail` go on with the guest, each for ops
// of its kind; `end` completes the run with the value and leaves the guest where it is. A plain
// value.
//
//     return resume(2);   return tail();   return end("enough");   return resume(2).after(5ms);
#pragma once

#include <cstdint>
#include <utility>

#include "gyre/effect/value.hpp"
#include "gyre/kernel/clock.hpp"
#include "gyre/task/frame_pool.hpp"

namespace gyre::effect {

enum class AnswerKind : std::uint8_t { resume, tail, end };
[[nodiscard]] constexpr const char* name_of(AnswerKind kind) noexcept {
    switch (kind) {
        case AnswerKind::resume:
            return "resume";
        case AnswerKind::tail:
            return "tail";
        case AnswerKind::end:
            return "end";
    }
    return "nothing that is known";
}

// Derived, so that what is added stands in what the value leaves free of its last word. One that is
// given later keeps value and delay in a pooled block, and its address in the place of the value:
// few answers have a delay.
class [[nodiscard]] Answer : private Value {
public:
    Answer(AnswerKind kind, Value value) noexcept : Value(std::move(value)), kind_(kind) {}
    Answer(Answer&& other) noexcept
        : Value(std::move(other)),
          kind_(other.kind_),
          is_delayed_(std::exchange(other.is_delayed_, false)) {}
    Answer& operator=(Answer&& other) noexcept {
        std::swap(static_cast<Value&>(*this), static_cast<Value&>(other));
        std::swap(kind_, other.kind_);
        std::swap(is_delayed_, other.is_delayed_);
        return *this;
    }
    ~Answer() {
        if (is_delayed_) delete &later();
    }

    // The same answer, given that much later: by a timer of the scheduler, and no handler waits.
    Answer after(Duration delay) && {
        Answer answer(kind_, take_value());
        if (delay > Duration(0)) answer.delay_by(delay);
        return answer;
    }

    [[nodiscard]] AnswerKind kind() const noexcept { return kind_; }
    [[nodiscard]] const Value& value() const noexcept {
        return is_delayed_ ? later().value : static_cast<const Value&>(*this);
    }
    [[nodiscard]] Value take_value() noexcept {
        return std::move(is_delayed_ ? later().value : static_cast<Value&>(*this));
    }
    [[nodiscard]] bool is_delayed() const noexcept { return is_delayed_; }
    [[nodiscard]] Duration delay() const noexcept {
        return is_delayed_ ? later().delay : Duration(0);
    }

private:
    struct Later : Pooled {
        Later(Value given, Duration after) noexcept : value(std::move(given)), delay(after) {}
        Value value;
        Duration delay;
    };
    [[nodiscard]] Later& later() const noexcept { return *reinterpret_cast<Later*>(integer()); }
    void delay_by(Duration delay) {
        const auto* later = new Later(take_value(), delay);
        static_cast<Value&>(*this) = Value(reinterpret_cast<std::intptr_t>(later));
        is_delayed_ = true;
    }

    AnswerKind kind_;
    bool is_delayed_ = false;
};

inline Answer resume(Value value = {}) noexcept {
    return {AnswerKind::resume, std::move(value)};
}
inline Answer tail(Value value = {}) noexcept {
    return {AnswerKind::tail, std::move(value)};
}
inline Answer end(Value value = {}) noexcept {
    return {AnswerKind::end, std::move(value)};
}

}  // namespace gyre::effect
