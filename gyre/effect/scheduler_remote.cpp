// SPDX-License-Identifier: Apache-2.0
// The operations of a Scheduler that any thread may call: cancel a run, give the answer of a Reply.
// From another thread they post a message to the executor's loop.
#include <memory>
#include <utility>

#include "gyre/effect/internal/completion.hpp"
#include "gyre/effect/scheduler.hpp"
#include "gyre/task/thread/detail/executor_message.hpp"

namespace gyre::effect {

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
