// SPDX-License-Identifier: Apache-2.0
// Reader, Writer: buffered reading and writing of a ByteStream, each through a buffer of fixed
// size.
//
//     net::Reader reader(stream);
//     net::Writer writer(stream);
//     while (const auto line = co_await reader.read_line()) {
//         co_await writer.write(*line);
//         co_await writer.write("\n");
//     }
//     co_await writer.flush();
//
// Thread: the loop's thread; one task at a time reads, one writes.
// Lifetime: the stream outlives both. Bytes read ahead, and bytes not flushed, are lost with their
// object. A view that a Reader returns is valid until its next call.
// Cancel: each member names its cancel class; no byte is lost or sent twice.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "gyre/base/bytes.hpp"
#include "gyre/base/failure.hpp"
#include "gyre/net/byte_stream.hpp"

namespace gyre::net {

// The stream ended in the middle of an item. Its code is std::errc::connection_aborted.
class StreamEnded : public SystemFailure {
public:
    // "the stream ended inside of a line, after 3 bytes".
    StreamEnded(const std::string& inside_of, std::size_t size_bytes);
};

struct ReaderOptions {
    // The capacity of the buffer, and so the limit of read_until and peek. Input that exceeds a
    // limit is a LimitError; nothing is consumed, the bytes are still in the buffer.
    std::size_t buffer_bytes = std::size_t{16} * 1024;
    // The limit of a line without its terminator; at most buffer_bytes - 2.
    std::size_t line_size_max = std::size_t{8} * 1024;
};

// Cancel class of every member except read_exactly and read_rest: did nothing; received bytes stay
// in the buffer for the next call.
class Reader {
public:
    explicit Reader(ByteStream& from, ReaderOptions options = {});

    // At least one byte; 0 at the end of the stream.
    [[nodiscard]] Future<std::size_t> read(Bytes into);

    // Fills `into` completely, or throws StreamEnded. If `into` is larger than the buffer, bytes
    // are received directly into it and the cancel class is did part: use read_rest, which advances
    // the view, to see how far it got.
    [[nodiscard]] Future<void> read_exactly(Bytes into);
    [[nodiscard]] Future<void> read_rest(Bytes& rest);

    // All bytes up to and including the delimiter; nullopt if the stream ended before the first
    // byte. Throws StreamEnded if it ended later, LimitError if the buffer is full.
    [[nodiscard]] Future<std::optional<ConstBytes>> read_until(std::string_view delimiter);

    // A line without its terminator ("\n" or "\r\n"); nullopt at the end of the stream. The last
    // line may lack a terminator. Throws LimitError for a line longer than line_size_max.
    [[nodiscard]] Future<std::optional<std::string_view>> read_line();

    // For protocol parsers: waits until at least size_min bytes are buffered and returns the buffer
    // without consuming it; fewer bytes if the stream ended. Throws LimitError if size_min exceeds
    // the buffer.
    [[nodiscard]] Future<ConstBytes> peek(std::size_t size_min = 1);
    void consume(std::size_t size) noexcept;
    [[nodiscard]] ConstBytes buffered() const noexcept {
        return {buffer_.get() + begin_, end_ - begin_};
    }

private:
    // Receives more bytes behind the buffered ones; false at the end of the stream.
    [[nodiscard]] Future<bool> fill();
    // Moves the buffered bytes to the front, so that the free space behind them is largest.
    void compact() noexcept;
    [[nodiscard]] bool is_full() const noexcept { return end_ - begin_ == options_.buffer_bytes; }

    ByteStream& from_;
    const ReaderOptions options_;
    const std::unique_ptr<std::byte[]> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

struct WriterOptions {
    std::size_t buffer_bytes = std::size_t{16} * 1024;
    bool is_corked = true;
};

// Starts corked: bytes gather until a flush, or until the buffer is full. Uncorked, each write is
// sent by itself. A write waits while the peer is slow: nothing is held beyond the buffer.
class Writer {
public:
    explicit Writer(ByteStream& to, WriterOptions options = {});

    // Cancel class: did nothing, or took all of the data, if the data fits the buffer; else did
    // part.
    [[nodiscard]] Future<void> write(ConstBytes data);
    [[nodiscard]] Future<void> write(std::string_view text) { return write(bytes_of(text)); }
    // Never waits: returns false, and takes nothing, if the data does not fit the free buffer.
    [[nodiscard]] bool try_write(ConstBytes data) noexcept;
    // Returns when the system has taken every buffered byte. Cancel class: did part; unsent bytes
    // stay in the buffer.
    [[nodiscard]] Future<void> flush();

    void cork() noexcept { is_corked_ = true; }
    // Flushes.
    [[nodiscard]] Future<void> uncork();
    [[nodiscard]] bool is_corked() const noexcept { return is_corked_; }

    [[nodiscard]] std::size_t buffered_size() const noexcept { return end_ - begin_; }

private:
    ByteStream& to_;
    const std::size_t size_max_;
    const std::unique_ptr<std::byte[]> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    bool is_corked_;
};

}  // namespace gyre::net
