// SPDX-License-Identifier: Apache-2.0
#include "gyre/actor/detail/reply.hpp"

#include "gyre/actor/detail/wire.hpp"
#include "gyre/actor/internal/system_state.hpp"
#include "gyre/actor/ref.hpp"
#include "gyre/base/failure.hpp"

namespace gyre::actor {

std::string ReplyBase::begin_wait(const AnyRef& by, const Cell& of) {
    if (!by) return {};
    return home_->system().call_waits.begin(*by.cell(), of, wait_);
}

void ReplyBase::end_wait() noexcept {
    if (wait_.by != nullptr) home_->system().call_waits.end(wait_);
}

void ReplyBase::deliver() noexcept {
    GYRE_DEBUG_ASSERT(home_ != nullptr, "an answer without a home overrides deliver");
    end_wait();
    if (home_->is_here()) {
        on_delivered();
    } else if (!home_->post(*this)) {
        delete this;  // The home loop is closed: its waiter was cancelled before.
    }
}

void ReplyBase::on_arrival(ExecutorMessage& message, Executor& /*at*/) noexcept {
    auto& self = static_cast<ReplyBase&>(message);
    self.home_->note_arrival();
    self.on_delivered();
}

void ReplyBase::on_delivered() noexcept {
    GYRE_DEBUG_ASSERT(!is_delivered_, "an answer is settled once: deliver was called twice");
    is_delivered_ = true;
    if (is_abandoned()) {
        delete this;
    } else if (waiter_ != nullptr) {
        waiter_->wake();
    }
}

namespace {

// A request from a task of another loop to an actor: post when there is room, or await the end.
class RemoteWait final : public ExecutorMessage, public Pooled {
public:
    // Without an envelope: settles `acknowledgement` when the actor has ended.
    RemoteWait(Cell& to, Envelope* envelope, Acknowledgement& acknowledgement) noexcept
        : ExecutorMessage(&on_arrival),
          to_(to),
          envelope_(envelope),
          acknowledgement_(acknowledgement) {}
    void run() noexcept {
        envelope_ == nullptr ? to_.cell()->tell_end(acknowledgement_)
                             : to_.cell()->put_when_room(*envelope_, acknowledgement_);
    }

private:
    static void on_arrival(ExecutorMessage& message, Executor& /*at*/) noexcept {
        const std::unique_ptr<RemoteWait> own(static_cast<RemoteWait*>(&message));
        own->to_.cell()->host().note_arrival();
        own->run();
    }

    const AnyRef to_;
    Envelope* const envelope_;
    Acknowledgement& acknowledgement_;
};

bool send_remote_wait(Cell& to, Envelope* envelope, Acknowledgement& acknowledgement) {
    auto wait = std::make_unique<RemoteWait>(to, envelope, acknowledgement);
    if (!to.host().post(*wait)) return false;
    static_cast<void>(wait.release());
    return true;
}

}  // namespace

void throw_answer(Error error, const Cell& of) {
    throw SystemFailure(error.code(), "ask '" + of.name() + "': " + error.message());
}

std::uint64_t await_end(Cell& of, Acknowledgement& acknowledgement) {
    if (of.wire() != nullptr) return of.wire()->await_end(AnyRef(of), acknowledgement);
    if (of.is_here()) {
        of.tell_end(acknowledgement);
    } else if (!send_remote_wait(of, nullptr, acknowledgement)) {
        acknowledgement.resolve();
    }
    return 0;
}

void post_to_wait(Cell& to, Envelope& envelope, Acknowledgement& acknowledgement) {
    if (send_remote_wait(to, &envelope, acknowledgement)) return;
    acknowledgement.reject(std::make_exception_ptr(ActorEnded(to.name())));
    to.lose(envelope, Lost::ended);
}

}  // namespace gyre::actor
