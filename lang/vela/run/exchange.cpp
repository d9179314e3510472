// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/run/internal/exchange.hpp"

#include <utility>

#include "lang/vela/run/internal/tasks.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::vm {

void Machines::deactivate() noexcept {
    if (active_count_.fetch_sub(1) == 1) endpoints.front().send(ProgramOver());
}

// ---- identity

ActorRef* Exchange::know(const std::shared_ptr<ActorAddress>& address, ActorRef* actor) {
    actor->address = address.get();
    actors_[address.get()] = {address, actor};
    return actor;
}

std::shared_ptr<ActorAddress> Exchange::address_of(ActorRef& actor) {
    if (actor.address == nullptr) {
        know(std::make_shared<ActorAddress>(ActorAddress{number_}), &actor);
    }
    return actors_.at(actor.address).address;
}

Word Exchange::reference_to(const std::shared_ptr<ActorAddress>& address) {
    const auto found = actors_.find(address.get());
    if (found != actors_.end()) return found->second.actor;
    return know(address, vm->heap.make<ActorRef>(nullptr));
}

std::shared_ptr<SharedPromise> Exchange::shared(Promise& promise) {
    if (promise.shared == nullptr) {
        auto state = std::make_shared<SharedPromise>();
        state->machines.push_back(number_);
        promise.shared = state.get();
        promises_[state.get()] = {state, &promise};
        if (promise.future->is_settled()) {
            try {
                Portable value = pack(*vm, promise.future->result, Journey::machine);
                const std::lock_guard lock(state->mutex);
                state->value = std::move(value);
                state->state = promise.future->state;
            } catch (const Thrown&) {
                promise.shared = nullptr;
                promises_.erase(state.get());
                throw;
            }
        }
    }
    return promises_.at(promise.shared).state;
}

Word Exchange::promise_of(const std::shared_ptr<SharedPromise>& state) {
    const auto found = promises_.find(state.get());
    if (found != promises_.end()) return found->second.promise;
    auto* promise = vm->tasks->make_promise();
    promise->shared = state.get();
    promises_[state.get()] = {state, promise};
    FutureState outcome = FutureState::running;
    {
        const std::lock_guard lock(state->mutex);
        outcome = state->state;
        if (outcome == FutureState::running) state->machines.push_back(number_);
    }
    // Once it is settled, the value does not change.
    if (outcome != FutureState::running) {
        vm->tasks->settle(*promise->future, outcome, unpack(*vm, state->value));
    }
    return promise;
}

void Exchange::trace(Marker& marker) {
    // More than one share: another machine, or a message on its way to it, knows the actor.
    for (const auto& [address, known_one] : actors_) {
        if (known_one.actor->actor != nullptr && known_one.address.use_count() > 1) {
            marker.mark(known_one.actor);
        }
    }
}

void Exchange::forget_unmarked() noexcept {
    std::erase_if(actors_, [](const auto& entry) { return !entry.second.actor->is_marked; });
    std::erase_if(promises_, [](const auto& entry) { return !entry.second.promise->is_marked; });
}

// ---- to other machines

void Exchange::post(std::uint32_t machine, Arrival arrival) {
    const std::size_t size = arrival.size_bytes;
    const std::size_t in_flight = machines.bytes_in_flight.fetch_add(size) + size;
    if (in_flight > vm->options.memory_bytes_max) {
        vm->host.report(
            concat("gyre run: the messages between threads hold more than "
                   "--memory-limit allows (",
                   std::to_string(vm->options.memory_bytes_max >> 20U), " MB)"));
        machines.bytes_in_flight.fetch_sub(size);
        vm->tasks->end(4);
        throw Ended();
    }
    machines.activate();
    if (machines.endpoints[machine].send(std::move(arrival))) return;
    machines.bytes_in_flight.fetch_sub(size);
    machines.deactivate();
    vm->tasks->count_dead_letter();
}

ActorRef* Exchange::spawn_elsewhere(Instance& object) {
    if (!is_spreading_) return nullptr;
    last_chosen_ = (last_chosen_ + 1) % machines.count();
    if (last_chosen_ == number_) return nullptr;
    NewActor made;
    try {
        made.object = pack(*vm, &object, Journey::machine);
    } catch (const Thrown&) {
        // It holds a server, a timer or the like: these belong to the loop they were made on.
        return nullptr;
    }
    made.address = std::make_shared<ActorAddress>(ActorAddress{last_chosen_});
    ActorRef* reference = know(made.address, vm->heap.make<ActorRef>(nullptr));
    const std::size_t size = made.object.size_bytes();
    post(last_chosen_, {std::move(made), size});
    return reference;
}

