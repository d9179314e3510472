// SPDX-License-Identifier: Apache-2.0
// Actor<Self>: the base of every actor class. Its object lives on one loop, and only its own
// handlers touch it, one at a time: what stands between two awaits of a handler is atomic.
//
//     class Counter : public Actor<Counter> {
//     public:
//         explicit Counter(int from) : total_(from) {}
//         void handle(Add add) { total_ += add.amount; }          // a plain function costs no
//         frame int handle(Get) { return total_; } Future<int> handle(Slowly slowly); // may await
//     private:
//         int total_;
//     };
//
// All of it is for the actor's own handlers and constructor.
#pragma once

#include <utility>

#include "gyre/actor/system.hpp"
#include "gyre/task/sleep.hpp"

namespace gyre::actor {

// A message that an actor sends itself later; cancelled with the actor, or with this.
class Timer {
public:
    Timer() noexcept = default;
    Timer(Cell& cell, std::uint64_t id) noexcept : of_(cell), id_(id) {}
    // On the actor's loop. Does nothing where it has been sent.
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
    ActorBase() noexcept : cell_(Making::cell()) {}
    ~ActorBase() = default;

    // An actor that this one owns: it ends before this one does, and when this one is restarted.
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

    // Where the other one fails, this one ends too, and the reverse.
    void link(const AnyRef& other) { cell_.link_with(*other.cell()); }
    void unlink(const AnyRef& other) { cell_.unlink_from(*other.cell()); }
    void unwatch(const AnyRef& other) { cell_.unwatch(*other.cell()); }

    // What was put aside comes before all messages that wait, in its order.
    void unstash_all() noexcept { cell_.unstash_all(); }

    [[nodiscard]] Cell& cell() const noexcept { return cell_; }

private:
    Cell& cell_;
};

template <class Self>
class Actor : public ActorBase {
protected:
    [[nodiscard]] Ref<Self> self() const noexcept { return Ref<Self>(cell()); }

    // When the other one has ended, or if it has, this one handles a Terminated.
    void watch(const AnyRef& other) {
        static_assert(Handles<Self, Terminated>, "an actor that watches handles Terminated");
        cell().watch(*other.cell(), [](Terminated end) -> Envelope* {
            return new Tell<Self, Terminated>(std::move(end));
        });
    }

    // Puts a message aside until unstash_all. Says no where there are too many (stash_max).
    template <class M>
    Result<void> stash(M message) {
        static_assert(Handles<Self, M>, "this actor has no handler for this message");
        static_assert(std::is_void_v<AnswerOf<Self, M>>,
                      "somebody may wait for the answer: it cannot be put aside");
        return cell().stash(*new Tell<Self, M>(std::move(message)));
    }

    // Sends itself the message after that time, or each time it has passed.
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
