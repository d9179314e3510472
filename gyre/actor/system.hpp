// SPDX-License-Identifier: Apache-2.0
// System: a group of actors on one or more loops, with one name space. Also here: the options of
// actors and systems.
//
//     co_await with_actors([](System& system) -> Future<void> {
//         Ref<Counter> counter = system.spawn_with<Counter>({.name = "hits"}, 0);
//         co_await counter.post(Add{3});
//     });                                   // stops the actors, drains their mailboxes, joins them
//
// Thread: any for `stop`, `stop_now`, `find` and `dead_letter_count`. Call `open` and `spawn` on
// the thread of a loop that the system is (being) opened on.
// Lifetime: it outlives its actors; references may outlive it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "gyre/actor/detail/actor_host.hpp"
#include "gyre/actor/detail/cell_of.hpp"
#include "gyre/actor/ref.hpp"
#include "gyre/kernel/clock.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre::actor {

// Whether a suspended handler blocks the mailbox. Either way handlers start in the order of arrival
// and never run in parallel.
enum class Order : std::uint8_t { interleaved, exclusive };

// What a full mailbox does with a new message: reject it (`send` fails), drop the oldest message,
// or drop the new one. With the last two `send` succeeds; Counts::dropped counts the loss.
enum class WhenFull : std::uint8_t { reject, drop_oldest, drop_newest };

struct MailboxOptions {
    std::uint32_t capacity = 1024;
    WhenFull when_full = WhenFull::reject;
    // Tasks that may wait for room in `post`; one more gets a LimitError.
    std::uint32_t poster_count_max = 4096;
};

// What happens to an actor whose handler throws. `resume`: the message is lost, the object stays.
// `restart`: a new object replaces the old one, the mailbox stays. `escalate`: the actor stops and
// its parent fails; without a parent, the whole system fails.
enum class OnFailure : std::uint8_t { stop, resume, restart, escalate };

struct RestartOptions {
    // At most count_max restarts within this time; one more failure stops the actor.
    std::uint32_t count_max = 5;
    Duration within = std::chrono::seconds(60);
    // The delay before the first restart; doubles with each further restart within the time.
    Duration back_off = Duration(0);
    Duration back_off_max = std::chrono::seconds(10);
};

// The loop that an actor lives on, for all its life.
struct Place {
    enum class Kind : std::uint8_t { here, loop, spread };
    Kind kind = Kind::here;
    std::string loop;  // for Kind::loop: its name in System::open

    [[nodiscard]] static Place here() { return {}; }
    [[nodiscard]] static Place on(std::string name) { return {Kind::loop, std::move(name)}; }
    // Round robin over the loops of the system.
    [[nodiscard]] static Place spread() { return {Kind::spread, {}}; }
};

struct ActorOptions {
    std::string name = {};  // unique; for reports and System::find
    Order order = Order::interleaved;
    MailboxOptions mailbox = {};
    OnFailure on_failure = OnFailure::stop;
    RestartOptions restart = {};
    Place place = {};
    std::uint32_t stash_max = 1024;  // messages in the stash at most
};

// A message that was not handled: its actor has ended.
struct DeadLetter {
    std::string actor;
    const std::type_info& message;
};

struct SystemOptions {
    // Messages that one actor handles before the next actor's turn, and that all actors of a loop
    // handle before the turn of the loop's other tasks.
    std::uint32_t messages_per_actor_max = 64;
    std::uint32_t messages_per_turn_max = 256;
    // Threads without a loop send to these actors: the open system keeps its loops alive.
    bool serves_threads = false;
    // Reads the clock before and after every handler, for Counts::busy.
    bool measures_busy_time = false;
    // For tests: the next ready actor is drawn at random. The same seed gives the same order.
    std::optional<std::uint64_t> order_seed = std::nullopt;
    // Called for each dead letter, on the thread that finds it. What it throws is logged.
    std::function<void(const DeadLetter&)> on_dead_letter = nullptr;
};

class SystemState;

class System {
public:
    explicit System(SystemOptions options = {});
    ~System();
    System(const System&) = delete;
    System& operator=(const System&) = delete;

