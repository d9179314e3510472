// SPDX-License-Identifier: Apache-2.0
// Writer: writes a ByteStream through a buffer of a fixed size, so that many small writes go out
// together. For one task at a time, on the loop's thread; the stream outlives it. What it has not
// flushed is lost with it.
//
//     net::Writer writer(stream);
//     co_await writer.write("HTTP/1.1 200 OK\r\n");
//     co_await writer.flush();
//
// It starts corked: bytes gather until a flush, or until the buffer is full. Uncorked, each write
// goes out by itself. A write waits while the other side is slow: nothing is held beyond the
// buffer.
//
// Cancel class of flush: did part; what is left stays in the buffer, and no byte goes out twice. Of
// write: did nothing, or has taken all of the data, for data that fits the buffer; did part for
// more.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "gyre/base/bytes.hpp"
#include "gyre/net/byte_stream.hpp"

namespace gyre::net {

struct WriterOptions {
    std::size_t buffer_bytes = std::size_t{16} * 1024;
    bool is_corked = true;
};

class Writer {
public:
    explicit Writer(ByteStream& to, WriterOptions options = {});

    [[nodiscard]] Future<void> write(ConstBytes data);
    [[nodiscard]] Future<void> write(std::string_view text) { return write(bytes_of(text)); }
    // Without waiting: false, and nothing taken, where the buffer has no room for all of it.
    [[nodiscard]] bool try_write(ConstBytes data) noexcept;
    // Everything is with the system when this ends.
    [[nodiscard]] Future<void> flush();

    void cork() noexcept { is_corked_ = true; }
    // Flushes what has gathered.
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
