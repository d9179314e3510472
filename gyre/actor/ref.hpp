// SPDX-License-Identifier: Apache-2.0
// Ref<A>: a reference to an actor of class A, on this loop, on another loop or in another process.
//
//     counter.send(Add{3});                               // never waits, never runs the handler
//     co_await counter.post(Add{3});                      // waits for room in the mailbox
//     int total = co_await counter.ask(Get{});            // waits for the handler's result
//     int again = co_await counter.ask(Get{}, 5s);        // throws TimeoutError after 5 s
//
// A handler that returns a Result<int> answers an ask with the int, and its Error is thrown as a
// std::system_error; `co_await try_(counter.ask(Get{}))` gives the Result.
//
// Thread: any. A task that asks or posts to an actor of another loop must be on a loop that the
// system has opened.
// Lifetime: a reference-counted value: it may outlive the actor, its loop and the system. A message
// to an actor that has ended is a dead letter.
// Order: the messages of one sender are handled in the order they were sent.
// Cancel: post: nothing was sent (to another loop it may have been). ask: nothing was done if the
// handler has not started (another loop may learn of the cancel too late); otherwise the answer is
// dropped and the handler goes on, as always for an actor of another process. ended: no effect.
// g++ 12 refuses a message that is not trivial and not a named object: that compiler would destroy
// it twice inside the co_await.
#pragma once

#include "gyre/actor/detail/message.hpp"
#include "gyre/actor/detail/wire.hpp"
#include "gyre/task/combine/timeout.hpp"

namespace gyre::actor {

// The host that an answer is posted to: the actor's own, when it is on this thread.
[[nodiscard]] inline ActorHost* home_for(const Cell& to) noexcept {
    if (to.is_here()) return &to.host();
    GYRE_ASSERT(ActorHost::here() != nullptr,
                "ask an actor of another loop from a loop that the system has opened");
    return ActorHost::here();
}
// Any thread; both take ownership of `acknowledgement` and settle it. For an actor of another
// process, await_end returns the number of the registration, for Wire::give_up_end; otherwise 0.
std::uint64_t await_end(Cell& of, Acknowledgement& acknowledgement);
void post_to_wait(Cell& to, Envelope& envelope, Acknowledgement& acknowledgement);

// Throws the error that an actor answered: "ask 'bank': Permission denied".
[[noreturn, gnu::cold]] void throw_answer(Error error, const Cell& of);

// The result of a send. Unlike other Results it may be dropped without a warning: a message that is
// refused is a dead letter, which the system counts and reports.
class Sent : public Result<void> {
public:
    using Result::Result;
    constexpr Sent(Result<void> result) noexcept : Result(result) {}
};

// What an ask gives for the answer of a handler.
template <class T>
struct ValueOf {
    using Type = T;
    static constexpr bool is_result = false;
};
template <class T>
struct ValueOf<Result<T>> {
    using Type = T;
    static constexpr bool is_result = true;
};

template <class A>
class Ref : public AnyRef {
public:
    using Actor = A;

    Ref() noexcept = default;
    explicit Ref(Cell& cell) noexcept : AnyRef(cell) {}  // the cell of an A
    Ref(Cell& cell, Adopt adopt) noexcept : AnyRef(cell, adopt) {}

    // The error `mailbox_full` or `actor_ended`.
    template <class M>
    Sent send(M message) const {
        static_assert(Handles<A, M>, "this actor has no handler for this message");
        Cell& to = *cell_;
        if (to.is_here() && to.has_room()) [[likely]]
            return put_here(std::move(message));
        return send_slowly<M>(std::move(message));
    }

