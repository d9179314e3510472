// SPDX-License-Identifier: Apache-2.0
// Reader: reads a ByteStream through a buffer of a fixed size. For one task at a time, on the
// loop's thread; the stream outlives it. What it has read ahead is lost with it.
//
//     net::Reader reader(stream);
//     while (const auto line = co_await reader.read_line()) answer(*line);
//
// A view that it gives is good until the next call. Cancel class of everything here, but for what
// is said at read_exactly: did nothing; what has come stays in the buffer for the next call.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "gyre/base/bytes.hpp"
#include "gyre/net/byte_stream.hpp"

namespace gyre::net {

struct ReaderOptions {
    // What it holds at most: a limit for read_until and peek too.
    std::size_t buffer_bytes = std::size_t{16} * 1024;
    // Of a line, its end not counted; smaller than the buffer by two at least.
    std::size_t line_size_max = std::size_t{8} * 1024;
};

class Reader {
public:
    explicit Reader(ByteStream& from, ReaderOptions options = {});

    // What there is, at least one byte; 0 at the end.
    [[nodiscard]] Future<std::size_t> read_some(Bytes into);

    // Fills all of it, or throws StreamEnded. What is larger than the buffer is read straight into
    // `into`: its cancel class is did part. Where that matters, give it a view to advance.
    [[nodiscard]] Future<void> read_exactly(Bytes into);
    [[nodiscard]] Future<void> read_rest(Bytes& rest);

    // All up to the mark and the mark itself; nothing where the stream ended before anything came.
    // StreamEnded where it ended later, LimitError where the buffer is full without a mark.
    [[nodiscard]] Future<std::optional<ConstBytes>> read_until(std::string_view mark);

    // A line without its end ("\n" or "\r\n"); nothing at the end of the stream. A last line may
    // lack its end. LimitError where it is longer than line_size_max.
    [[nodiscard]] Future<std::optional<std::string_view>> read_line();

    // For protocols: at least so many bytes in the buffer, without taking them; fewer where the
    // stream ended. LimitError where the buffer is smaller.
    [[nodiscard]] Future<ConstBytes> peek(std::size_t size_min = 1);
    void consume(std::size_t size) noexcept;
    [[nodiscard]] ConstBytes buffered() const noexcept {
        return {buffer_.get() + begin_, end_ - begin_};
    }

private:
    // More bytes behind those that are there; false at the end. The buffer must not be full.
    [[nodiscard]] Future<bool> fill();
    [[nodiscard]] bool is_full() const noexcept { return end_ - begin_ == options_.buffer_bytes; }

    ByteStream& from_;
    const ReaderOptions options_;
    const std::unique_ptr<std::byte[]> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

}  // namespace gyre::net
