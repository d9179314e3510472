// SPDX-License-Identifier: Apache-2.0
// Context: the run that a handler works for: its id, its time, its clean-up functions. Also here:
// Answer, which a handler returns; Reply, an answer that is given later; CancelToken, which tells
// whether the run still needs one.
//
//     handlers.on(Async::await, [](Context& context, int n) {
//         context.on_end([] { log(LogLevel::info, "the run has ended"); });
//         return resume(n + 1).after(5ms);
//     });
//
// Thread: the loop's; a Reply may be used on any thread.
// Lifetime: a Context is valid while its handler runs; a token may outlive the run; a Reply must
// not outlive the scheduler. An Answer is a plain value.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <utility>

#include "gyre/effect/guest.hpp"
#include "gyre/effect/value.hpp"
#include "gyre/kernel/clock.hpp"
#include "gyre/task/core/detail/frame_pool.hpp"
#include "gyre/task/core/executor.hpp"

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
    return "unknown";
}

// A handler's answer to a request. `resume` and `tail` continue the guest, each for ops of its
// kind; `end` completes the run with the value and does not continue the guest.
//
// It derives from Value to use the padding of its last word. A delayed answer, which is rare, keeps
// its value and delay in a pooled block, and the block's address in the place of the value.
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
        if (is_delayed_) delete &delayed();
    }

    // The same answer after a delay: a timer of the scheduler gives it, no handler waits.
    Answer after(Duration delay) && {
        Answer answer(kind_, take_value());
        if (delay > Duration(0)) answer.delay_by(delay);
        return answer;
    }

    [[nodiscard]] AnswerKind kind() const noexcept { return kind_; }
    [[nodiscard]] const Value& value() const noexcept {
        return is_delayed_ ? delayed().value : static_cast<const Value&>(*this);
    }
    [[nodiscard]] Value take_value() noexcept {
        return std::move(is_delayed_ ? delayed().value : static_cast<Value&>(*this));
    }
    [[nodiscard]] bool is_delayed() const noexcept { return is_delayed_; }
    [[nodiscard]] Duration delay() const noexcept {
        return is_delayed_ ? delayed().delay : Duration(0);
    }

private:
    struct Delayed : Pooled {
        Delayed(Value given, Duration after) noexcept : value(std::move(given)), delay(after) {}
        Value value;
        Duration delay;
    };
    [[nodiscard]] Delayed& delayed() const noexcept {
        return *reinterpret_cast<Delayed*>(integer());
    }
    void delay_by(Duration delay) {
        const auto* delayed = new Delayed(take_value(), delay);
        static_cast<Value&>(*this) = Value(reinterpret_cast<std::intptr_t>(delayed));
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

class Journal;
class Run;
class RunTask;
class Scheduler;

// Tells a handler whether its run still needs the answer. Copies are cheap, and may outlive the
// run.
class CancelToken {
public:
    explicit CancelToken(Run& run) noexcept;
    CancelToken(const CancelToken& other) noexcept : CancelToken(*other.run_) {}
    CancelToken& operator=(const CancelToken& other) noexcept {
        CancelToken copy(other);
        std::swap(run_, copy.run_);
        return *this;
    }
    ~CancelToken();
    [[nodiscard]] bool is_cancelled() const noexcept;
    // Whether the run has ended in any way: an answer would be late.
    [[nodiscard]] bool is_over() const noexcept;

private:
    Run* run_;
};

// The run that a handler works for. Valid while the handler runs; for an async handler, until its
// future has ended.
class Context {
public:
    explicit Context(RunTask& task) noexcept : word_(reinterpret_cast<std::uintptr_t>(&task)) {}

    [[nodiscard]] RunId run_id() const noexcept;
    // 1 for the root. The tasks of a run have the same numbers in a replay.
    [[nodiscard]] std::uint32_t task_id() const noexcept;
    // Of its run; null if it has none.
    [[nodiscard]] Journal* journal() const noexcept;
    [[nodiscard]] CancelToken token() const noexcept { return CancelToken(run()); }
    // The time of the loop's turn, monotonic.
    [[nodiscard]] Instant now() const noexcept;
    [[nodiscard]] Executor& executor() const noexcept;

    // Calls the function once when the run has ended in any way, last registered first; at once
    // when it has ended. An exception of the function is logged and has no other effect.
    void on_end(std::move_only_function<void()> clean_up);
    // Cancels the run that the handler works for: its answer is not needed any more.
    void cancel_run(CancelReason reason = {});

private:
    friend class Completion;
    static constexpr std::uintptr_t marks = 7;  // bits beside the address, for Completion
    [[nodiscard]] Run& run() const noexcept;
    [[nodiscard]] RunTask& task() const noexcept {
        return *reinterpret_cast<RunTask*>(word_ & ~marks);
    }

    std::uintptr_t word_;  // the task that asks; the root of its run when the task has ended
};

class PendingReply;

// Answers one request later, for handlers with callbacks. The first answer counts; another one is
// rejected. A reply that is destroyed without an answer fails the run. It must not outlive the
// scheduler. Any thread.
class Reply {
public:
    // For the scheduler.
    Reply(Scheduler& scheduler, PendingReply& pending) noexcept
        : scheduler_(&scheduler), pending_(&pending) {}
    Reply(Reply&& other) noexcept
        : scheduler_(other.scheduler_), pending_(std::exchange(other.pending_, nullptr)) {}
    Reply& operator=(Reply&& other) noexcept {
        std::swap(scheduler_, other.scheduler_);
        std::swap(pending_, other.pending_);
        return *this;
    }
    ~Reply();

    // Whether it was accepted: false for a second answer and for a late one. From another thread
    // the answer is posted, and a late one counts as accepted.
    bool answer(Answer answer);
    bool fail(std::exception_ptr failure);

private:
    Scheduler* scheduler_;
    PendingReply* pending_;  // null: the answer is given
};

}  // namespace gyre::effect
