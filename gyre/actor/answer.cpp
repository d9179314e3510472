// SPDX-License-Identifier: Apache-2.0
#include "gyre/actor/answer.hpp"

#include "gyre/actor/errors.hpp"
#include "gyre/actor/ref.hpp"
#include "gyre/actor/wire.hpp"

namespace gyre::actor {

std::string AnswerBase::begin_wait(const AnyRef& by, const Cell& of) {
    if (!by) return {};
    return home_->system().call_waits.begin(*by.cell(), of, wait_);
}

void AnswerBase::end_wait() noexcept {
    if (wait_.by != nullptr) home_->system().call_waits.end(wait_);
}

void AnswerBase::send_home() noexcept {
    end_wait();
    if (home_->is_here()) {
        come_home();
    } else if (!home_->post(*this)) {
        delete this;  // Its loop has gone, and who waited was cancelled before.
    }
}

void AnswerBase::on_arrival(Posted& message, Executor& /*at*/) noexcept {
    auto& self = static_cast<AnswerBase&>(message);
    self.home_->note_arrival();
    self.come_home();
}

void AnswerBase::come_home() noexcept {
    is_home_ = true;
    if (is_left()) {
        delete this;
    } else if (waiter_ != nullptr) {
        waiter_->wake();
    }
}

Host* home_for(const Cell& to) noexcept {
    if (to.is_here()) return &to.host();
    GYRE_ASSERT(Host::here() != nullptr,
                "an actor of another loop is asked from a loop that the system has opened");
    return Host::here();
}

namespace {

// What a task of another loop wants of an actor, on its way there.
class Errand final : public Posted, public Pooled {
public:
    // With an envelope: to be put in when there is room. Without: told when the actor has ended.
    Errand(Cell& to, Envelope* envelope, Acknowledgement& told) noexcept
        : Posted(&on_arrival), to_(to), envelope_(envelope), told_(told) {}
    void run() noexcept {
        envelope_ == nullptr ? to_.cell()->tell_end(told_)
                             : to_.cell()->put_when_room(*envelope_, told_);
    }

private:
    static void on_arrival(Posted& message, Executor& /*at*/) noexcept {
        const std::unique_ptr<Errand> own(static_cast<Errand*>(&message));
        own->to_.cell()->host().note_arrival();
        own->run();
    }

    const AnyRef to_;
    Envelope* const envelope_;
    Acknowledgement& told_;
};

bool send_errand(Cell& to, Envelope* envelope, Acknowledgement& told) {
    auto errand = std::make_unique<Errand>(to, envelope, told);
    if (!to.host().post(*errand)) return false;
    static_cast<void>(errand.release());
    return true;
}

}  // namespace

std::uint64_t await_end(Cell& of, Acknowledgement& told) {
    if (of.wire() != nullptr) return of.wire()->await_end(AnyRef(of), told);
    if (of.is_here()) {
        of.tell_end(told);
    } else if (!send_errand(of, nullptr, told)) {
        told.resolve();
    }
    return 0;
}

void post_to_wait(Cell& to, Envelope& envelope, Acknowledgement& told) {
    if (send_errand(to, &envelope, told)) return;
    told.reject(std::make_exception_ptr(ActorEnded(to.name())));
    to.lose(envelope, Lost::ended);
}

}  // namespace gyre::actor
