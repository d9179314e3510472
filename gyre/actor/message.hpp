// SPDX-License-Identifier: Apache-2.0
// The envelopes of messages, by the type of the actor and of the message: what is called, and where
// its result goes. They live as Envelope says.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "gyre/actor/answer.hpp"
#include "gyre/actor/call_waits.hpp"
#include "gyre/actor/errors.hpp"
#include "gyre/actor/work.hpp"

namespace gyre::actor {

// An actor handles messages of type M by a member function `handle(M)`, which gives a value,
// nothing, or a Future of one.
template <class A, class M>
concept Handles = requires(A& actor, M&& message) { actor.handle(std::move(message)); };

template <class T>
struct HandlerTraits {
    using Answer = T;
    static constexpr bool is_async = false;
};
template <class T>
struct HandlerTraits<Future<T>> {
    using Answer = T;
    static constexpr bool is_async = true;
};
// A class, so that a Ref<A> may stand in A itself: it is looked at when a message is sent.
template <class A, class M>
struct HandlerOf
    : HandlerTraits<decltype(std::declval<A&>().handle(std::declval<std::remove_cvref_t<M>&&>()))> {
};
template <class A, class M>
using AnswerOf = typename HandlerOf<A, M>::Answer;

template <class T, class E>
void begin_handler(Cell& cell, E& envelope, Future<T> future) {
    cell.hold_for_handler();
    cell.scope().begin_now(*new HandlerTask<T, E>(cell, envelope, std::move(future)));
}

// Nobody waits for the result.
template <class A, class M>
class Tell : public Envelope, public Allotted<alignof(M)> {
public:
    explicit Tell(M&& message) : message_(std::move(message)) {}

    void handle(Cell& cell) noexcept override {
        A& actor = *static_cast<A*>(cell.object());
        try {
            if constexpr (HandlerOf<A, M>::is_async) {
                begin_handler(cell, *this, actor.handle(std::move(message_)));
                return;
            } else {
                static_cast<void>(actor.handle(std::move(message_)));
            }
        } catch (...) {
            cell.fail(std::current_exception());
        }
        delete this;
    }
    void drop(Cell& /*by*/, Lost /*why*/) noexcept override { delete this; }
    [[nodiscard]] const std::type_info& type() const noexcept override { return typeid(M); }
    // Of an async handler that has ended: what the actor failed with.
    [[nodiscard]] std::exception_ptr settle(Cell& /*by*/,
                                            Outcome<AnswerOf<A, M>>& outcome) noexcept {
        std::exception_ptr failure = outcome.failure();
        delete this;
        return failure;
    }
    [[nodiscard]] AnyRef waiting_actor() const noexcept { return {}; }

private:
    M message_;
};

// Somebody does, or did: who gave up before the handler began has not asked. An Error that the
// handler gives (`co_await fail`) is an answer like any other; what it throws is told to the asker,
// and the actor has failed.
template <class A, class M>
class Question : public Envelope, public Allotted<alignof(M)> {
public:
    using T = AnswerOf<A, M>;

    Question(M&& message, Answer<T>& answer, AnyRef waiting_actor)
        : message_(std::move(message)), answer_(answer), waiting_actor_(std::move(waiting_actor)) {}

    void handle(Cell& cell) noexcept override {
        if (answer_.is_left()) [[unlikely]] {
            cell.note_withdrawn();
            answer_.send_home();
            delete this;
            return;
        }
        A& actor = *static_cast<A*>(cell.object());
        std::exception_ptr failure;
        try {
            if constexpr (HandlerOf<A, M>::is_async) {
                begin_handler(cell, *this, actor.handle(std::move(message_)));
                return;
            } else if constexpr (std::is_void_v<T>) {
                actor.handle(std::move(message_));
                answer_.outcome.set_value();
            } else {
                answer_.outcome.set_value(actor.handle(std::move(message_)));
            }
        } catch (...) {
            failure = std::current_exception();
            answer_.outcome.set_exception(failure);
        }
        answer_.send_home();
        delete this;
        if (failure != nullptr) cell.fail(std::move(failure));
    }
    void drop(Cell& by, Lost why) noexcept override {
        answer_.reject(why == Lost::full ? std::make_exception_ptr(MailboxFull(by.name()))
                                         : std::make_exception_ptr(ActorEnded(by.name())));
        delete this;
    }
    [[nodiscard]] const std::type_info& type() const noexcept override { return typeid(M); }
    [[nodiscard]] std::exception_ptr settle(Cell& by, Outcome<T>& outcome) noexcept {
        std::exception_ptr failure;
        if (outcome.has_error()) {
            answer_.outcome.set_error(outcome.error());
        } else if (outcome.has_value()) {
            if constexpr (std::is_void_v<T>) {
                answer_.outcome.set_value();
            } else {
                answer_.outcome.set_value(outcome.take());
            }
        } else {
            failure = outcome.failure();
            const bool is_ended = by.is_ending_handlers() && is_cancelled(failure);
            answer_.outcome.set_exception(is_ended ? std::make_exception_ptr(ActorEnded(by.name()))
                                                   : failure);
        }
        answer_.send_home();
        delete this;
        return failure;
    }
    [[nodiscard]] const AnyRef& waiting_actor() const noexcept { return waiting_actor_; }

private:
    M message_;
    Answer<T>& answer_;
    const AnyRef waiting_actor_;
};

// Any of these on its way from another thread: the one allocation of a message that crosses.
template <class E>
class Carried final : public Posted, public E {
public:
    template <class... Args>
    explicit Carried(Cell& to, Args&&... args)
        : Posted(&on_arrival), E(std::forward<Args>(args)...), to_(to) {}

private:
    static void on_arrival(Posted& message, Executor& /*at*/) noexcept {
        auto& self = static_cast<Carried&>(message);
        const AnyRef to = std::move(self.to_);  // It may go with what it holds.
        to.cell()->host().note_arrival();
        to.cell()->arrive(self);
    }

    AnyRef to_;
};

}  // namespace gyre::actor
