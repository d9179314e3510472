// SPDX-License-Identifier: Apache-2.0
// ByteStream: bytes that come in and go out in order: what readers, writers and protocols are
// written over, so that a socket, a terminal or an encrypted connection can stand behind them. It
// belongs to one loop's thread; one task may receive while another one sends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gyre/base/bytes.hpp"
#include "gyre/kernel/sockets.hpp"
#include "gyre/task/future.hpp"

namespace gyre::net {

// A part of a file that is open on the same platform; its owner keeps it so.
struct FileSlice {
    Fd file = -1;
    std::uint64_t offset = 0;
    std::uint64_t size_bytes = 0;

    void advance(std::uint64_t size) noexcept {
        offset += size;
        size_bytes -= size;
    }
};

class ByteStream {
public:
    virtual ~ByteStream() = default;

    // What there is, at least one byte; 0 at the end. Cancel class: did nothing, no byte is taken.
    [[nodiscard]] virtual Future<std::size_t> receive(Bytes into) = 0;
    // All of the pieces, in one go where that is possible; waits while the other side is slow. The
    // views are advanced as their bytes go. Cancel class: did part: the views say what is left.
    [[nodiscard]] virtual Future<void> send(std::span<ConstBytes> pieces) = 0;
    // The bytes, and behind them the part of the file; both are advanced as they go. A socket takes
    // the file from the system as it is, others get it through a small buffer. FileEnded where the
    // file is shorter: what there was has gone. Cancel class: did part: they say what is left.
    [[nodiscard]] virtual Future<void> send_file(ConstBytes& before, FileSlice& part);
    // Ends the sending side: the other one reads what was sent, then the end.
    [[nodiscard]] virtual Future<void> finish() = 0;

protected:
    ByteStream() noexcept = default;
    ByteStream(const ByteStream&) noexcept = default;
    ByteStream& operator=(const ByteStream&) noexcept = default;
};

}  // namespace gyre::net
