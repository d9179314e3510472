// SPDX-License-Identifier: Apache-2.0
// Completion: the work that answers one request: the task of an async handler, a timer, or a Reply.
// Also here: the queues of completions and timers. All belong to the scheduler's thread. When the
// run ends first, its completion is withdrawn: it completes late, without an answer, and is freed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "gyre/effect/detail/run.hpp"
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
using CompletionQueue = ForwardQueue<Completion, CompletionLinks>;

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
    AnswerTimer(RunTask& task, Answer given, Instant when) noexcept
        : Completion(Kind::timer, task), deadline(when), answer(std::move(given)) {}

    const Instant deadline;
    Answer answer;
    std::uint64_t sequence = 0;  // order of starts, by the TimerQueue
    std::size_t place = 0;       // its index in it, or not_queued

    static constexpr std::size_t not_queued = ~std::size_t{0};
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

// The delayed answers, the earliest first; those of one instant in the order of their starts. A
// binary heap in which each timer knows its index, so that it can be removed. It owns nothing.
class TimerQueue {
public:
    [[nodiscard]] bool empty() const noexcept { return heap_.empty(); }
    [[nodiscard]] Instant next_deadline() const noexcept {
        GYRE_ASSERT(!heap_.empty(), "an empty queue has no deadline: check empty() first");
        return heap_.front()->deadline;
    }

    void add(AnswerTimer& timer) {
        timer.sequence = ++last_sequence_;
        heap_.push_back(&timer);
        rise(heap_.size() - 1);
    }
    void remove(AnswerTimer& timer) noexcept {
        GYRE_ASSERT(timer.place < heap_.size(), "remove only a timer that is queued");
        const std::size_t at = std::exchange(timer.place, AnswerTimer::not_queued);
        AnswerTimer& last = *heap_.back();
        heap_.pop_back();
        if (&last == &timer) return;
        put(last, at);
        rise(at);
        sink(last.place);
    }
    // Null when none is due.
    [[nodiscard]] AnswerTimer* take_due(Instant now) noexcept {
        if (heap_.empty() || heap_.front()->deadline > now) return nullptr;
        AnswerTimer* first = heap_.front();
        remove(*first);
        return first;
    }

private:
    [[nodiscard]] static bool is_before(const AnswerTimer& left,
                                        const AnswerTimer& right) noexcept {
        return left.deadline != right.deadline ? left.deadline < right.deadline
                                               : left.sequence < right.sequence;
    }
    void put(AnswerTimer& timer, std::size_t at) noexcept {
        heap_[at] = &timer;
        timer.place = at;
    }
    void rise(std::size_t at) noexcept {
        AnswerTimer& timer = *heap_[at];
        while (at > 0 && is_before(timer, *heap_[(at - 1) / 2])) {
            put(*heap_[(at - 1) / 2], at);
            at = (at - 1) / 2;
        }
        put(timer, at);
    }
    void sink(std::size_t at) noexcept {
        AnswerTimer& timer = *heap_[at];
        for (std::size_t child = 2 * at + 1; child < heap_.size(); child = 2 * at + 1) {
            if (child + 1 < heap_.size() && is_before(*heap_[child + 1], *heap_[child])) ++child;
            if (!is_before(*heap_[child], timer)) break;
            put(*heap_[child], at);
            at = child;
        }
        put(timer, at);
    }

    std::vector<AnswerTimer*> heap_;
    std::uint64_t last_sequence_ = 0;
};

}  // namespace gyre::effect
