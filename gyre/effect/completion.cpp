// SPDX-License-Identifier: Apache-2.0
#include "gyre/effect/completion.hpp"

#include "gyre/effect/scheduler.hpp"

namespace gyre::effect {

static_assert(alignof(RunTask) == 8, "three bits beside its address are free");

void Completion::withdraw() noexcept {
    switch (kind()) {
        case Kind::handler: {
            auto& task = static_cast<HandlerTask&>(*this);
            if (!task.outcome().is_settled()) task.cancel("its run has ended");
            break;
        }
        case Kind::timer: {  // It comes back at once: as a late one.
            auto& timer = static_cast<AnswerTimer&>(*this);
            if (timer.place != AnswerTimer::not_there) task().run.scheduler.withdraw(timer);
            break;
        }
        case Kind::reply:
            break;
    }
    context_.word_ = Context(task().run.root).word_ | (context_.word_ & kinds) | late;
}

std::exception_ptr Completion::failure() noexcept {
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

Answer Completion::take() noexcept {
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

void Completion::free() noexcept {
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

// It has ended, later than its beginning.
void HandlerTask::destroy() noexcept {
    Completion::task().run.scheduler.on_completed(*this);
}

// ---- context.hpp ----

CancelToken::CancelToken(Run& run) noexcept : run_(&run) {
    run_->pin();
}
CancelToken::~CancelToken() {
    run_->unpin();
}
bool CancelToken::is_cancelled() const noexcept {
    return run_->is_terminal() && run_->end == RunEndKind::cancelled;
}
bool CancelToken::is_over() const noexcept {
    return run_->is_terminal();
}

Run& Context::run() const noexcept {
    return task().run;
}
RunId Context::run_id() const noexcept {
    return run().id;
}
Instant Context::now() const noexcept {
    return executor().now();
}
Executor& Context::executor() const noexcept {
    return run().scheduler.executor();
}
void Context::on_end(std::move_only_function<void()> clean_up) {
    run().scheduler.add_clean_up(run(), std::move(clean_up));
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
