// SPDX-License-Identifier: Apache-2.0
// The cases of the group actor: the same sizes for every library. Plain constants.
//
// The cases (ns, unless said):
//     actor_ping_pong     a message to another actor and one back, for each; one thread
//     actor_ping_pong_2   the same, the actors on two threads that do not sleep
//     actor_ring          a message handed round a ring of 100 actors; one thread
//     actor_counting      one actor sends a million messages to another; one thread
//     actor_create        100,000 actors are made, each gets one message and ends
//     actor_big           32 actors, each sends to all others and answers what it gets
//     actor_bank          a transfer: a teller asks two accounts, one after the other
//     actor_idle          bytes of an actor that waits for messages, among 100,000
#pragma once

#include <cstdint>

namespace gyre::bench {

inline constexpr std::uint64_t ring_size = 100;
inline constexpr std::uint64_t create_count = 100'000;
inline constexpr std::uint64_t big_actor_count = 32;
inline constexpr std::uint64_t account_count = 64;
// Messages in the mailbox of the counting actor at once, at most.
inline constexpr std::uint64_t counting_window = 512;

}  // namespace gyre::bench
