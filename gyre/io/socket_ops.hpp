// SPDX-License-Identifier: Apache-2.0
// The ops of sockets, and of pipes and terminals used as streams: connections, bytes, datagrams,
// parts of files, descriptors passed over Unix sockets.
//
//     ReceiveOp receive(fd, buffer);
//     submit(receive);                  // completes with the number of bytes, 0 at the end
//
// Thread: as for any op.
// Lifetime: buffers and rings belong to the initiator and stay valid until the completion.
// Cancel: either had no effect (result "operation canceled"), or took effect as the result says. A
// cancelled accept or receive takes no connection or data from the socket.
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

// Accepts one connection. Result: its descriptor; `peer` is the peer's address. While the process
// is out of descriptors (EMFILE), the op stays pending and is retried later.
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

// Result: the number of bytes received, at least one; 0 at the end of the stream.
class ReceiveOp : public IoOp {
public:
    ReceiveOp(Fd descriptor, Bytes into) noexcept
        : IoOp(IoCode::receive, descriptor), buffer(into) {}
    Bytes buffer;
};

// Result: the number of bytes the system accepted, at least one, possibly fewer than given.
class SendOp : public IoOp {
public:
    SendOp(Fd descriptor, ConstBytes from) noexcept
        : IoOp(IoCode::send, descriptor), buffer(from) {}
    ConstBytes buffer;
};

struct ReceiveStats {
    std::uint64_t received_bytes = 0;
    std::uint64_t lost_bytes = 0;  // according to the overflow policy
    std::uint64_t overflows = 0;   // how many times bytes were lost
};

// Receives into a ring and notifies, until the stream ends (result 0), fails or the op is
// cancelled. Bytes that do not fit are dropped according to the overflow policy, and counted: for
// data of which only the newest matters. If every byte matters, use ReceiveOp, which puts
// back-pressure on the peer.
class ReceiveRingOp : public StandingIoOp {
public:
    ReceiveRingOp(Fd descriptor, ByteRing& into, OverflowPolicy policy) noexcept
        : StandingIoOp(IoCode::receive_ring, descriptor), ring(&into), overflow(policy) {}
    ByteRing* ring;
    OverflowPolicy overflow;
    ReceiveStats stats;
};

// ---- Datagrams: a send is never partial; a receive truncates to its buffer, and reports that ----

// Receives one datagram. Result: the number of its bytes in the buffer; 0 is an empty datagram. On
// a connected socket it also returns the error of an earlier send ("connection refused").
class ReceiveFromOp : public IoOp {
public:
    ReceiveFromOp(Fd descriptor, Bytes into) noexcept
        : IoOp(IoCode::receive_from, descriptor), buffer(into) {}
    Bytes buffer;
    Address from;  // the sender; without a family if the sender has no address
    bool is_truncated = false;
};

// Sends one datagram. Result: its size. An address without a family means the peer that the socket
// is connected to.
class SendToOp : public IoOp {
public:
    SendToOp(Fd descriptor, ConstBytes data, const Address& address) noexcept
        : IoOp(IoCode::send_to, descriptor), buffer(data), to(address) {}
    ConstBytes buffer;
    Address to;
};

// ---- Several buffers, files and descriptors ----

// Sends several buffers (pieces) as if they were one. Result: the number of bytes the system
// accepted, at least one, possibly fewer than given. The span of pieces, their bytes and the
// descriptors to pass stay alive until the completion.
class SendPiecesOp : public IoOp {
public:
    // Further pieces are left for the next op.
    static constexpr std::size_t pieces_max = 16;
    // More descriptors give the error `argument_list_too_long`.
    static constexpr std::size_t passed_max = 16;

    SendPiecesOp(Fd descriptor, std::span<const ConstBytes> from,
                 std::span<const Fd> with = {}) noexcept
        : IoOp(IoCode::send_pieces, descriptor), pieces(from), passed(with) {}
    std::span<const ConstBytes> pieces;
    // Passed with the first byte, to a Unix socket only. The receiving process gets its own
    // descriptors; the sender's stay open. Descriptors that are never received are closed with the
    // socket.
    std::span<const Fd> passed;
};

// Sends bytes and then a part of a file, which is not copied through the program's memory. Result:
// the number of bytes the system accepted, of the bytes and then of the file, at least one,
// possibly fewer than given. 0 if the offset is at or beyond the end of the file and there are no
// bytes before it.
//
// The file is open on the same platform, and stays open until the completion. Parts of it that are
// not in the page cache are read from the disk during the call, which blocks the loop: see
// FileTree::load.
class SendFileOp : public IoOp {
public:
    SendFileOp(Fd descriptor, ConstBytes first, Fd from, std::uint64_t at,
               std::uint64_t size) noexcept
        : IoOp(IoCode::send_file, descriptor),
          before(first),
          file(from),
          offset(at),
          size_bytes(size) {}
    ConstBytes before;  // held back for the file's first bytes, to share a packet
    Fd file;
    std::uint64_t offset;
    std::uint64_t size_bytes;
};

// Receives like a ReceiveOp, and also the descriptors that were passed with those bytes.
class ReceivePassedOp : public IoOp {
public:
    ReceivePassedOp(Fd descriptor, Bytes into, std::span<Fd> numbers) noexcept
        : IoOp(IoCode::receive_passed, descriptor), buffer(into), room(numbers) {}
    Bytes buffer;
    std::span<Fd> room;            // at most passed_max are used
    std::size_t passed_count = 0;  // of `room`; they belong to the initiator now
    bool is_cut_off = false;       // more were sent: the system has closed the others
};

}  // namespace gyre
