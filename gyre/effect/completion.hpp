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

struct CompletionLinks;

class Completion : public Link<CompletionLinks> {
public:
    [[nodiscard]] bool is_late() const noexcept { return task_ == nullptr; }
    [[nodiscard]] RunTask& task() const noexcept { return *task_; }

    // Nobody waits for it any more.
    void withdraw() noexcept {
        on_withdrawn();
        task_ = nullptr;
    }
    // What it came back with: an answer, or what it failed with.
    [[nodiscard]] virtual Answer take(std::exception_ptr& failure) noexcept = 0;
    // It is back, and was taken or is late.
    virtual void destroy() noexcept = 0;

protected:
    explicit Completion(RunTask& task) noexcept : task_(&task) {}
    ~Completion() = default;
    virtual void on_withdrawn() noexcept = 0;

private:
    RunTask* task_;
};

// A handler that answers by a future. What it works with lives in the frame of its coroutine; it is
// given back when that has ended, also where the run is over.
class HandlerTask final : public TaskBlock<Answer>, public Completion {
public:
    HandlerTask(Scope& scope, RunTask& task) noexcept;
    ~HandlerTask() override;

    // Whether it has ended in there.
    [[nodiscard]] bool begin(Handler& handler, Arguments& arguments) {
        begin_with(handler.begin(context_, arguments));
        scope().begin_now(*this);
        is_beginning_ = false;
        return has_ended_;
    }
    Answer take(std::exception_ptr& failure) noexcept override {
        return outcome().has_value() ? outcome().take() : take_failure(failure);
    }
    // Called twice: by the executor when it has ended, and by the scheduler when it was taken.
    void destroy() noexcept override;

private:
    void on_withdrawn() noexcept override;
    // It fails the run, unless that is over.
    [[nodiscard]] bool is_watched() const noexcept override { return !is_late(); }
    [[nodiscard, gnu::cold, gnu::noinline]] Answer take_failure(
        std::exception_ptr& failure) noexcept;

    Context context_;
    bool is_beginning_ = true;
    bool has_ended_ = false;
};

// An answer that is given at a time.
class AnswerTimer final : public Completion, public Pooled {
public:
    AnswerTimer(RunTask& task, Answer answer, Instant when) noexcept
        : Completion(task), deadline(when), answer_(std::move(answer)) {}
    Answer take(std::exception_ptr& /*failure*/) noexcept override { return std::move(answer_); }
    void destroy() noexcept override { delete this; }

    const Instant deadline;
    std::uint64_t sequence = 0;  // of the TimerQueue
    std::size_t place = 0;       // in it; not_there: it has been taken out

    static constexpr std::size_t not_there = ~std::size_t{0};

private:
    void on_withdrawn() noexcept override;

    Answer answer_;
};

// An answer that a Reply will bring. The reply owns it until then.
class PendingReply final : public Completion, public Pooled {
public:
    explicit PendingReply(RunTask& task) noexcept : Completion(task) {}
    Answer take(std::exception_ptr& failure_out) noexcept override {
        failure_out = std::move(failure);
        return std::move(answer);
    }
    void destroy() noexcept override { delete this; }

    Answer answer = resume();
    std::exception_ptr failure;

private:
    void on_withdrawn() noexcept override {}
};

}  // namespace gyre::effect
