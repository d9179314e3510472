// SPDX-License-Identifier: Apache-2.0
// The part of UringPlatform that turns ops with a msghdr into requests: datagrams, sends of several
// pieces, and passed descriptors. The system reads and writes the msghdr besides the op's own
// buffer; a descriptor has one for each side, since one request of a side is in flight at a time.
#include <new>

#include "gyre/platform/internal/uring/uring.hpp"
#include "gyre/platform/internal/uring/uring_ring.hpp"

namespace gyre::platform {
namespace {

template <class Kind>
std::int32_t ensure(std::unique_ptr<Kind>& message) noexcept {
    if (message == nullptr) message.reset(new (std::nothrow) Kind);
    return message == nullptr ? failure(std::errc::not_enough_memory) : 0;
}

}  // namespace

std::int32_t UringPlatform::provide_message(Op& op, UringDescriptor& descriptor) noexcept {
    if (op.code() == IoCode::send_pieces) {
        const std::int32_t status = ensure(descriptor.pieces_out);
        if (status < 0) return status;
        return descriptor.pieces_out->prepare(static_cast<SendPiecesOp&>(op));
    }
    if (op.code() == IoCode::receive_passed) {
        const std::int32_t status = ensure(descriptor.pieces_in);
        if (status == 0) descriptor.pieces_in->prepare(static_cast<ReceivePassedOp&>(op));
        return status;
    }
    if (op.code() == IoCode::send_to) {
        const auto& send = static_cast<SendToOp&>(op);
        const std::int32_t status = ensure(descriptor.outgoing);
        return status < 0 ? status : descriptor.outgoing->prepare(send.buffer, send.to);
    }
    const std::int32_t status = ensure(descriptor.incoming);
    if (status == 0) descriptor.incoming->prepare(static_cast<ReceiveFromOp&>(op).buffer);
    return status;
}

void UringPlatform::fill_message(io_uring_sqe& entry, Op& op,
                                 UringDescriptor& descriptor) noexcept {
    if (op.code() == IoCode::receive_from) {
        return io_uring_prep_recvmsg(&entry, descriptor.fd, descriptor.incoming->header(), 0);
    }
    if (op.code() == IoCode::receive_passed) {
        return io_uring_prep_recvmsg(&entry, descriptor.fd, descriptor.pieces_in->header(),
                                     MSG_CMSG_CLOEXEC);
    }
    if (op.code() == IoCode::send_pieces) {
        return io_uring_prep_sendmsg(&entry, descriptor.fd, descriptor.pieces_out->header(),
                                     MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    // The ring must not poll for room and retry by itself: an attempt that has copied the bytes
    // before it found no room counts them as sent (Linux 6.18), and the retry sends nothing.
    io_uring_prep_sendmsg(&entry, descriptor.fd, descriptor.outgoing->header(),
                          MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace gyre::platform
