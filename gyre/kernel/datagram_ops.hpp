// SPDX-License-Identifier: Apache-2.0
// The ops of datagram sockets, as io_ops.hpp has them for streams. A datagram goes and comes as a
// whole: there is no partial send, and what does not fit a receive's buffer is cut off and told.
// ReceiveOp and SendOp are for streams: they know neither senders nor what was cut off.
//
// Cancelling: an op either did nothing (result "operation canceled") or did all that its result
// says. A receive that comes back cancelled has taken no datagram; one that had taken a datagram by
// then comes back with it.
#pragma once

#include "gyre/base/bytes.hpp"
#include "gyre/kernel/address.hpp"
#include "gyre/kernel/io_ops.hpp"

namespace gyre {

// Takes one datagram. Result: how many bytes of it are in the buffer; 0 is an empty datagram. On a
// connected socket also the error that an earlier send met ("connection refused").
class ReceiveFromOp : public IoOp {
public:
    ReceiveFromOp(Fd descriptor, Bytes into) noexcept
        : IoOp(OpCode::receive_from, descriptor), buffer(into) {}
    Bytes buffer;
    Address from;  // who sent it; of no family where that one has no address
    bool is_truncated = false;
};

// Sends one datagram. Result: its size. An address of no family: to the peer that the socket is
// connected to.
class SendToOp : public IoOp {
public:
    SendToOp(Fd descriptor, ConstBytes data, const Address& address) noexcept
        : IoOp(OpCode::send_to, descriptor), buffer(data), to(address) {}
    ConstBytes buffer;
    Address to;
};

}  // namespace gyre
