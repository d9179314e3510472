// SPDX-License-Identifier: Apache-2.0
// System: actors that know of each other, on one loop or several. It outlives the loops it is
// opened on, or at least its actors; references may outlive it. `stop`, `find` and the counts may
// be used from any thread; an actor is spawned on a loop that the system has opened.
//
//     co_await with_actors([](System& system) -> Future<void> {
//         Ref<Counter> counter = system.spawn<Counter>(0);
//         ...
//     });                                   // here they are stopped, drained and joined
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "gyre/actor/cell_of.hpp"
#include "gyre/actor/host.hpp"
#include "gyre/actor/ref.hpp"
#include "gyre/task/with_scope.hpp"

namespace gyre::actor {

class System {
public:
    explicit System(SystemOptions options = {})
        : state_(std::make_shared<SystemState>(std::move(options))) {}
    ~System();
    System(const System&) = delete;
    System& operator=(const System&) = delete;

    // On the thread of the scope's loop: from now on actors can live there. A task of the scope
    // runs them, and ends with the last one after `stop`. The loop's name is for Place::on.
    void open(Scope& scope, std::string name = {}) {
        static_cast<void>(Host::open(state_, scope, std::move(name)));
    }

    // An actor without a parent. What its constructor throws comes out of here, unless it is placed
    // on another loop: then it has failed. Throws NameTaken.
    template <class A, class... Args>
    Ref<A> spawn(Args&&... args) {
        return spawn_with<A>(ActorOptions(), std::forward<Args>(args)...);
    }
    template <class A, class... Args>
    Ref<A> spawn_with(ActorOptions options, Args&&... args) {
        return make_actor<A>(*state_, nullptr, std::move(options), std::forward<Args>(args)...);
    }

    // The actor of that name, where there is one and it is an A.
    template <class A>
    [[nodiscard]] std::optional<Ref<A>> find(const std::string& name) const {
        const AnyRef found = state_->find(name);
        if (!found || found.cell()->actor_type() != typeid(A)) return std::nullopt;
        return Ref<A>(*found.cell());
    }

    // Every actor is stopped, as AnyRef::stop or stop_now does.
    void stop() noexcept;
    void stop_now() noexcept;

    [[nodiscard]] std::uint64_t dead_letter_count() const noexcept {
        return state_->dead_letter_count();
    }
    // The actors of this thread's loop as a tree: what each has waiting, under way and done.
    [[nodiscard]] std::string dump_actors() const;
    // Those of all loops, which are peers.
    [[nodiscard]] Future<std::string> dump_all_actors() const;

    // For the machinery.
    [[nodiscard]] SystemState& state() const noexcept { return *state_; }
    template <class A, class... Args>
    static Ref<A> make_actor(SystemState& state, Cell* parent, ActorOptions options,
                             Args&&... args) {
        Host* const elsewhere = host_elsewhere(state, options.place);
        Host& here = *Host::here();
        auto* cell = new CellOf<A, std::decay_t<Args>...>(elsewhere == nullptr ? here : *elsewhere,
                                                          here.next_id(), options, parent,
                                                          std::forward<Args>(args)...);
        if (elsewhere != nullptr) elsewhere->drop();
        const Ref<A> ref(*cell, AnyRef::Adopt());
        launch(*cell, parent);
        return ref;
    }

private:
    // With a share for the caller; null where the actor is to live here.
    [[nodiscard]] static Host* host_elsewhere(SystemState& state, const Place& place);
    static void launch(Cell& cell, Cell* parent);

    const std::shared_ptr<SystemState> state_;
};

// An actor without a parent, in the system of this thread's loop.
template <class A, class... Args>
Ref<A> spawn_actor(Args&&... args) {
    GYRE_ASSERT(Host::here() != nullptr, "no system of actors is open on this thread's loop");
    return System::make_actor<A>(Host::here()->system(), nullptr, ActorOptions(),
                                 std::forward<Args>(args)...);
}
template <class A, class... Args>
Ref<A> spawn_actor_with(ActorOptions options, Args&&... args) {
    GYRE_ASSERT(Host::here() != nullptr, "no system of actors is open on this thread's loop");
    return System::make_actor<A>(Host::here()->system(), nullptr, std::move(options),
                                 std::forward<Args>(args)...);
}

// Runs the body with a system on this loop. When it has returned, the actors are stopped and
// drained; when it failed or was cancelled, they are stopped now; in each case they have ended when
// this ends. It throws what the body throws, or what an actor escalated.
template <class F>
    requires AsyncFunction<F, System&>
auto with_actors(F body, SystemOptions options = {}) -> std::invoke_result_t<F&, System&> {
    using T = typename std::invoke_result_t<F&, System&>::value_type;
    System system(std::move(options));
    const auto inside = [&body, &system](Scope& scope) -> Future<T> {
        system.open(scope);
        if constexpr (std::is_void_v<T>) {
            co_await body(system);
            system.stop();
        } else {
            T value = co_await body(system);
            system.stop();
            co_return value;
        }
    };
    co_return co_await with_scope(inside, {.name = "with_actors"});
}

}  // namespace gyre::actor
