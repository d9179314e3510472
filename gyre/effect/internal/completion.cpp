// SPDX-License-Identifier: Apache-2.0
#include "gyre/effect/internal/completion.hpp"

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
            if (timer.is_queued()) task().run.scheduler.withdraw(timer);
            break;
        }
        case Kind::reply:
            break;
    }
    context_.word_ = Context(task().run.root).word_ | (context_.word_ & kinds) | late;
}

// The handler has ended, after it was suspended at least once.
void HandlerTask::destroy() noexcept {
    Completion::task().run.scheduler.on_completed(*this);
}

}  // namespace gyre::effect
