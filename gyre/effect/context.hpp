// SPDX-License-Identifier: Apache-2.0
// What a handler is given beside its arguments. Context: the run it works for, its time, and
// clean-up. Reply: a handler's answer, to be given later and from anywhere. CancelToken: whether
// the run still wants one. Contexts and tokens belong to the loop's thread; a Reply may be used
// from any.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <utility>

#include "gyre/effect/answer.hpp"
#include "gyre/task/executor.hpp"

namespace gyre::effect {

class Run;
class RunTask;
class Scheduler;

// Names a run of one scheduler, for good. 0 names none.
using RunId = std::uint64_t;

// Copies are cheap, and may outlive the run.
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
    // Whether it has ended, in whatever way: an answer would come too late.
    [[nodiscard]] bool is_over() const noexcept;

private:
    Run* run_;
};

// Good while the handler runs: for an async one, until its future has ended.
class Context {
public:
    explicit Context(RunTask& task) noexcept : word_(reinterpret_cast<std::uintptr_t>(&task)) {}

    [[nodiscard]] RunId run_id() const noexcept;
    [[nodiscard]] CancelToken token() const noexcept { return CancelToken(run()); }
    // The time of the loop's turn, monotonic.
    [[nodiscard]] Instant now() const noexcept;
    [[nodiscard]] Executor& executor() const noexcept;

    // Called once when the run has ended, in whatever way, last registered first; at once where it
    // has. What it throws is reported and changes nothing.
    void on_end(std::move_only_function<void()> clean_up);

private:
    friend class Completion;
    static constexpr std::uintptr_t marks = 7;  // beside the address, for a Completion
    [[nodiscard]] Run& run() const noexcept;
    [[nodiscard]] RunTask& task() const noexcept {
        return *reinterpret_cast<RunTask*>(word_ & ~marks);
    }

    std::uintptr_t word_;  // the task that asks; when that has ended, the root of its run
};

class PendingReply;

// The one answer to one request, for handlers that call back. The first answer counts: another one
// is rejected and changes nothing. A reply that goes without an answer fails the run. It must not
// outlive the scheduler.
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

    // Whether it was accepted: false for a second answer, and for one that comes too late, as far
    // as that is known here. From another thread the answer is on its way.
    bool answer(Answer answer);
    bool fail(std::exception_ptr failure);

private:
    Scheduler* scheduler_;
    PendingReply* pending_;  // null: the answer is given
};

}  // namespace gyre::effect
