// SPDX-License-Identifier: Apache-2.0
// ByteStream: the interface to an ordered, two-way stream of bytes. Readers, writers and protocols
// are written over it, so that a socket, a terminal or a TLS connection can stand behind them.
//
//     Future<void> echo(net::ByteStream& stream) {
//         std::array<std::byte, 4096> buffer;
//         while (const std::size_t size = co_await stream.read(buffer)) {
//             co_await stream.write(Bytes(buffer).first(size));
//         }
//     }
//
// Thread: the loop's thread; one task may read while another one writes.
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
    [[nodiscard]] Future<std::size_t> read(Bytes into) { return do_read(into); }
    // Writes all bytes; waits while the peer is slow. Cancel class: did part.
    [[nodiscard]] Future<void> write(ConstBytes from);
    // Writes all pieces, gathered into one call if possible. The views are advanced as bytes are
    // written. Cancel class: did part; the views show what is left.
    [[nodiscard]] Future<void> write_pieces(std::span<ConstBytes> pieces) {
        return do_write_pieces(pieces);
    }
    // Writes the bytes, then the slice of the file; both are advanced. A socket uses the system's
    // sendfile, other streams copy through a small buffer. Throws FileEnded, having written everything
    // up to the end of the file, if the file is shorter. Cancel class: did part; the arguments show
    // what is left.
    [[nodiscard]] Future<void> write_file(ConstBytes& before, FileSlice& part) {
        return do_write_file(before, part);
    }
    // Shuts down the writing side: the peer reads what was written, then the end of the stream.
    [[nodiscard]] Future<void> finish() { return do_finish(); }

    // The memory that the stream holds beside its own object, for the budget of a server.
    [[nodiscard]] virtual std::size_t held_bytes() const noexcept { return 0; }

protected:
    // What a stream implements, each with the contract of the function above that calls it. A class
    // may hide those functions with awaitables of its own that make no future.
    [[nodiscard]] virtual Future<std::size_t> do_read(Bytes into) = 0;
    [[nodiscard]] virtual Future<void> do_write_pieces(std::span<ConstBytes> pieces) = 0;
    [[nodiscard]] virtual Future<void> do_write_file(ConstBytes& before, FileSlice& part);
    [[nodiscard]] virtual Future<void> do_finish() = 0;

    ByteStream() noexcept = default;
    ByteStream(const ByteStream&) noexcept = default;
    ByteStream& operator=(const ByteStream&) noexcept = default;
};

}  // namespace gyre::net
