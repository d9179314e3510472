// SPDX-License-Identifier: Apache-2.0
// One non-blocking attempt at an op: makes the system call, once or a bounded number of times, and
// says what came of it. No lists, no completions: those are the platform's. Only the loop's thread.
#pragma once

#include <cstdint>

#include "gyre/io/io_ops.hpp"
#include "gyre/io/socket_ops.hpp"
#include "gyre/platform/internal/descriptor_table.hpp"

namespace gyre::platform {

struct Attempt {
    enum class Outcome : std::uint8_t {
        done,     // `result` is the op's result
        blocked,  // an edge of the descriptor will say when to try again
        starved,  // the process lacks something (descriptors, memory): no edge will tell
        again,    // there is more to do, but it is the turn of others
    };
    Outcome outcome;
    std::int32_t result = 0;

    static Attempt done(std::int32_t result) noexcept { return {Outcome::done, result}; }
    static Attempt blocked() noexcept { return {Outcome::blocked}; }
    static Attempt starved() noexcept { return {Outcome::starved}; }
    static Attempt again() noexcept { return {Outcome::again}; }
};

// Finds out, once for each descriptor, what it is.
void examine(Descriptor& descriptor) noexcept;

// A socket made elsewhere may be a blocking one; receive and send have a flag against that, others
// have not.
void make_non_blocking(Descriptor& descriptor) noexcept;

// One attempt at an op that transfers something; receive_ring has a function of its own below.
[[nodiscard]] Attempt try_op(Op& op, Descriptor& descriptor) noexcept;
[[nodiscard]] Attempt try_accept(AcceptOp& op, Descriptor& descriptor) noexcept;
[[nodiscard]] Attempt try_connect(ConnectOp& op, Descriptor& descriptor) noexcept;
[[nodiscard]] Attempt try_receive(ReceiveOp& op, Descriptor& descriptor) noexcept;
[[nodiscard]] Attempt try_send(SendOp& op, Descriptor& descriptor) noexcept;
// Moves what is there to the op's ring, at most a few times `scratch`.
[[nodiscard]] Attempt try_receive_ring(ReceiveRingOp& op, Descriptor& descriptor,
                                       Bytes scratch) noexcept;

// Notes what came into the op's ring, and what of it was lost there.
void count_received(ReceiveRingOp& op, std::size_t size, std::size_t lost) noexcept;

// Ends a connect under way, so that the cancelled op leaves no connection behind.
void abandon_connect(Fd fd) noexcept;

// What an accept's error is about: the connection is lost, but the listener is as good as before;
// or the process is out of descriptors or memory.
[[nodiscard]] bool concerns_one_connection(int error) noexcept;
[[nodiscard]] bool lacks_resources(int error) noexcept;

// Whether an op of this kind may lack what no edge tells of: others on its descriptor go on.
[[nodiscard]] bool may_starve(OpCode code) noexcept;

// To and from the system's names for events. Hang-up and error are told unasked.
[[nodiscard]] short poll_mask_of(Events wanted) noexcept;
[[nodiscard]] Events events_of_mask(int mask) noexcept;

// What the descriptor is ready for now, of what is wanted, plus hang-up and error; or an error.
[[nodiscard]] Result<Events> ready_events(Fd fd, Events wanted) noexcept;

}  // namespace gyre::platform
