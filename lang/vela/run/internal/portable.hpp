// SPDX-License-Identifier: Apache-2.0
// Portable: a value of a Vela program apart from any heap, as it travels between actors: packed by
// the sender, unpacked as new things by the receiver. Both ends see the same meaning, whether they
// share a loop or not: what arrives is a copy of what was sent.
//
// Actors and promises are not copied: they are carried as the address and the shared state that all
// loops know. A Portable belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lang/vela/run/internal/vm.hpp"

namespace gyre::vela::vm {

struct SharedPromise;

// An actor as other loops know it: the number of its machine; the pointer itself is the identity.
struct ActorAddress {
    std::uint32_t machine = 0;
};

struct Portable {
    std::vector<std::uint64_t> words;
    std::vector<std::string> texts;
    std::vector<std::shared_ptr<ActorAddress>> actors;
    std::vector<std::shared_ptr<SharedPromise>> promises;

    [[nodiscard]] std::size_t size_bytes() const noexcept;
};

// Values inside each other that one message may have.
inline constexpr std::size_t message_depth_max = 2'000;

// How far the value travels.
enum class Journey : std::uint8_t {
    here,     // to an actor of the same machine: actors and promises are the same things there
    machine,  // to another machine
};

// Throws an Error of the program for a value that cannot be sent.
[[nodiscard]] Portable pack(Vm& vm, Word value, Journey journey);
[[nodiscard]] Word unpack(Vm& vm, const Portable& from);

// The value as another actor of the same machine gets it; the same word if nothing of it can change.
[[nodiscard]] Word copy_for_actor(Vm& vm, Word value);

}  // namespace gyre::vela::vm
