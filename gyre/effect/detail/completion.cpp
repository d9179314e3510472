// SPDX-License-Identifier: Apache-2.0
#include "gyre/effect/detail/completion.hpp"

#include "gyre/effect/scheduler.hpp"

namespace gyre::effect {

static_assert(alignof(RunTask) == 8, "Completion keeps three bits beside the address of a RunTask");

void Completion::withdraw() noexcept {
    switch (kind()) {
        case Kind::handler: {
            auto& task = static_cast<HandlerTask&>(*this);
            if (!task.outcome().is_settled()) task.cancel("its run has ended");
            break;
        }
        case Kind::timer: {  // It completes at once, late.
            auto& timer = static_cast<AnswerTimer&>(*this);
            if (timer.place != AnswerTimer::not_queued) task().run.scheduler.withdraw(timer);
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

// The handler has ended, after it was suspended at least once.
void HandlerTask::destroy() noexcept {
    Completion::task().run.scheduler.on_completed(*this);
}

}  // namespace gyre::effect
