// SPDX-License-Identifier: Apache-2.0
// Answer: what a handler says to a request. `resume` and `tail` go on with the guest, each for ops
// of its kind; `end` completes the run with the value and leaves the guest where it is. A plain
// value.
//
//     return resume(2);      return tail();      return end("enough");      return
//     resume(2).after(5ms);
#pragma once

#include <cstdint>
#include <utility>

#include "gyre/effect/value.hpp"
#include "gyre/kernel/clock.hpp"

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

// Derived, so that what is added stands in what the value leaves free of its last word. A delay is
// kept with the value, in a list of both: few answers have one.
class [[nodiscard]] Answer : private Value {
public:
    Answer(AnswerKind kind, Value value) noexcept : Value(std::move(value)), kind_(kind) {}

    // The same answer, given that much later: by a timer of the scheduler, and no handler waits.
    Answer after(Duration delay) && {
        Answer later(kind_, take_value());
        if (delay <= Duration(0)) return later;
        List both;
        both.push_back(later.take_value());
        both.emplace_back(delay.count());
        static_cast<Value&>(later) = Value(std::move(both));
        later.is_delayed_ = true;
        return later;
    }

    [[nodiscard]] AnswerKind kind() const noexcept { return kind_; }
    [[nodiscard]] const Value& value() const noexcept {
        return is_delayed_ ? list().front() : static_cast<const Value&>(*this);
    }
    [[nodiscard]] Value take_value() noexcept {
        return std::move(is_delayed_ ? list().front() : static_cast<Value&>(*this));
    }
    [[nodiscard]] bool is_delayed() const noexcept { return is_delayed_; }
    [[nodiscard]] Duration delay() const noexcept {
        return Duration(is_delayed_ ? list().back().integer() : 0);
    }

private:
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