    // Lets actors live on the loop of the scope; call it on that loop's thread. A task of the scope
    // runs the actors and ends after `stop` with the last of them. The name is for Place::on.
    void open(Scope& scope, std::string name = {}) {
        static_cast<void>(ActorHost::open(state_, scope, std::move(name)));
    }

    // Makes an actor without a parent. Throws NameTaken, and what the actor's constructor throws;
    // an actor placed on another loop fails instead when its constructor throws.
    template <class A, class... Args>
    Ref<A> spawn(Args&&... args) {
        return spawn_with<A>(ActorOptions(), std::forward<Args>(args)...);
    }
    template <class A, class... Args>
    Ref<A> spawn_with(ActorOptions options, Args&&... args) {
        return make_actor<A>(*state_, nullptr, std::move(options), std::forward<Args>(args)...);
    }

    // The actor of that name, if there is one and it is an A.
    template <class A>
    [[nodiscard]] std::optional<Ref<A>> find(const std::string& name) const {
        const AnyRef found = find_any(name);
        if (!found || found.cell()->actor_type() != typeid(A)) return std::nullopt;
        return Ref<A>(*found.cell());
    }

    // Stops every actor, as AnyRef::stop and stop_now do.
    void stop() noexcept;
    void stop_now() noexcept;

    [[nodiscard]] std::uint64_t dead_letter_count() const noexcept;
    // The actors of this thread's loop as a tree, each with its counters.
    [[nodiscard]] std::string dump_actors() const;
    // The actors of all loops. The loops must be peers (one Runtime).
    [[nodiscard]] Future<std::string> dump_all_actors() const;

    // For gyre/actor itself.
    [[nodiscard]] SystemState& state() const noexcept { return *state_; }
    template <class A, class... Args>
    static Ref<A> make_actor(SystemState& state, Cell* parent, ActorOptions options,
                             Args&&... args) {
        ActorHost* const elsewhere = host_elsewhere(state, options.place);
        ActorHost& here = *ActorHost::here();
        auto* cell = new CellOf<A, std::decay_t<Args>...>(elsewhere == nullptr ? here : *elsewhere,
                                                          here.next_id(), options, parent,
                                                          std::forward<Args>(args)...);
        if (elsewhere != nullptr) elsewhere->drop();
        const Ref<A> ref(*cell, AnyRef::Adopt());
        launch(*cell, parent);
        return ref;
    }

private:
    // With a share for the caller; null when the actor is to live on this loop.
    [[nodiscard]] static ActorHost* host_elsewhere(SystemState& state, const Place& place);
    static void launch(Cell& cell, Cell* parent);
    [[nodiscard]] AnyRef find_any(const std::string& name) const;

    const std::shared_ptr<SystemState> state_;
};

// Makes an actor without a parent, in the system that is open on this thread's loop.
template <class A, class... Args>
Ref<A> spawn_actor(Args&&... args) {
    GYRE_ASSERT(ActorHost::here() != nullptr,
                "no system of actors is open on this thread's loop: call System::open");
    return System::make_actor<A>(ActorHost::here()->system(), nullptr, ActorOptions(),
                                 std::forward<Args>(args)...);
}
template <class A, class... Args>
Ref<A> spawn_actor_with(ActorOptions options, Args&&... args) {
    GYRE_ASSERT(ActorHost::here() != nullptr,
                "no system of actors is open on this thread's loop: call System::open");
    return System::make_actor<A>(ActorHost::here()->system(), nullptr, std::move(options),
                                 std::forward<Args>(args)...);
}

template <class F>
auto with_actors_of(F body, SystemOptions options) -> std::invoke_result_t<F&, System&> {
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
// Runs the body with a system on this loop. When the body has returned, stops and drains the
// actors; when it failed or was cancelled, stops them now. All actors have ended when this ends.
// Rethrows the exception of the body, or the failure that an actor escalated.
template <class F>
    requires AsyncFunction<std::decay_t<F>, System&>
[[nodiscard]] auto with_actors(F&& body, const SystemOptions& options) {
    check_await_temporary<F>();
    return with_actors_of<std::decay_t<F>>(std::forward<F>(body), options);
}
template <class F>
    requires AsyncFunction<std::decay_t<F>, System&>
[[nodiscard]] auto with_actors(F&& body) {
    return with_actors(std::forward<F>(body), SystemOptions());
}

}  // namespace gyre::actor
