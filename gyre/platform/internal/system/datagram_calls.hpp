// SPDX-License-Identifier: Apache-2.0
// One non-blocking attempt at a datagram op; io_calls.hpp has those of the other ops. Only the
// loop's thread.
#pragma once

#include "gyre/io/socket_ops.hpp"
#include "gyre/platform/internal/system/io_calls.hpp"

namespace gyre::platform {

[[nodiscard]] Attempt try_receive_from(ReceiveFromOp& op, Descriptor& descriptor) noexcept;
[[nodiscard]] Attempt try_send_to(SendToOp& op, Descriptor& descriptor) noexcept;

// Whether no event will report that a blocked send can continue: a Unix socket becomes writable by
// room in its own buffer, not in that of a receiver it is not connected to.
[[nodiscard]] bool waits_unseen(const SendToOp& op) noexcept;

}  // namespace gyre::platform
