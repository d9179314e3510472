// SPDX-License-Identifier: Apache-2.0
#include "gyre/effect/completion.hpp"

#include "gyre/effect/scheduler.hpp"

namespace gyre::effect {

HandlerTask::HandlerTask(Scope& scope, RunTask& task) noexcept
    : TaskBlock<Answer>(scope), Completion(task), context_(task.run) {
    task.run.scheduler.pin(task.run);
}

HandlerTask::~HandlerTask() {
    context_.run_->scheduler.unpin(*context_.run_);
}

Answer HandlerTask::take_failure(std::exception_ptr& failure) noexcept {
    failure = outcome().failure();
    return resume();
}

void HandlerTask::destroy() noexcept {
    if (std::exchange(has_ended_, true)) {
        delete this;
    } else if (!is_beginning_) {
        context_.run_->scheduler.on_completed(*this);
    }
}

void HandlerTask::on_withdrawn() noexcept {
    if (!has_ended_) cancel("its run has ended");
}

// It comes back at once: as a late one.
void AnswerTimer::on_withdrawn() noexcept {
    if (place != not_there) task().run.scheduler.withdraw(*this);
}

// ---- context.hpp ----

CancelToken::CancelToken(Run& run) noexcept : run_(&run) {
    run_->scheduler.pin(*run_);
}
CancelToken::~CancelToken() {
    run_->scheduler.unpin(*run_);
}
bool CancelToken::is_cancelled() const noexcept {
    return run_->is_terminal() && run_->end == RunEndKind::cancelled;
}
bool CancelToken::is_over() const noexcept {
    return run_->is_terminal();
}

RunId Context::run_id() const noexcept {
    return run_->id;
}
Instant Context::now() const noexcept {
    return executor().now();
}
Executor& Context::executor() const noexcept {
    return run_->scheduler.executor();
}
void Context::on_end(std::move_only_function<void()> clean_up) {
    run_->scheduler.add_clean_up(*run_, std::move(clean_up));
}

Reply::~Reply() {
    if (pending_ != nullptr) {
        fail(std::make_exception_ptr(
            std::logic_error("the handler dropped its reply without an answer")));
    }
}
bool Reply::answer(Answer answer) {
    if (pending_ == nullptr) {
        scheduler_->reject_answer();
        return false;
    }
    return scheduler_->reply(*std::exchange(pending_, nullptr), std::move(answer), nullptr);
}
bool Reply::fail(std::exception_ptr failure) {
    if (pending_ == nullptr) {
        scheduler_->reject_answer();
        return false;
    }
    return scheduler_->reply(*std::exchange(pending_, nullptr), resume(), std::move(failure));
}

}  // namespace gyre::effect
