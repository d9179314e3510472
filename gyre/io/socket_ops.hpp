// SPDX-License-Identifier: Apache-2.0
// The ops of sockets, and of pipes and terminals as far as they are streams: connections, bytes,
// datagrams, parts of files, descriptors passed over Unix sockets.
//
//     ReceiveOp receive(fd, buffer);
//     submit(receive);                  // completes with the number of bytes, 0 at the end
//
// Thread: as for any op.
// Lifetime: buffers and rings belong to the initiator and stay valid until the completion.
// Cancel: did nothing (result "operation canceled"), or did what the result says. A cancelled
// accept or receive takes nothing from the socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gyre/base/byte_ring.hpp"
#include "gyre/base/bytes.hpp"
#include "gyre/io/address.hpp"
#include "gyre/io/io_ops.hpp"

namespace gyre {

// ---- Connections ----

// Takes one connection. Result: its descriptor; `peer` says who. While the process is out of
// descriptors the op waits, and goes on when there are some again.
class AcceptOp : public IoOp {
public:
    explicit AcceptOp(Fd listener) noexcept : IoOp(IoCode::accept, listener) {}
    Address peer;
};

// Result: 0 when connected.
class ConnectOp : public IoOp {
public:
    ConnectOp(Fd descriptor, const Address& address) noexcept
        : IoOp(IoCode::connect, descriptor), to(address) {}
    Address to;
};

// Result: how many bytes came, at least one; 0 at the end of the stream.
class ReceiveOp : public IoOp {
public:
    ReceiveOp(Fd descriptor, Bytes into) noexcept
        : IoOp(IoCode::receive, descriptor), buffer(into) {}
    Bytes buffer;
};

// Result: how many bytes the system took, at least one; not always all.
class SendOp : public IoOp {
public:
    SendOp(Fd descriptor, ConstBytes from) noexcept
        : IoOp(IoCode::send, descriptor), buffer(from) {}
    ConstBytes buffer;
};

struct ReceiveStats {
    std::uint64_t received_bytes = 0;
    std::uint64_t lost_bytes = 0;  // by the overflow policy
    std::uint64_t overflows = 0;   // how often bytes were lost
};

// Receives into a ring and rings, until the stream ends (result 0), fails or the op is cancelled.
// What finds the ring full is lost as the policy says, and counted: for data of which the freshest
// matters. Where every byte matters, use ReceiveOp: the peer then waits.
class ReceiveRingOp : public StandingIoOp {
public:
    ReceiveRingOp(Fd descriptor, ByteRing& into, OverflowPolicy policy) noexcept
        : StandingIoOp(IoCode::receive_ring, descriptor), ring(&into), overflow(policy) {}
    ByteRing* ring;
    OverflowPolicy overflow;
    ReceiveStats stats;
};

// ---- Datagrams: no partial send; a receive cuts off what does not fit its buffer, and says so ----

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

// ---- Several buffers, files and descriptors ----

// Sends pieces as if they were one buffer. Result: how many bytes the system took, at least one;
// not always all. The pieces' views, their bytes and the numbers stay alive until the completion.
class SendPiecesOp : public IoOp {
public:
    // Pieces beyond these are left for the next op.
    static constexpr std::size_t pieces_max = 16;
    // More descriptors are the error `argument_list_too_long`.
    static constexpr std::size_t passed_max = 16;

    SendPiecesOp(Fd descriptor, std::span<const ConstBytes> from,
                 std::span<const Fd> with = {}) noexcept
        : IoOp(IoCode::send_pieces, descriptor), pieces(from), passed(with) {}
    std::span<const ConstBytes> pieces;
    // Go with the first byte, to a Unix socket only. The other process gets numbers of its own; the
    // sender's stay open. What nobody takes is closed with the socket.
    std::span<const Fd> passed;
};

// Sends bytes, and behind them a part of a file, which does not come through the program's memory.
// Result: how many bytes the system took, of the first and then of the file, at least one; not
// always all. 0 where the file ends at the offset, or before it, and no bytes were to go first.
//
// The file is open on the same platform, and stays so until the completion. What of it is not in
// the system's memory is read from its disk meanwhile, and the loop waits: see FileTree::load.
class SendFileOp : public IoOp {
public:
    SendFileOp(Fd descriptor, ConstBytes first, Fd from, std::uint64_t at,
               std::uint64_t size) noexcept
        : IoOp(IoCode::send_file, descriptor),
          before(first),
          file(from),
          offset(at),
          size_bytes(size) {}
    ConstBytes before;  // wait for the file's first bytes, so that both leave in one packet
    Fd file;
    std::uint64_t offset;
    std::uint64_t size_bytes;
};

// Receives as a ReceiveOp does, and the descriptors that came with those bytes.
class ReceivePassedOp : public IoOp {
public:
    ReceivePassedOp(Fd descriptor, Bytes into, std::span<Fd> numbers) noexcept
        : IoOp(IoCode::receive_passed, descriptor), buffer(into), room(numbers) {}
    Bytes buffer;
    std::span<Fd> room;            // at most passed_max are used
    std::size_t passed_count = 0;  // of `room`; they belong to the initiator now
    bool is_cut_off = false;       // there were more: the system has closed those
};

}  // namespace gyre
