// SPDX-License-Identifier: Apache-2.0
// PiecesMessage: a SendPiecesOp or ReceivePassedOp as a msghdr. It points into itself and into the
// op's buffers, so it must not move until the call or the request is done. Only the loop's thread;
// part of a platform, or on the stack of one attempt.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>

#include "gyre/io/socket_ops.hpp"

namespace gyre::platform {

class PiecesMessage {
public:
    PiecesMessage() noexcept = default;
    PiecesMessage(const PiecesMessage&) = delete;
    PiecesMessage& operator=(const PiecesMessage&) = delete;

    // 0, or an error number.
    [[nodiscard]] std::int32_t prepare(const SendPiecesOp& op) noexcept;
    void prepare(const ReceivePassedOp& op) noexcept;
    [[nodiscard]] msghdr* header() noexcept { return &header_; }

    // Copies the received descriptors and the truncation flag to the op.
    void tell(ReceivePassedOp& op) const noexcept;

private:
    static constexpr std::size_t passed_bytes_max = SendPiecesOp::passed_max * sizeof(Fd);

    msghdr header_{};
    std::array<iovec, SendPiecesOp::pieces_max> pieces_;
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(passed_bytes_max)> control_;
};

}  // namespace gyre::platform
