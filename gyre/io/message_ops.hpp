// SPDX-License-Identifier: Apache-2.0
// SendPiecesOp, SendFileOp, ReceivePassedOp: several buffers in one send, a part of a file, and
// descriptors that are passed with the bytes of a Unix socket. Served in one order with the other
// ops of their direction.
//
//     SendFileOp send(socket, head, file, 0, size_bytes);
//     submit(send);
//
// Thread: as for any op.
// Lifetime: buffers stay valid until the completion.
// Cancel: did nothing (result "operation canceled"), or did what the result says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gyre/base/bytes.hpp"
#include "gyre/io/io_ops.hpp"

namespace gyre {

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
