// SPDX-License-Identifier: Apache-2.0
// Standard input, output and error, and other descriptors that somebody else owns: pipes, terminals
// and files, read and written from where they stand. A StandardStream is a plain value; it closes
// nothing, and leaves the descriptor's mode as it is, which other processes may share. It belongs
// to the loop's thread; one task may read while another one writes.
//
//     net::StandardStream input = net::standard_input();
//     net::Reader reader(input);
//     while (const auto line = co_await reader.read_line()) ...
//
// A file and /dev/null are as good as a terminal. What the terminal itself can do, raw mode for
// instance, is in gyre/platform/terminal.hpp. The simulation has no standard streams: the error
// `bad_file_descriptor`.
#pragma once

#include <cstddef>
#include <span>

#include "gyre/net/byte_stream.hpp"
#include "gyre/net/transfers.hpp"

namespace gyre::net {

class StandardStream final : public ByteStream {
public:
    explicit StandardStream(Fd fd) noexcept : fd_(fd) {}

    // At least one byte; 0 at the end. Cancel class: did nothing.
    [[nodiscard]] ReadSome read_some(Bytes into) const noexcept { return {fd_, into}; }
    // Cancel class: did part; `rest` says what is left.
    [[nodiscard]] WriteAll write_all(ConstBytes from) const noexcept {
        return {fd_, from, nullptr};
    }
    [[nodiscard]] WriteAll write_rest(ConstBytes& rest) const noexcept {
        return {fd_, rest, &rest};
    }
    [[nodiscard]] Fd fd() const noexcept { return fd_; }

    // As a ByteStream. It is not its own to end: `finish` does nothing.
    [[nodiscard]] Future<std::size_t> receive(Bytes into) override { return read_some(into); }
    [[nodiscard]] Future<void> send(std::span<ConstBytes> pieces) override;
    [[nodiscard]] Future<void> finish() override;

private:
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
