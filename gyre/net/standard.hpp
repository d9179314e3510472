// SPDX-License-Identifier: Apache-2.0
// StandardStream: a ByteStream over a descriptor that somebody else owns: standard input, output
// and error, pipes, terminals, files. It never closes the descriptor nor changes its mode, which
// other processes may share.
//
//     net::StandardStream input = net::standard_input();
//     net::Reader reader(input);
//     while (const auto line = co_await reader.read_line()) std::puts(std::string(*line).c_str());
//
// Thread: the loop's thread; one task may read while another one writes.
// Lifetime: a plain value; the descriptor stays open while it is used.
//
// Terminal modes are in gyre/platform/terminal.hpp. The simulation has no standard streams: the
// error is `bad_file_descriptor`.
#pragma once

#include <cstddef>
#include <span>

#include "gyre/net/byte_stream.hpp"
#include "gyre/net/detail/socket.hpp"

namespace gyre::net {

class StandardStream final : public ByteStream {
public:
    explicit StandardStream(Fd fd) noexcept : fd_(fd) {}

    // At least one byte; 0 at the end. Cancel class: did nothing.
    [[nodiscard]] ReadSome read(Bytes into) const noexcept { return {fd_, into}; }
    // Cancel class: did part; write_rest advances its view, which then shows what is left.
    [[nodiscard]] WriteAll write(ConstBytes from) const noexcept { return {fd_, from, nullptr}; }
    [[nodiscard]] WriteAll write_rest(ConstBytes& rest) const noexcept {
        return {fd_, rest, &rest};
    }
    [[nodiscard]] Fd fd() const noexcept { return fd_; }

private:
    [[nodiscard]] Future<std::size_t> do_read(Bytes into) override { return read(into); }
    [[nodiscard]] Future<void> do_write_pieces(std::span<ConstBytes> pieces) override;
    // Does nothing: the descriptor belongs to somebody else.
    [[nodiscard]] Future<void> do_finish() override;

    Fd fd_;
};

[[nodiscard]] inline StandardStream standard_input() noexcept {
    return StandardStream(0);
}
[[nodiscard]] inline StandardStream standard_output() noexcept {
    return StandardStream(1);
}
[[nodiscard]] inline StandardStream standard_error() noexcept {
    return StandardStream(2);
}

}  // namespace gyre::net
