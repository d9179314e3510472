// SPDX-License-Identifier: Apache-2.0
// One non-blocking attempt at a datagram op, as io_calls.hpp has them for the others. Only the
// loop's thread.
#pragma once

#include "gyre/io/socket_ops.hpp"
#include "gyre/platform/internal/system/io_calls.hpp"

namespace gyre::platform {

[[nodiscard]] Attempt try_receive_from(ReceiveFromOp& op, Descriptor& descriptor) noexcept;
[[nodiscard]] Attempt try_send_to(SendToOp& op, Descriptor& descriptor) noexcept;

// Whether nothing tells when a send that found no room can go on: a Unix socket becomes writable
// with its own room, not with that of a receiver it is not connected to.
[[nodiscard]] bool waits_unseen(const SendToOp& op) noexcept;

}  // namespace gyre::platform
