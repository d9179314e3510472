// SPDX-License-Identifier: Apache-2.0
// One non-blocking attempt at an op with several pieces, a file or passed descriptors; io_calls.hpp
// has those of the other ops. Only the loop's thread.
#pragma once

#include "gyre/io/socket_ops.hpp"
#include "gyre/platform/internal/system/io_calls.hpp"

namespace gyre::platform {

[[nodiscard]] Attempt try_send_pieces(SendPiecesOp& op, Descriptor& descriptor) noexcept;
[[nodiscard]] Attempt try_send_file(SendFileOp& op, Descriptor& descriptor) noexcept;
[[nodiscard]] Attempt try_receive_passed(ReceivePassedOp& op, Descriptor& descriptor) noexcept;

}  // namespace gyre::platform
