// SPDX-License-Identifier: Apache-2.0
// File: an open file. Move-only; it belongs to the loop where it was opened, and outlives the
// futures of its members. Where it is dropped open, it is closed at once; `aclose` does that
// without blocking the loop, and tells what the system says to it.
//
//     fs::File file = co_await fs::open("notes.txt", {.write = true, .create = true});
//     co_await file.write_all_at(bytes_of("hello"), 0);
//     co_await file.sync();
//     co_await file.aclose();
//
// On io_uring these are requests of the ring, but for set_mode, and truncate before Linux 6.9:
// those, and all of them elsewhere, are calls on a thread for files. The results are the same. Any
// number of them may be under way on one file.
//
// Cancel class of open, read_at, write_at, sync, truncate, stat and set_mode: did nothing, or did
// what they give. Of those that take several steps (read, write, write_all_at, the parts) it stands
// at each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "gyre/kernel/file_tree.hpp"
#include "gyre/kernel/io_ops.hpp"
#include "gyre/task/open_descriptor.hpp"

namespace gyre::fs {

using gyre::FileKind;
using gyre::FileStat;
using gyre::OpenOptions;

// One read or write at an offset: the awaiter is the op.
template <class Operation, class Buffer>
class [[nodiscard]] Transfer {
public:
    Transfer(Fd fd, Buffer buffer, std::uint64_t offset) noexcept
        : fd_(fd), buffer_(buffer), offset_(offset) {}
    [[nodiscard]] auto await_in(PromiseBase& promise) const noexcept {
        return Await(promise, "a file", fd_, buffer_, offset_);
    }

private:
    class Await final : public OpAwait<Operation> {
    public:
        using OpAwait<Operation>::OpAwait;
        std::size_t await_resume() {
            const Result<std::int32_t> moved = OpAwait<Operation>::await_resume();
            if (!moved) throw std::system_error(std::make_error_code(moved.error().code()));
            return static_cast<std::size_t>(*moved);
        }
    };

    Fd fd_;
    Buffer buffer_;
    std::uint64_t offset_;
};
using ReadAt = Transfer<ReadOp, Bytes>;
using WriteAt = Transfer<WriteOp, ConstBytes>;

class File {
public:
    File() noexcept = default;  // closed
    explicit File(OpenDescriptor descriptor) noexcept : descriptor_(std::move(descriptor)) {}

    [[nodiscard]] bool is_open() const noexcept { return descriptor_.is_open(); }
    [[nodiscard]] Fd fd() const noexcept { return descriptor_.fd(); }

    // How many bytes came, 0 at the end of the file.
    [[nodiscard]] ReadAt read_at(Bytes into, std::uint64_t offset) const noexcept {
        return {fd(), into, offset};
    }
    // How many bytes were written: not always all.
    [[nodiscard]] WriteAt write_at(ConstBytes from, std::uint64_t offset) const noexcept {
        return {fd(), from, offset};
    }
    // Until the buffer is full or the file ends: how many bytes came.
    [[nodiscard]] Future<std::size_t> read_all_at(Bytes into, std::uint64_t offset) const;
    [[nodiscard]] Future<void> write_all_at(ConstBytes from, std::uint64_t offset) const;

    // Into several buffers, or from several, in their order; how many bytes in all.
    [[nodiscard]] Future<std::size_t> read_parts_at(std::span<const Bytes> parts,
                                                    std::uint64_t offset) const;
    [[nodiscard]] Future<std::size_t> write_parts_at(std::span<const ConstBytes> parts,
                                                     std::uint64_t offset) const;

    // One after another, from a place that moves on with what was read or written.
    [[nodiscard]] Future<std::size_t> read(Bytes into);
    [[nodiscard]] Future<void> write(ConstBytes from);
    [[nodiscard]] std::uint64_t position() const noexcept { return position_; }
    void seek(std::uint64_t offset) noexcept { position_ = offset; }

    // When it is done, what was written is on the disk.
    [[nodiscard]] Future<void> sync() const;
    // Cuts it off, or fills it up with zeros.
    [[nodiscard]] Future<void> truncate(std::uint64_t size_bytes) const;
    [[nodiscard]] Future<FileStat> stat() const;
    [[nodiscard]] Future<void> set_mode(std::uint32_t mode) const;

    // Cancel class: did all. The file is closed also where it throws.
    [[nodiscard]] Future<void> aclose();

private:
    OpenDescriptor descriptor_;
    std::uint64_t position_ = 0;
};

// Throws a FileError that names the path.
[[nodiscard]] Future<File> open(std::string path, OpenOptions options = {});

}  // namespace gyre::fs
