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

#include "gyre/base/failure.hpp"
#include "gyre/base/result.hpp"
#include "gyre/io/file_ops.hpp"
#include "gyre/io/file_tree.hpp"
#include "gyre/task/core/detail/open_descriptor.hpp"

namespace gyre::fs {

using gyre::FileKind;
using gyre::FileStat;
using gyre::OpenOptions;

class File;

// An operation on a path or an open file failed: "open '/etc/none': No such file or directory",
// "write '/var/log/x' at 4096: No space left on device".
class FileError : public std::system_error {
public:
    FileError(const char* verb, const std::string& path, Error error);
    FileError(const char* verb, const std::string& path, std::uint64_t offset, Error error);
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

// For the text of an error: "open '/etc/none'".
[[nodiscard]] std::string doing(const char* verb, const std::string& path);

// One read or write at an offset: the awaiter is the op.
template <class Operation, class Buffer>
class [[nodiscard]] Transfer {
public:
    Transfer(const File& file, Buffer buffer, std::uint64_t offset) noexcept
        : file_(file), buffer_(buffer), offset_(offset) {}
    [[nodiscard]] auto await_in(PromiseBase& promise) const noexcept {
        return Await(promise, file_, buffer_, offset_);
    }

private:
    class Await final : public OpAwait<Operation> {
    public:
        Await(PromiseBase& promise, const File& file, Buffer data, std::uint64_t at) noexcept;
        std::size_t await_resume();

    private:
        const File& file_;
    };

    const File& file_;
    Buffer buffer_;
    std::uint64_t offset_;
};
using ReadAt = Transfer<ReadOp, Bytes>;
using WriteAt = Transfer<WriteOp, ConstBytes>;

class File {
public:
    File() noexcept = default;  // closed
    // The path is for the texts of errors.
    File(OpenDescriptor descriptor, std::string path) noexcept
        : descriptor_(std::move(descriptor)), path_(std::move(path)) {}

    [[nodiscard]] bool is_open() const noexcept { return descriptor_.is_open(); }
    [[nodiscard]] Fd fd() const noexcept { return descriptor_.fd(); }
    // The path that it was opened with.
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

    // Returns the number of bytes read; 0 at the end of the file.
    [[nodiscard]] ReadAt read_at(Bytes into, std::uint64_t offset) const noexcept {
        return {*this, into, offset};
    }
    // Returns the number of bytes written, which may be less than all.
    [[nodiscard]] WriteAt write_at(ConstBytes from, std::uint64_t offset) const noexcept {
        return {*this, from, offset};
    }
    // Reads until the buffer is full or the file ends; returns the number of bytes.
    [[nodiscard]] Future<std::size_t> read_all_at(Bytes into, std::uint64_t offset) const;
    [[nodiscard]] Future<void> write_all_at(ConstBytes from, std::uint64_t offset) const;

    // Scatter and gather; return the total number of bytes.
    [[nodiscard]] Future<std::size_t> read_pieces_at(std::span<const Bytes> parts,
                                                     std::uint64_t offset) const;
    [[nodiscard]] Future<std::size_t> write_pieces_at(std::span<const ConstBytes> parts,
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
    std::string path_;
    std::uint64_t position_ = 0;
};

template <class Operation, class Buffer>
Transfer<Operation, Buffer>::Await::Await(PromiseBase& promise, const File& file, Buffer data,
                                          std::uint64_t at) noexcept
    : OpAwait<Operation>(promise, "a file", file.fd(), data, at), file_(file) {}

template <class Operation, class Buffer>
std::size_t Transfer<Operation, Buffer>::Await::await_resume() {
    const Result<std::int32_t> moved = OpAwait<Operation>::await_resume();
    if (moved) [[likely]]
        return static_cast<std::size_t>(*moved);
    constexpr bool is_read = std::is_same_v<Operation, ReadOp>;
    throw FileError(is_read ? "read" : "write", file_.path(), this->offset, moved.error());
}

// Throws a FileError.
[[nodiscard]] Future<File> open(std::string path, OpenOptions options = {});

}  // namespace gyre::fs
