// SPDX-License-Identifier: Apache-2.0
// The tick of a Scheduler and its table of runs. The tick is the one place that defines the order
// of work; scheduler_step.cpp has the steps, scheduler_ending.cpp the ends of runs.
#include "gyre/effect/scheduler.hpp"

#include <algorithm>
#include <utility>

#include "gyre/task/thread/detail/executor_message.hpp"

namespace gyre::effect {

// One tick: moves due timers to the completions, moves completions to the ready queue, runs ready
// steps up to the budget, yields to the loop.
void Scheduler::tick(Instant now) {
    ++counts_.ticks;
    is_ticking_ = true;

    move_due_timers(now);
    move_completions();
    run_ready();

    GYRE_ASSERT(is_ticking_, "a tick must not start another tick");
    is_ticking_ = false;
    // Timers and I/O of the loop have their turn before the next tick.
    if (!ready_.empty() || !completions_.empty()) tick_again();
    wait_for_next_timer();
}

// The earliest first; timers of one instant in the order of their starts.
void Scheduler::move_due_timers(Instant now) noexcept {
    while (next_completion() != nullptr)
        continue;  // Only wake_ completes here; it needs no action.
    while (AnswerTimer* timer = timers_.take_due(now)) completions_.push(*timer);
}

// All completions so far, in their order. A completion of a run that has ended is dropped.
void Scheduler::move_completions() noexcept {
    while (Completion* completion = completions_.pop()) {
        if (completion->is_late()) {
            ++counts_.late_completions;
        } else {
            RunTask& task = completion->task();
            if (std::exception_ptr failure = completion->failure()) {
                accept_failure(task, std::move(failure));
            } else {
                accept(task, completion->take());
            }
        }
        completion->free();
    }
}

// Round robin: a run that is ready again goes to the end of the queue.
void Scheduler::run_ready() noexcept {
    for (std::uint32_t left = options_.steps_per_tick_max; left > 0; --left) {
        Run* run = ready_.pop_front();
        if (run == nullptr) return;
        step(*run);
    }
}

// An early or needless wake causes a tick that arms the timer again.
void Scheduler::wait_for_next_timer() noexcept {
    if (timers_.empty()) {
        Machine::cancel(wake_);
    } else if (!wake_.is_in_flight()) {
        wake_.deadline = timers_.next_deadline();
        submit(wake_);
    } else if (timers_.next_deadline() != wake_.deadline) {
        Machine::cancel(wake_);
    }
}

void Scheduler::on_completed(Completion& completion) noexcept {
    completions_.push(completion);
    ask_for_tick();
}

void Scheduler::ask_for_tick() noexcept {
    if (!is_ticking_ && is_attached()) tick_again();
}

Scheduler::Scheduler(Executor& executor, SchedulerOptions options)
    : Machine("effects"),
      executor_(executor),
      options_(std::move(options)),
      random_(options_.seed),
      scope_(std::in_place, executor, nullptr,
             ScopeOptions{.name = "effect handlers", .cancels_on_failure = false}) {
    options_.steps_per_tick_max = std::max(options_.steps_per_tick_max, 1u);
    executor_.add_child(*this);
}

// Completions of handlers that are still suspended are freed with their tasks.
Scheduler::~Scheduler() {
    is_ticking_ = true;  // No further tick.
    cancel_all("the scheduler goes");
    scope_.reset();
    while (Completion* completion = completions_.pop()) completion->free();
    GYRE_ASSERT(runs_.size() == 0, "cancel_all must end every run of the scheduler");
}

void Scheduler::on_close() {
    is_closing_ = true;
    cancel_all("the loop closes");
    scope_->cancel("the loop closes");
}

Run& Scheduler::add_run(Guest& guest, const Handlers& handlers, std::string_view entry,
                        Arguments arguments, StartOptions options) {
    GYRE_ASSERT(is_attached(), "start a run while the executor is attached to its loop");
    GYRE_ASSERT(!is_closing_, "start a run before the loop closes");
    auto beginning = std::make_unique<Run::Beginning>();
    beginning->entry = entry;
    beginning->arguments = std::move(arguments);
    runs_.reserve_one();
    Run& run = *new Run(*this, ++last_id_, guest, handlers);
    runs_.add(run);
    run.set_beginning(std::move(beginning));
    if (options.journal != nullptr) {
        run.need_extras().recording = std::make_unique<Run::Recording>();
        run.recording()->journal = options.journal;
    }
    make_ready(run.root);
    GYRE_ASSERT(!run.has_begun, "add_run only queues a run: its first step is in a tick");
    return run;
}

// ---- From other threads ----

class Scheduler::CancelMessage final : public ExecutorMessage {
public:
    CancelMessage(Scheduler& scheduler, RunId run, CancelReason reason)
        : ExecutorMessage(&arrive_here),
          scheduler_(scheduler),
          run_(run),
          reason_(std::move(reason)) {}

private:
    static void arrive_here(ExecutorMessage& message, Executor& /*at*/) noexcept {
        const std::unique_ptr<CancelMessage> self(static_cast<CancelMessage*>(&message));
        self->scheduler_.cancel(self->run_, std::move(self->reason_));
    }

    Scheduler& scheduler_;
    RunId run_;
    CancelReason reason_;
};

class Scheduler::ReplyMessage final : public ExecutorMessage {
public:
    ReplyMessage(Scheduler& scheduler, PendingReply& pending, Answer answer,
                 std::exception_ptr failure)
        : ExecutorMessage(&arrive_here),
          scheduler_(scheduler),
          pending_(pending),
          answer_(std::move(answer)),
          failure_(std::move(failure)) {}

private:
    static void arrive_here(ExecutorMessage& message, Executor& /*at*/) noexcept {
        const std::unique_ptr<ReplyMessage> self(static_cast<ReplyMessage*>(&message));
        self->scheduler_.reply(self->pending_, std::move(self->answer_), std::move(self->failure_));
    }

    Scheduler& scheduler_;
    PendingReply& pending_;
    Answer answer_;
    std::exception_ptr failure_;
};

void Scheduler::cancel(RunId id, CancelReason reason) {
    if (executor_.is_here()) {
        Run* run = runs_.find(id);
        if (run != nullptr) cancel(*run, std::move(reason));
        return;
    }
    auto message = std::make_unique<CancelMessage>(*this, id, std::move(reason));
    // A closed loop has no run left to cancel.
    if (executor_.loop().post(*message)) static_cast<void>(message.release());
}

bool Scheduler::reply(PendingReply& pending, Answer answer, std::exception_ptr failure) {
    if (!executor_.is_here()) {
        auto message =
            std::make_unique<ReplyMessage>(*this, pending, std::move(answer), std::move(failure));
        if (executor_.loop().post(*message)) {
            static_cast<void>(message.release());
            return true;
        }
        pending.free();  // The loop has closed: its runs have ended and withdrawn it.
        return false;
    }
    if (pending.is_late()) {
        ++counts_.late_completions;
        pending.free();
        return false;
    }
    pending.answer = std::move(answer);
    pending.failed_with = std::move(failure);
    on_completed(pending);
    return true;
}

}  // namespace gyre::effect