    template <class M>
    [[nodiscard]] auto post(M&& message) const {
        static_assert(Handles<A, std::decay_t<M>>, "this actor has no handler for this message");
        check_await_temporary<M>();
        return Post<std::decay_t<M>>{*this, std::forward<M>(message)};
    }
    template <class M>
    [[nodiscard]] auto ask(M&& message) const {
        static_assert(Handles<A, std::decay_t<M>>, "this actor has no handler for this message");
        check_await_temporary<M>();
        return Ask<std::decay_t<M>>{*this, std::forward<M>(message)};
    }
    template <class M>
    [[nodiscard]] auto ask(M&& message, Duration within) const {
        return timeout(ask(std::forward<M>(message)), within);
    }
    // Waits until the actor has ended. For an actor of another process: throws NodeLost when the
    // connection is lost.
    [[nodiscard]] auto ended() const { return End{*this}; }

private:
    template <class M>
    class AskAwait final : public AnswerAwait<AnswerOf<A, M>> {
    public:
        AskAwait(PromiseBase& promise, const Ref& to, M&& message)
            : to_(to), message_(std::move(message)) {
            this->attach(promise);
        }
        [[nodiscard]] bool await_ready() {
            if (this->begin()) return true;
            to_.begin_ask(this->task(), std::move(message_), this->answer_);
            return this->answer_->is_delivered();
        }
        // An error of a handler that returns a Result is thrown, like any other.
        typename ValueOf<AnswerOf<A, M>>::Type await_resume() {
            if constexpr (ValueOf<AnswerOf<A, M>>::is_result) {
                auto answer = AnswerAwait<AnswerOf<A, M>>::await_resume();
                if (!answer) throw_answer(answer.error(), *to_.cell_);
                return *std::move(answer);
            } else {
                return AnswerAwait<AnswerOf<A, M>>::await_resume();
            }
        }
        [[nodiscard]] const char* what() const noexcept override { return "an actor's answer"; }

    private:
        const Ref& to_;
        M message_;
    };
    template <class M>
    class PostAwait final : public AnswerAwait<void> {
    public:
        PostAwait(PromiseBase& promise, const Ref& to, M&& message)
            : to_(to), message_(std::move(message)) {
            attach(promise);
        }
        [[nodiscard]] bool await_ready() {
            if (begin()) return true;
            to_.begin_post(task(), std::move(message_), answer_);
            return answer_->is_delivered();
        }
        [[nodiscard]] const char* what() const noexcept override { return "room in a mailbox"; }

    private:
        const Ref& to_;
        M message_;
    };
    class EndAwait final : public AnswerAwait<void> {
    public:
        EndAwait(PromiseBase& promise, const Ref& of) : of_(of) { attach(promise); }
        [[nodiscard]] bool await_ready() {
            if (begin()) return true;
            answer_ = new Acknowledgement(home_for(*of_.cell_));
            registration_ = await_end(*of_.cell_, *answer_);
            return answer_->is_delivered();
        }
        void cancel() noexcept override {
            Acknowledgement* const answer = answer_;
            const bool is_ours =
                registration_ != 0 && of_.cell_->wire()->give_up_end(registration_);
            AnswerAwait::cancel();
            if (is_ours) answer->resolve();  // Nobody waits: deletes it.
        }
        [[nodiscard]] const char* what() const noexcept override { return "the end of an actor"; }

    private:
        const Ref& of_;
        std::uint64_t registration_ = 0;  // of an actor of another process
    };
    template <class M>
    struct [[nodiscard]] Ask {
        Ref to;
        M message;
        [[nodiscard]] AskAwait<M> await_in(PromiseBase& promise) && {
            return AskAwait<M>(promise, to, std::move(message));
        }
    };
    template <class M>
    struct [[nodiscard]] Post {
        Ref to;
        M message;
        [[nodiscard]] PostAwait<M> await_in(PromiseBase& promise) && {
            return PostAwait<M>(promise, to, std::move(message));
        }
    };
    struct [[nodiscard]] End {
        Ref of;
        [[nodiscard]] EndAwait await_in(PromiseBase& promise) const {
            return EndAwait(promise, of);
        }
    };

