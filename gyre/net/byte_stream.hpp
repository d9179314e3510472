// SPDX-License-Identifier: Apache-2.0
// ByteStream: the interface to an ordered, two-way stream of bytes. Readers, writers and protocols
// are written over it, so that a socket, a terminal or a TLS connection can stand behind them.
//
//     Future<void> echo(net::ByteStream& stream) {
//         std::array<std::byte, 4096> buffer;
//         while (const std::size_t size = co_await stream.receive(buffer)) {
//             ConstBytes piece = Bytes(buffer).first(size);
//             co_await stream.send(std::span(&piece, 1));
//         }
//     }
//
// Thread: the loop's thread; one task may receive while another one sends.
// Lifetime: outlives the futures of its members, and so do the buffers given to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>

#include "gyre/base/bytes.hpp"
#include "gyre/base/failure.hpp"
#include "gyre/io/sockets.hpp"
#include "gyre/task/core/future.hpp"

namespace gyre::net {

// A part of a file that is open on the same platform. Does not own the descriptor.
struct FileSlice {
    Fd file = -1;
    std::uint64_t offset = 0;
    std::uint64_t size_bytes = 0;

    void advance(std::uint64_t size) noexcept {
        offset += size;
        size_bytes -= size;
    }
};

// A file is shorter than the slice of it that is to be sent. Its code is std::errc::io_error.
class FileEnded : public SystemFailure {
public:
    // "the file ended 12 bytes before the end of the slice to send".
    explicit FileEnded(std::uint64_t missing_bytes);
};

class ByteStream {
public:
    virtual ~ByteStream() = default;

    // At least one byte; 0 at the end of the stream. Cancel class: did nothing, no byte is taken.
    [[nodiscard]] virtual Future<std::size_t> receive(Bytes into) = 0;
    // Sends all pieces, gathered into one call if possible; waits while the peer is slow. The views
    // are advanced as bytes are sent. Cancel class: did part; the views show what is left.
    [[nodiscard]] virtual Future<void> send(std::span<ConstBytes> pieces) = 0;
    // Sends the bytes, then the slice of the file; both are advanced. A socket uses the system's
    // sendfile, other streams copy through a small buffer. Throws FileEnded, having sent everything
    // up to the end of the file, if the file is shorter. Cancel class: did part; the arguments show
    // what is left.
    [[nodiscard]] virtual Future<void> send_file(ConstBytes& before, FileSlice& part);
    // Shuts down the sending side: the peer reads what was sent, then the end of the stream.
    [[nodiscard]] virtual Future<void> finish() = 0;

protected:
    ByteStream() noexcept = default;
    ByteStream(const ByteStream&) noexcept = default;
    ByteStream& operator=(const ByteStream&) noexcept = default;
};

}  // namespace gyre::net