void Exchange::send(const ActorRef& to, Word message) {
    ActorMessage sent{actors_.at(to.address).address, pack(*vm, message, Journey::machine)};
    const std::size_t size = sent.message.size_bytes();
    const std::uint32_t machine = to.address->machine;
    post(machine, {std::move(sent), size});
}

bool Exchange::is_settled(const Promise& promise) {
    const std::lock_guard lock(promise.shared->mutex);
    return promise.shared->state != FutureState::running;
}

bool Exchange::settle(Promise& promise, FutureState state, Word value) {
    const std::shared_ptr<SharedPromise> shared = promises_.at(promise.shared).state;
    Portable packed = pack(*vm, value, Journey::machine);
    std::vector<std::uint32_t> known_by;
    {
        const std::lock_guard lock(shared->mutex);
        if (shared->state != FutureState::running) return false;
        shared->state = state;
        shared->value = std::move(packed);
        known_by = shared->machines;
    }
    for (const std::uint32_t machine : known_by) {
        if (machine != number_) post(machine, {PromiseSettled{shared}, sizeof(Arrival)});
    }
    vm->tasks->settle(*promise.future, state, unpack(*vm, shared->value));
    return true;
}

void Exchange::send_globals() {
    for (std::uint32_t machine = 0; machine < machines.count(); ++machine) {
        if (machine == number_) continue;
        Globals globals;
        for (const Word value : vm->globals) {
            std::unique_ptr<Portable>& packed = globals.values.emplace_back();
            if (value.is_missing()) continue;
            try {
                packed = std::make_unique<Portable>(pack(*vm, value, Journey::machine));
            } catch (const Thrown&) {
                // No actor can name it: E0312.
            }
        }
        post(machine, {std::move(globals), 0});
    }
}

void Exchange::end(int exit_code) noexcept {
    if (number_ != 0) machines.endpoints.front().send(ProgramEnds{exit_code});
}

// ---- from other machines

void Exchange::on_arrival(Arrival& arrival) {
    machines.bytes_in_flight.fetch_sub(arrival.size_bytes);
    if (vm->tasks != nullptr && !vm->tasks->is_ended()) {
        vm->tasks->begin_outside();
        try {
            std::visit([this](auto& what) { arrive(what); }, arrival.what);
        } catch (const Ended&) {
        }
        vm->tasks->end_outside();
    }
    machines.deactivate();
}

void Exchange::arrive(ActorMessage& message) {
    const Word to = reference_to(message.to);
    vm->tasks->deliver(*static_cast<ActorRef*>(to.thing()), unpack(*vm, message.message));
}

void Exchange::arrive(NewActor& made) {
    const Word object = unpack(*vm, made.object);
    know(made.address, vm->tasks->make_actor_here(as<Instance>(object, Kind::instance)));
}

void Exchange::arrive(PromiseSettled& settled) {
    const auto found = promises_.find(settled.promise.get());
    if (found == promises_.end()) return;
    Deferred& future = *found->second.promise->future;
    if (future.is_settled()) return;
    // Settled for good: no lock is needed to read it.
    vm->tasks->settle(future, settled.promise->state, unpack(*vm, settled.promise->value));
}

void Exchange::arrive(Globals& globals) {
    is_spreading_ = true;
    for (std::size_t i = 0; i < globals.values.size(); ++i) {
        if (globals.values[i] != nullptr) vm->globals[i] = unpack(*vm, *globals.values[i]);
    }
}

// ---- the endpoint

void Endpoint::handle(Arrival arrival) {
    exchange_.on_arrival(arrival);
}
void Endpoint::handle(ProgramOver) {
    if (tasks() != nullptr) tasks()->set_over();
}
void Endpoint::handle(ProgramEnds ends) {
    if (tasks() != nullptr) tasks()->end(ends.exit_code);
}
void Endpoint::handle(ProgramCancelled) {
    if (tasks() != nullptr && !tasks()->stop_servers()) tasks()->cancel_all();
}
std::string Endpoint::handle(WhoWaits) {
    return tasks() == nullptr ? std::string() : tasks()->waiting_text();
}

}  // namespace gyre::vela::vm
