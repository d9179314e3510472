// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/pieces_calls.hpp"

#include <sys/socket.h>

#include "gyre/platform/internal/system_call.hpp"
#include "gyre/platform/pieces_message.hpp"

namespace gyre::platform {

Attempt try_send_pieces(SendPiecesOp& op, Descriptor& descriptor) noexcept {
    PiecesMessage message;
    if (const std::int32_t status = message.prepare(op); status < 0) return Attempt::done(status);
    const ssize_t count = without_interruption(
        [&] { return ::sendmsg(descriptor.fd, message.header(), MSG_DONTWAIT | MSG_NOSIGNAL); });
    if (count >= 0) return Attempt::done(static_cast<std::int32_t>(count));
    if (!would_block(errno)) return Attempt::done(-errno);
    descriptor.may_write = false;
    return Attempt::blocked();
}

Attempt try_receive_passed(ReceivePassedOp& op, Descriptor& descriptor) noexcept {
    PiecesMessage message;
    const ssize_t count = without_interruption([&] {
        message.prepare(op);
        return ::recvmsg(descriptor.fd, message.header(), MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    });
    if (count >= 0) {
        message.tell(op);
        return Attempt::done(static_cast<std::int32_t>(count));
    }
    if (!would_block(errno)) return Attempt::done(-errno);
    descriptor.may_read = false;
    return Attempt::blocked();
}

}  // namespace gyre::platform
