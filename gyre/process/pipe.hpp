// SPDX-License-Identifier: Apache-2.0
// The ends of the pipes to a child. Move-only; they belong to the loop where the child was started,
// and outlive the futures of their members. One that is dropped is closed. One read and one write
// at a time.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "gyre/base/bytes.hpp"
#include "gyre/task/open_descriptor.hpp"

namespace gyre::process {

// What a child writes.
class PipeReader {
public:
    PipeReader() noexcept = default;  // closed
    explicit PipeReader(OpenDescriptor descriptor) noexcept : descriptor_(std::move(descriptor)) {}
    [[nodiscard]] bool is_open() const noexcept { return descriptor_.is_open(); }

    // How many bytes came, at least one; 0 at the end, when nobody has the other end any more.
    // Cancel class: did nothing; no byte is lost.
    [[nodiscard]] Future<std::size_t> read(Bytes into) const;
    // All until the end. More than the limit is the Error `value_too_large`. Cancel class: what was
    // read so far is lost.
    [[nodiscard]] Future<std::string> read_all(std::size_t size_max_bytes) const;
    // From then on the child's writes fail. Cancel class: did all.
    [[nodiscard]] Future<void> aclose();

private:
    OpenDescriptor descriptor_;
};

// What a child reads.
class PipeWriter {
public:
    PipeWriter() noexcept = default;  // closed
    explicit PipeWriter(OpenDescriptor descriptor) noexcept : descriptor_(std::move(descriptor)) {}
    [[nodiscard]] bool is_open() const noexcept { return descriptor_.is_open(); }

    // Waits until the pipe has taken all. The Error `broken_pipe` where nobody reads any more.
    // Cancel class: a part of it may be written.
    [[nodiscard]] Future<void> write(ConstBytes from) const;
    // From then on the child reads the end. Cancel class: did all.
    [[nodiscard]] Future<void> aclose();

private:
    OpenDescriptor descriptor_;
};

}  // namespace gyre::process
