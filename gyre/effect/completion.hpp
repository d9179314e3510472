// SPDX-License-Identifier: Apache-2.0
// Completion: external work for one request, whose end brings the answer: the task of an async
// handler, a timer, or a reply that somebody gives. It belongs to the scheduler's thread. When its
// run ends first, it is withdrawn: then it comes back late, brings nothing, and is freed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gyre/effect/run.hpp"
#include "gyre/task/scope.hpp"

namespace gyre::effect {

class Completion {
public:
    [[nodiscard]] bool is_late() const noexcept { return (context_.word_ & late) != 0; }
    // That waits for it, unless it is late.
    [[nodiscard]] RunTask& task() const noexcept { return context_.task(); }

    // Nobody waits for it any more.
    void withdraw() noexcept;
    // What it came back with: what it failed with, or null and an answer.
    [[nodiscard]] std::exception_ptr failure() noexcept;
    [[nodiscard]] Answer take() noexcept;
    // It is back, and was taken or is late.
    void free() noexcept;

protected:
    enum class Kind : std::uintptr_t { handler, timer, reply };

    Completion(Kind kind, RunTask& task) noexcept : context_(task) {
        context_.word_ |= static_cast<std::uintptr_t>(kind);
    }
    ~Completion() = default;
    // Of the handler, for as long as it runs. It outlives the task that asked.
    [[nodiscard]] Context& context() noexcept { return context_; }

private:
    friend class CompletionQueue;

    static constexpr std::uintptr_t kinds = 3;
    static constexpr std::uintptr_t late = 4;
    [[nodiscard]] Kind kind() const noexcept { return static_cast<Kind>(context_.word_ & kinds); }

    Completion* next_;  // while it is queued
    Context context_;
};

// Those that have come back, first in, first out.
class CompletionQueue {
public:
    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
    void push(Completion& completion) noexcept {
        completion.next_ = nullptr;
        (first_ == nullptr ? first_ : last_->next_) = &completion;
        last_ = &completion;
    }
    // Null when empty.
    [[nodiscard]] Completion* pop() noexcept {
        Completion* completion = first_;
        if (completion != nullptr) first_ = completion->next_;
        return completion;
    }

private:
    Completion* first_ = nullptr;
    Completion* last_ = nullptr;
};

// A handler that answers by a future. What it works with lives in the frame of its coroutine; it is
// given back when that has ended, also where the run is over.
class HandlerTask final : public TaskBlock<Answer>, public Completion {
public:
    HandlerTask(Scope& scope, RunTask& task) noexcept
        : TaskBlock<Answer>(scope), Completion(Kind::handler, task) {
        task.run.pin();
    }
    ~HandlerTask() override { Completion::task().run.unpin(); }

    // Asks for the future. What throws instead is its answer.
    void ask(Handler& handler, Arguments& arguments) {
        begin_with(handler.begin(context(), arguments));
    }
    // Whether it has ended in there. Otherwise it comes back.
    [[nodiscard]] bool begin() noexcept { return scope().begin_kept(*this); }

private:
    friend class Completion;

    void destroy() noexcept override;
    // It fails the run, unless that is over.
    [[nodiscard]] bool is_watched() const noexcept override { return !is_late(); }
};

// An answer that is given at a time.
class AnswerTimer final : public Completion, public Pooled {
public:
    AnswerTimer(RunTask& task, Answer answer_then, Instant when) noexcept
        : Completion(Kind::timer, task), deadline(when), answer(std::move(answer_then)) {}

    const Instant deadline;
    Answer answer;
    std::uint64_t sequence = 0;  // of the TimerQueue
    std::size_t place = 0;       // in it; not_there: it has been taken out

    static constexpr std::size_t not_there = ~std::size_t{0};
};

// An answer that a Reply will bring. The reply owns it until then.
class PendingReply final : public Completion, public Pooled {
public:
    explicit PendingReply(RunTask& task) noexcept : Completion(Kind::reply, task) {}

    Answer answer = resume();
    std::exception_ptr failed_with;
};

}  // namespace gyre::effect
