// SPDX-License-Identifier: Apache-2.0
// Tell and Question: the envelopes of a message of type M to an actor of class A, without and with
// an answer. HandlerTask: a handler that is a coroutine. Thread and lifetime as Envelope.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "gyre/actor/detail/cell.hpp"
#include "gyre/actor/detail/reply.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/thread/detail/executor_message.hpp"

namespace gyre::actor {

// An actor handles messages of type M by a member function `handle(M)`, which returns void, a
// value, or a Future of either.
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
// A class template, so that A may have a member Ref<A>: it is instantiated by the first send.
template <class A, class M>
struct HandlerOf
    : HandlerTraits<decltype(std::declval<A&>().handle(std::declval<std::remove_cvref_t<M>&&>()))> {
};
template <class A, class M>
using AnswerOf = typename HandlerOf<A, M>::Answer;

// A handler that is a coroutine. Its envelope `E` stays until the handler has ended: the handler
// may refer to the message. It lives as its task does, on the actor's thread.
template <class T, class E>
class HandlerTask final : public TaskBlock<T>, public Work {
public:
    HandlerTask(Cell& cell, E& envelope, Future<T> future)
        : TaskBlock<T>(cell.scope(), std::move(future)), cell_(cell), envelope_(envelope) {
        this->set_trace_id(envelope.trace_id());
        cell.add_work(*this);
    }

private:
    [[nodiscard]] Task& task() noexcept override { return *this; }
    [[nodiscard]] bool is_watched() const noexcept override { return true; }  // by its actor
    [[nodiscard]] AnyRef waiting_actor() const override {
        return cell_.is_exclusive() ? AnyRef(cell_) : envelope_.waiting_actor();
    }
    void destroy() noexcept override {
        // Before the envelope settles: it may take the outcome.
        auto& outcome = this->outcome();
        const bool is_own_cancel =
            !outcome.has_value() && !outcome.has_error() && this->is_own_cancel(outcome.failure());
        std::exception_ptr failure = envelope_.settle(cell_, outcome, is_own_cancel);
        this->unlink_work();
        cell_.on_handler_ended(is_own_cancel ? nullptr : std::move(failure));
        delete this;  // Last: to the executor this is still the running task.
    }

    Cell& cell_;
    E& envelope_;
};

template <class T, class E>
void begin_handler(Cell& cell, E& envelope, Future<T> future) {
    cell.hold_for_handler();
    cell.scope().begin_now(*new HandlerTask<T, E>(cell, envelope, std::move(future)));
}

// The sender does not wait for the result.
template <class A, class M>
class Tell : public Envelope, public Allotted<alignof(M)> {
public:
    explicit Tell(M&& message, std::uint64_t trace_id = 0)
        : Envelope(trace_id), message_(std::move(message)) {}

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
    // An async handler has ended: returns its failure.
    [[nodiscard]] std::exception_ptr settle(Cell& /*by*/, Outcome<AnswerOf<A, M>>& outcome,
                                            bool /*is_own_cancel*/) noexcept {
        std::exception_ptr failure = outcome.failure();
        delete this;
        return failure;
    }
    [[nodiscard]] AnyRef waiting_actor() const noexcept { return {}; }

private:
    M message_;
};

// The sender waits for the answer. When it was cancelled before the handler starts, the handler
// does not run. An Error that the handler returns (`co_await fail`) is an answer like any other; an
// exception goes to the asker, and the actor has failed.
template <class A, class M>
class Question : public Envelope, public Allotted<alignof(M)> {
public:
    using T = AnswerOf<A, M>;

    Question(M&& message, Reply<T>& answer, AnyRef waiting_actor)
        : message_(std::move(message)), answer_(answer), waiting_actor_(std::move(waiting_actor)) {}

    void handle(Cell& cell) noexcept override {
        if (answer_.is_abandoned()) [[unlikely]] {
            cell.note_withdrawn();
            answer_.deliver();
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
        answer_.deliver();
        delete this;
        if (failure != nullptr) cell.fail(std::move(failure));
    }
    void drop(Cell& by, Lost why) noexcept override {
        answer_.reject(why == Lost::full ? std::make_exception_ptr(MailboxFull(by.name()))
                                         : std::make_exception_ptr(ActorEnded(by.name())));
        delete this;
    }
    [[nodiscard]] const std::type_info& type() const noexcept override { return typeid(M); }
    // `is_own_cancel`: the handler's task was cancelled. The Cancelled of another task, which the
    // handler awaited, is a failure like any other.
    [[nodiscard]] std::exception_ptr settle(Cell& by, Outcome<T>& outcome,
                                            bool is_own_cancel) noexcept {
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
            const bool is_ended = by.is_ending_handlers() && is_own_cancel;
            answer_.outcome.set_exception(is_ended ? std::make_exception_ptr(ActorEnded(by.name()))
                                                   : failure);
        }
        answer_.deliver();
        delete this;
        return failure;
    }
    [[nodiscard]] const AnyRef& waiting_actor() const noexcept { return waiting_actor_; }

private:
    M message_;
    Reply<T>& answer_;
    const AnyRef waiting_actor_;
};

// An envelope that is posted to another thread: the one allocation of such a message.
template <class E>
class InFlight final : public ExecutorMessage, public E {
public:
    template <class... Args>
    explicit InFlight(Cell& to, Args&&... args)
        : ExecutorMessage(&on_arrival), E(std::forward<Args>(args)...), to_(to) {}

private:
    static void on_arrival(ExecutorMessage& message, Executor& /*at*/) noexcept {
        auto& self = static_cast<InFlight&>(message);
        const AnyRef to = std::move(self.to_);  // `arrive` may delete self.
        to.cell()->host().note_arrival();
        to.cell()->arrive(self);
    }

    AnyRef to_;
};

}  // namespace gyre::actor
