// SPDX-License-Identifier: Apache-2.0
// One non-blocking attempt at an op of message_ops.hpp, as io_calls.hpp has them for the others.
// Only the loop's thread.
#pragma once

#include "gyre/io/socket_ops.hpp"
#include "gyre/platform/internal/system/io_calls.hpp"

namespace gyre::platform {

[[nodiscard]] Attempt try_send_pieces(SendPiecesOp& op, Descriptor& descriptor) noexcept;
[[nodiscard]] Attempt try_send_file(SendFileOp& op, Descriptor& descriptor) noexcept;
[[nodiscard]] Attempt try_receive_passed(ReceivePassedOp& op, Descriptor& descriptor) noexcept;

}  // namespace gyre::platform
