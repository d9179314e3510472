// SPDX-License-Identifier: Apache-2.0
// Completion: the work that answers one request: the task of an async handler, a timer, or a Reply.
// It belongs to the scheduler's thread. When the run ends first, its completion is withdrawn: it
// completes late, without an answer, and is freed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "gyre/effect/scheduler.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre::effect {

class Completion {
public:
    [[nodiscard]] bool is_late() const noexcept { return (context_.word_ & late) != 0; }
    // The task that waits for it, unless it is late.
    [[nodiscard]] RunTask& task() const noexcept { return context_.task(); }

    // The task does not wait for it any more.
    void withdraw() noexcept;
    // Of a completed one: its failure, or null and an answer.
    [[nodiscard]] std::exception_ptr failure() noexcept;
    [[nodiscard]] Answer take() noexcept;
    // Of a completed one whose answer was taken, or that is late.
    void free() noexcept;

protected:
    enum class Kind : std::uintptr_t { handler, timer, reply };

    Completion(Kind kind, RunTask& task) noexcept : context_(task) {
        context_.word_ |= static_cast<std::uintptr_t>(kind);
    }
    ~Completion() = default;
    // Of the running handler. It outlives the task that asked.
    [[nodiscard]] Context& context() noexcept { return context_; }

private:
    friend struct CompletionLinks;

    static constexpr std::uintptr_t kinds = 3;
    static constexpr std::uintptr_t late = 4;
    [[nodiscard]] Kind kind() const noexcept { return static_cast<Kind>(context_.word_ & kinds); }

    Completion* next_;  // in the CompletionQueue
    Context context_;
};

struct CompletionLinks {
    static Completion*& next(Completion& completion) noexcept { return completion.next_; }
};
// A handler that answers by a future. Its coroutine frame owns the handler's state, and is freed
// when the handler has ended, even if the run ended before.
class HandlerTask final : public TaskBlock<Answer>, public Completion {
public:
    HandlerTask(Scope& scope, RunTask& task) noexcept
        : TaskBlock<Answer>(scope), Completion(Kind::handler, task) {
        task.run.pin();
    }
    ~HandlerTask() override { Completion::task().run.unpin(); }

    // Calls the handler. An exception counts as the failure of its future.
    void ask(Handler& handler, Arguments& arguments) {
        begin_with(handler.begin(context(), arguments));
    }
    // Whether it ended inside this call. Otherwise it completes later.
    [[nodiscard]] bool begin() noexcept { return scope().begin_kept(*this); }

private:
    friend class Completion;

    void destroy() noexcept override;
    // A failure of it fails the run, unless the run is over.
    [[nodiscard]] bool is_watched() const noexcept override { return !is_late(); }
};

// A delayed answer.
class AnswerTimer final : public Completion, public Pooled {
public:
    AnswerTimer(RunTask& task, Answer given, Instant when, std::uint64_t start_number) noexcept
        : Completion(Kind::timer, task),
          deadline(when),
          number(start_number),
          answer(std::move(given)) {}
    [[nodiscard]] bool is_queued() const noexcept { return index != AnswerTimers::none; }

    const Instant deadline;
    const std::uint64_t number;  // counts the starts
    Answer answer;
    std::size_t index = AnswerTimers::none;  // in the scheduler's heap
};

// The answer of a Reply, which owns it until it is given.
class PendingReply final : public Completion, public Pooled {
public:
    explicit PendingReply(RunTask& task) noexcept : Completion(Kind::reply, task) {}

    Answer answer = resume();
    std::exception_ptr failed_with;
};

inline std::exception_ptr Completion::failure() noexcept {
    switch (kind()) {
        case Kind::handler:
            return static_cast<HandlerTask&>(*this).outcome().failure();
        case Kind::timer:
            return nullptr;
        case Kind::reply:
            break;
    }
    return std::move(static_cast<PendingReply&>(*this).failed_with);
}

inline Answer Completion::take() noexcept {
    switch (kind()) {
        case Kind::handler:
            return static_cast<HandlerTask&>(*this).outcome().take();
        case Kind::timer:
            return std::move(static_cast<AnswerTimer&>(*this).answer);
        case Kind::reply:
            break;
    }
    return std::move(static_cast<PendingReply&>(*this).answer);
}

inline void Completion::free() noexcept {
    switch (kind()) {
        case Kind::handler:
            delete static_cast<HandlerTask*>(this);
            break;
        case Kind::timer:
            delete static_cast<AnswerTimer*>(this);
            break;
        case Kind::reply:
            delete static_cast<PendingReply*>(this);
            break;
    }
}

// The earliest first; timers of one instant in the order of their starts.
struct AnswerTimerOrder {
    static bool is_before(const AnswerTimer& left, const AnswerTimer& right) noexcept {
        return left.deadline != right.deadline ? left.deadline < right.deadline
                                               : left.number < right.number;
    }
    static std::size_t& index(AnswerTimer& timer) noexcept { return timer.index; }
};

}  // namespace gyre::effect
