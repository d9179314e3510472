// SPDX-License-Identifier: Apache-2.0
// Exchange: the actors and promises of one machine that other machines of the same program know, and
// what passes between them. A program with --threads N has N machines, each on a loop of its own
// with its own heap; they share nothing but Machines.
//
// Messages are handed to the other loop by an actor of gyre, the Endpoint of each machine, so the
// order of gyre/actor holds: what one machine sends to another arrives in that order.
//
// The program is over when no machine is active and no message is on its way: `active_count` has one
// for each active machine and one for each message, and only an active machine sends.
//
// An Exchange belongs to the thread of its machine; Machines to all of them.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <variant>
#include <vector>

#include "gyre/actor/actor.hpp"
#include "gyre/base/detail/atomic.hpp"
#include "lang/vela/run/internal/portable.hpp"

namespace gyre::vela::vm {

class Endpoint;
class Tasks;

// A promise that several machines know.
struct SharedPromise {
    std::mutex mutex;
    // Guarded by the mutex.
    FutureState state = FutureState::running;
    Portable value;                       // or the error, once it is settled
    std::vector<std::uint32_t> machines;  // that have it
};

// What one machine tells another.
struct ActorMessage {
    std::shared_ptr<ActorAddress> to;
    Portable message;
};
struct NewActor {
    std::shared_ptr<ActorAddress> address;
    Portable object;
};
struct PromiseSettled {
    std::shared_ptr<SharedPromise> promise;
};
// The module variables that main has set, by number; none where a value cannot be sent.
struct Globals {
    std::vector<std::unique_ptr<Portable>> values;
};
struct Arrival {
    std::variant<ActorMessage, NewActor, PromiseSettled, Globals> what;
    std::size_t size_bytes = 0;
};
// Not counted in `active_count`: the program is over, must end, or is cancelled.
struct ProgramOver {};
struct ProgramEnds {
    int exit_code;
};
struct ProgramCancelled {};
struct WhoWaits {};

class Machines {
public:
    explicit Machines(std::uint32_t count) : endpoints(count), held_bytes(count) {}

    std::vector<actor::Ref<Endpoint>> endpoints;  // set before the program begins
    [[nodiscard]] std::uint32_t count() const noexcept {
        return static_cast<std::uint32_t>(endpoints.size());
    }
    // The machine that main runs on learns of the end.
    void activate() noexcept { active_count_.fetch_add(1); }
    void deactivate() noexcept;

    std::vector<Atomic<std::size_t>> held_bytes;  // of each heap, after its last collection
    Atomic<std::size_t> bytes_in_flight{0};

private:
    Atomic<std::int64_t> active_count_{0};
};

class Exchange {
public:
    Exchange(Machines& all, std::uint32_t number) noexcept : machines(all), number_(number) {}
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    Machines& machines;
    Vm* vm = nullptr;
    [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
    // Before it, actors stay on the machine that makes them.
    void begin_spreading() noexcept { is_spreading_ = true; }

    // ---- identity
    [[nodiscard]] std::shared_ptr<ActorAddress> address_of(ActorRef& actor);
    [[nodiscard]] Word reference_to(const std::shared_ptr<ActorAddress>& address);
    [[nodiscard]] std::shared_ptr<SharedPromise> shared(Promise& promise);
    [[nodiscard]] Word promise_of(const std::shared_ptr<SharedPromise>& state);
    void trace(Marker& marker);
    // After everything in use is marked: forgets the actors and promises that nothing here uses.
    // Their memory is freed later, and a message that names one makes a new reference meanwhile.
    void forget_unmarked() noexcept;

    // ---- to other machines
    // A new actor on the machine whose turn it is; null if that is this one, or if the object
    // cannot leave it.
    [[nodiscard]] ActorRef* spawn_elsewhere(Instance& object);
    void send(const ActorRef& to, Word message);
    // False if it is settled already.
    [[nodiscard]] bool settle(Promise& promise, FutureState state, Word value);
    [[nodiscard]] static bool is_settled(const Promise& promise);
    void send_globals();
    // Ends the program, wherever main runs.
    void end(int exit_code) noexcept;

    // ---- from other machines
    void on_arrival(Arrival& arrival);

private:
    struct KnownActor {
        std::shared_ptr<ActorAddress> address;
        ActorRef* actor;
    };
    struct KnownPromise {
        std::shared_ptr<SharedPromise> state;
        Promise* promise;
    };
    void post(std::uint32_t machine, Arrival arrival);
    void arrive(ActorMessage& message);
    void arrive(NewActor& made);
    void arrive(PromiseSettled& settled);
    void arrive(Globals& globals);
    ActorRef* know(const std::shared_ptr<ActorAddress>& address, ActorRef* actor);

    const std::uint32_t number_;
    std::uint32_t last_chosen_ = number_;
    bool is_spreading_ = false;
    std::unordered_map<const ActorAddress*, KnownActor> actors_;
    std::unordered_map<const SharedPromise*, KnownPromise> promises_;
};

// How a machine is reached from other loops.
class Endpoint final : public actor::Actor<Endpoint> {
public:
    explicit Endpoint(Exchange* of) noexcept : exchange_(*of) {}
    void handle(Arrival arrival);
    void handle(ProgramOver);
    void handle(ProgramEnds ends);
    void handle(ProgramCancelled);
    std::string handle(WhoWaits);

private:
    [[nodiscard]] Tasks* tasks() const noexcept { return exchange_.vm->tasks; }
    Exchange& exchange_;
};

}  // namespace gyre::vela::vm