    // On the actor's thread, when the mailbox has room.
    template <class M>
    GYRE_ALWAYS_INLINE Result<void> put_here(M&& message) const {
        Cell& to = *cell_;
        to.put(*new Tell<A, M>(std::move(message), to.host().trace_now()));
        return {};
    }
    // To another loop or process, to a full mailbox, or to an actor that ends. A trivial message is
    // passed by value: passed by reference, `send` would have to keep it in memory.
    template <class M>
    using Passed = std::conditional_t<std::is_trivially_copyable_v<M>, M, M&&>;
    template <class M>
    [[gnu::noinline]] Result<void> send_slowly(Passed<M> message) const {
        Cell& to = *cell_;
        if (to.wire() != nullptr) return send_by_wire(*to.wire(), message);
        const bool is_here = to.is_here();
        const Admission admission =
            is_here ? to.admit(typeid(M)) : to.admit_from_elsewhere(typeid(M));
        if (admission != Admission::taken) return result_of(admission);
        if (is_here) return put_here(std::move(message));
        const ActorHost* here = ActorHost::here();
        return post_message(*new InFlight<Tell<A, M>>(to, std::move(message)),
                            here == nullptr ? 0 : here->trace_now());
    }
    // Takes ownership of the envelope.
    template <class E>
    Result<void> post_message(InFlight<E>& envelope, std::uint64_t trace_id) const {
        Cell& to = *cell_;
        envelope.set_trace_id(trace_id);
        if (to.host().post(envelope)) return {};
        to.withdraw_arrival();
        to.lose(envelope, Lost::ended);
        return std::unexpected(Error(actor_ended));
    }
    template <class M>
    void begin_ask(Task& by, M&& message, Reply<AnswerOf<A, M>>*& answer) const;
    template <class M>
    void begin_post(Task& by, M&& message, Acknowledgement*& answer) const;

public:
    // For gyre/actor itself: an ask whose answer is not awaited here. `answer` is always settled.
    template <class M>
    void put_question(M&& message, Reply<AnswerOf<A, M>>& answer, AnyRef waiting_actor,
                      std::uint64_t trace_id) const;
};

template <class A>
template <class M>
void Ref<A>::put_question(M&& message, Reply<AnswerOf<A, M>>& answer, AnyRef waiting_actor,
                          std::uint64_t trace_id) const {
    Cell& to = *cell_;
    const bool is_here = to.is_here();
    if (!is_here && to.wire() != nullptr) return ask_by_wire(*to.wire(), message, answer);
    const Admission admission = is_here ? to.admit(typeid(M)) : to.admit_from_elsewhere(typeid(M));
    if (admission == Admission::ended) {
        answer.reject(std::make_exception_ptr(ActorEnded(to.name())));
    } else if (admission != Admission::taken) {
        answer.reject(std::make_exception_ptr(MailboxFull(to.name())));
    } else if (is_here) {
        auto* envelope = new Question<A, M>(std::move(message), answer, std::move(waiting_actor));
        envelope->set_trace_id(trace_id);
        to.put(*envelope);
    } else {
        static_cast<void>(post_message(
            *new InFlight<Question<A, M>>(to, std::move(message), answer, std::move(waiting_actor)),
            trace_id));
    }
}

template <class A>
template <class M>
void Ref<A>::begin_ask(Task& by, M&& message, Reply<AnswerOf<A, M>>*& answer) const {
    Cell& to = *cell_;
    answer = new Reply<AnswerOf<A, M>>(home_for(to));
    if (to.wire() != nullptr) {
        ask_by_wire(*to.wire(), message, *answer);
        return;
    }
    AnyRef waiting_actor;
    if (to.host().has_exclusive_actors()) [[unlikely]] {
        waiting_actor = waiting_actor_of(by);
        const std::string cycle = answer->begin_wait(waiting_actor, to);
        if (!cycle.empty()) {
            answer->reject(std::make_exception_ptr(CallCycle(cycle)));
            return;
        }
    }
    put_question(std::move(message), *answer, std::move(waiting_actor), by.trace_id());
}

template <class A>
template <class M>
void Ref<A>::begin_post(Task& by, M&& message, Acknowledgement*& answer) const {
    Cell& to = *cell_;
    answer = new Acknowledgement(home_for(to));
    if (to.wire() != nullptr) {
        post_by_wire(*to.wire(), message, *answer);
        return;
    }
    auto* envelope = new Tell<A, M>(std::move(message), by.trace_id());
    to.is_here() ? to.put_when_room(*envelope, *answer) : post_to_wait(to, *envelope, *answer);
}

}  // namespace gyre::actor
