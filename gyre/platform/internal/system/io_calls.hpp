// SPDX-License-Identifier: Apache-2.0
// One non-blocking attempt at an op: makes the system call, once or a bounded number of times, and
// returns the outcome. It neither queues nor completes ops: the platform does that. Only the loop's
// thread.
#pragma once

#include <cstdint>

#include "gyre/io/io_ops.hpp"
#include "gyre/io/socket_ops.hpp"
#include "gyre/platform/internal/descriptor_table.hpp"

namespace gyre::platform {

struct Attempt {
    enum class Outcome : std::uint8_t {
        done,     // `result` is the op's result
        blocked,  // would block: an edge of the descriptor will follow
        starved,  // out of descriptors or memory: no edge will follow
        again,    // there is more to do, but other ops are to be served first
    };
    Outcome outcome;
    std::int32_t result = 0;

    static Attempt done(std::int32_t result) noexcept { return {Outcome::done, result}; }
    static Attempt blocked() noexcept { return {Outcome::blocked}; }
    static Attempt starved() noexcept { return {Outcome::starved}; }
    static Attempt again() noexcept { return {Outcome::again}; }
};

// Determines the kind of a descriptor, once for each.
void examine(Descriptor& descriptor) noexcept;

// A socket created elsewhere may be in blocking mode; receive and send have a flag for that
// (MSG_DONTWAIT), other calls have not.
void make_non_blocking(Descriptor& descriptor) noexcept;

// One attempt at an op that transfers something; receive_ring has a function of its own below.
[[nodiscard]] Attempt try_op(Op& op, Descriptor& descriptor) noexcept;
[[nodiscard]] Attempt try_accept(AcceptOp& op, Descriptor& descriptor) noexcept;
[[nodiscard]] Attempt try_connect(ConnectOp& op, Descriptor& descriptor) noexcept;
[[nodiscard]] Attempt try_receive(ReceiveOp& op, Descriptor& descriptor) noexcept;
[[nodiscard]] Attempt try_send(SendOp& op, Descriptor& descriptor) noexcept;
// Receives into the op's ring, at most a few times the size of `scratch`.
[[nodiscard]] Attempt try_receive_ring(ReceiveRingOp& op, Descriptor& descriptor,
                                       Bytes scratch) noexcept;

// Counts the bytes received into the op's ring, and the bytes lost there.
void count_received(ReceiveRingOp& op, std::size_t size, std::size_t lost) noexcept;

// Aborts a connect in progress, so that the cancelled op leaves no connection behind.
void abandon_connect(Fd fd) noexcept;

// Classify an error of accept: either only that connection is lost, and the listener is unaffected;
// or the process is out of descriptors or memory.
[[nodiscard]] bool concerns_one_connection(int error) noexcept;
[[nodiscard]] bool lacks_resources(int error) noexcept;

// Whether an op of this kind may fail for lack of resources without a later edge: other ops on its
// descriptor are still served.
[[nodiscard]] bool may_starve(OpCode code) noexcept;

// Convert to and from poll(2) masks. Hang-up and error are always reported.
[[nodiscard]] short poll_mask_of(Events wanted) noexcept;
[[nodiscard]] Events events_of_mask(int mask) noexcept;

// The requested events that the descriptor is ready for now, plus hang-up and error; or an error.
[[nodiscard]] Result<Events> ready_events(Fd fd, Events wanted) noexcept;

}  // namespace gyre::platform
