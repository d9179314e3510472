// SPDX-License-Identifier: Apache-2.0
// File: an open file, read and written at offsets or sequentially. Move-only; owns its descriptor.
//
//     fs::File file = co_await fs::open("notes.txt", {.write = true, .create = true});
//     co_await file.write_all_at(bytes_of("hello"), 0);
//     co_await file.sync();
//     co_await file.aclose();
//
// Thread: the thread of the loop where it was opened. Several operations may be pending on a file.
// Lifetime: outlives the futures of its members. The destructor closes it, which may block;
// `aclose` closes without blocking the loop, and reports errors.
// Cancel: open, read_at, write_at, sync, truncate, stat and set_mode did nothing or did all. The
// operations of several steps (read, write, read_all_at, write_all_at, the parts) did part.
//
// With io_uring the operations are requests of the ring, except set_mode, and truncate before Linux
// 6.9. These, and all operations of other platforms, are calls on a file thread of the Offload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "gyre/base/result.hpp"
#include "gyre/io/file_ops.hpp"
#include "gyre/io/file_tree.hpp"
#include "gyre/task/core/detail/open_descriptor.hpp"

namespace gyre::fs {

using gyre::FileKind;
using gyre::FileStat;
using gyre::OpenOptions;

// An operation on a path failed: "open '/etc/none': No such file or directory".
class FileError : public std::system_error {
public:
    FileError(const char* verb, const std::string& path, Error error);
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

// A limit is exceeded: "read_file '/var/log/x': more than size_max_bytes = 65536". Its code is
// std::errc::value_too_large.
class LimitError : public std::system_error {
public:
    LimitError(const char* verb, const std::string& path, const char* limit, std::uint64_t value);
    [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

private:
    std::string text_;
};

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

    // Returns the number of bytes read; 0 at the end of the file.
    [[nodiscard]] ReadAt read_at(Bytes into, std::uint64_t offset) const noexcept {
        return {fd(), into, offset};
    }
    // Returns the number of bytes written, which may be less than all.
    [[nodiscard]] WriteAt write_at(ConstBytes from, std::uint64_t offset) const noexcept {
        return {fd(), from, offset};
    }
    // Reads until the buffer is full or the file ends; returns the number of bytes.
    [[nodiscard]] Future<std::size_t> read_all_at(Bytes into, std::uint64_t offset) const;
    [[nodiscard]] Future<void> write_all_at(ConstBytes from, std::uint64_t offset) const;

    // Scatter and gather; return the total number of bytes.
    [[nodiscard]] Future<std::size_t> read_parts_at(std::span<const Bytes> parts,
                                                    std::uint64_t offset) const;
    [[nodiscard]] Future<std::size_t> write_parts_at(std::span<const ConstBytes> parts,
                                                     std::uint64_t offset) const;

    // Sequential access: each advances the position.
    [[nodiscard]] Future<std::size_t> read(Bytes into);
    [[nodiscard]] Future<void> write(ConstBytes from);
    [[nodiscard]] std::uint64_t position() const noexcept { return position_; }
    void seek(std::uint64_t offset) noexcept { position_ = offset; }

    // fsync: written bytes are on the disk when it returns.
    [[nodiscard]] Future<void> sync() const;
    // Cuts the file, or extends it with zeros.
    [[nodiscard]] Future<void> truncate(std::uint64_t size_bytes) const;
    [[nodiscard]] Future<FileStat> stat() const;
    [[nodiscard]] Future<void> set_mode(std::uint32_t mode) const;

    // The file is closed even if this throws. Cancel class: did all.
    [[nodiscard]] Future<void> aclose();

private:
    OpenDescriptor descriptor_;
    std::uint64_t position_ = 0;
};

// Throws a FileError.
[[nodiscard]] Future<File> open(std::string path, OpenOptions options = {});

}  // namespace gyre::fs
