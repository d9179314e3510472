// SPDX-License-Identifier: Apache-2.0
// Actor<Self>: the base of every actor class. Only the actor's own handlers touch its object, one
// at a time: the code between two awaits of a handler is atomic. A handler is a plain function
// (which costs no coroutine frame) or a coroutine.
//
//     class Counter : public Actor<Counter> {
//     public:
//         void handle(Add add) { total_ += add.amount; }
//         int handle(Get) { return total_; }
//         Future<int> handle(GetLater get) { co_await sleep(get.delay); co_return total_; }
//     private:
//         int total_ = 0;
//     };
//
// Thread: the thread of the actor's loop; call the members here from the actor's own handlers and
// constructor only.
// Lifetime: made by spawn; destroyed when the actor ends or is restarted.
#pragma once

#include <utility>

#include "gyre/actor/system.hpp"
#include "gyre/task/core/sleep.hpp"

namespace gyre::actor {

// A delayed or repeated message of an actor to itself. The end of the actor cancels it too.
class Timer {
public:
    Timer() noexcept = default;
    Timer(Cell& cell, std::uint64_t id) noexcept : of_(cell), id_(id) {}
    // On the actor's thread. Does nothing when the message has been sent.
    void cancel() noexcept {
        if (of_) of_.cell()->cancel_timer(id_);
    }

private:
    AnyRef of_;
    std::uint64_t id_ = 0;
};

class ActorBase {
public:
    ActorBase(const ActorBase&) = delete;
    ActorBase& operator=(const ActorBase&) = delete;

protected:
    ActorBase() noexcept : cell_(ActorInConstruction::cell()) {}
    ~ActorBase() = default;

    // Makes an actor that this one owns: it ends before its parent ends or is restarted.
    template <class A, class... Args>
    Ref<A> spawn_child(Args&&... args) {
        return spawn_child_with<A>(ActorOptions(), std::forward<Args>(args)...);
    }
    template <class A, class... Args>
    Ref<A> spawn_child_with(ActorOptions options, Args&&... args) {
        return System::make_actor<A>(cell_.host().system(), &cell_, std::move(options),
                                     std::forward<Args>(args)...);
    }

    // As Ref::stop and stop_now.
    void stop() { cell_.begin_stop(Life::draining); }
    void stop_now() { cell_.begin_stop(Life::stopping); }

    // When either of the two actors fails, the other one ends with its failure.
    void link(const AnyRef& other) {
        GYRE_ASSERT(other, "link with an actor: this reference is empty");
        cell_.link_with(*other.cell());
    }
    void unlink(const AnyRef& other) {
        GYRE_ASSERT(other, "unlink from an actor: this reference is empty");
        cell_.unlink_from(*other.cell());
    }
    void unwatch(const AnyRef& other) {
        GYRE_ASSERT(other, "unwatch an actor: this reference is empty");
        cell_.unwatch(*other.cell());
    }

    // Moves the stashed messages to the front of the mailbox, in their order.
    void unstash_all() noexcept { cell_.unstash_all(); }

    [[nodiscard]] Cell& cell() const noexcept { return cell_; }

private:
    Cell& cell_;
};

template <class Self>
class Actor : public ActorBase {
protected:
    [[nodiscard]] Ref<Self> self() const noexcept { return Ref<Self>(cell()); }

    // This actor gets a Terminated when the other one ends, or at once if it has ended.
    void watch(const AnyRef& other) {
        static_assert(Handles<Self, Terminated>, "an actor that watches handles Terminated");
        GYRE_ASSERT(other, "watch an actor: this reference is empty");
        cell().watch(*other.cell(), [](Terminated end) -> Envelope* {
            return new Tell<Self, Terminated>(std::move(end));
        });
    }

    // Keeps a message until unstash_all. The error `mailbox_full` beyond ActorOptions::stash_max.
    template <class M>
    Result<void> stash(M message) {
        static_assert(Handles<Self, M>, "this actor has no handler for this message");
        static_assert(std::is_void_v<AnswerOf<Self, M>>,
                      "a task may wait for the answer: this message cannot be stashed");
        return cell().stash(*new Tell<Self, M>(std::move(message)));
    }

    // Sends the actor the message after the delay, or after every period.
    template <class M>
    Timer send_after(Duration delay, M message) {
        return {cell(), cell().start_timer(send_once(self(), delay, std::move(message)))};
    }
    template <class M>
    Timer send_every(Duration period, M message) {
        return {cell(), cell().start_timer(send_again(self(), period, std::move(message)))};
    }

private:
    template <class M>
    static Future<void> send_once(Ref<Self> to, Duration delay, M message) {
        co_await sleep(delay);
        static_cast<void>(to.send(std::move(message)));
    }
    template <class M>
    static Future<void> send_again(Ref<Self> to, Duration period, M message) {
        for (;;) {
            co_await sleep(period);
            static_cast<void>(to.send(M(message)));
        }
    }
};

}  // namespace gyre::actor
