// SPDX-License-Identifier: Apache-2.0
// ReceiveFromOp, SendToOp: one datagram. There is no partial send; what does not fit a receive's
// buffer is cut off, and the op says so. ReceiveOp and SendOp are for streams.
//
//     ReceiveFromOp receive(fd, buffer);
//     submit(receive);
//
// Thread: as for any op.
// Lifetime: the buffer stays valid until the completion.
// Cancel: did nothing (result "operation canceled"), or did what the result says. A receive that
// has taken a datagram completes with it.
#pragma once

#include "gyre/base/bytes.hpp"
#include "gyre/io/address.hpp"
#include "gyre/io/io_ops.hpp"

namespace gyre {

// Takes one datagram. Result: how many bytes of it are in the buffer; 0 is an empty datagram. On a
// connected socket also the error that an earlier send met ("connection refused").
class ReceiveFromOp : public IoOp {
public:
    ReceiveFromOp(Fd descriptor, Bytes into) noexcept
        : IoOp(IoCode::receive_from, descriptor), buffer(into) {}
    Bytes buffer;
    Address from;  // who sent it; of no family where that one has no address
    bool is_truncated = false;
};

// Sends one datagram. Result: its size. An address of no family: to the peer that the socket is
// connected to.
class SendToOp : public IoOp {
public:
    SendToOp(Fd descriptor, ConstBytes data, const Address& address) noexcept
        : IoOp(IoCode::send_to, descriptor), buffer(data), to(address) {}
    ConstBytes buffer;
    Address to;
};

}  // namespace gyre
