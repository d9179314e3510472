// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/internal/system/datagram_calls.hpp"

#include <sys/socket.h>

#include "gyre/platform/internal/system/message.hpp"
#include "gyre/platform/internal/system/system_call.hpp"

namespace gyre::platform {

Attempt try_receive_from(ReceiveFromOp& op, Descriptor& descriptor) noexcept {
    Message message;
    const ssize_t count = without_interruption([&] {
        message.prepare(op.buffer);
        return ::recvmsg(descriptor.fd, message.header(), MSG_DONTWAIT);
    });
    if (count >= 0) {
        message.tell(op);
        return Attempt::done(static_cast<std::int32_t>(count));
    }
    if (!would_block(errno)) return Attempt::done(-errno);
    descriptor.may_read = false;
    return Attempt::blocked();
}

Attempt try_send_to(SendToOp& op, Descriptor& descriptor) noexcept {
    Message message;
    if (const std::int32_t status = message.prepare(op.buffer, op.to); status < 0) {
        return Attempt::done(status);
    }
    const ssize_t count = without_interruption(
        [&] { return ::sendmsg(descriptor.fd, message.header(), MSG_DONTWAIT | MSG_NOSIGNAL); });
    if (count >= 0) return Attempt::done(static_cast<std::int32_t>(count));
    if (!would_block(errno)) return Attempt::done(-errno);
    if (waits_unseen(op)) return Attempt::starved();
    descriptor.may_write = false;
    return Attempt::blocked();
}

bool waits_unseen(const SendToOp& op) noexcept {
    return op.to.family() == Address::Family::unix_path;
}

}  // namespace gyre::platform
