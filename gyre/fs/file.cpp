// SPDX-License-Identifier: Apache-2.0
#include "gyre/fs/file.hpp"

#include "gyre/fs/internal/path_await.hpp"
#include "gyre/fs/internal/tree_call.hpp"
#include "gyre/io/file_ops.hpp"

namespace gyre::fs {
namespace {

Future<FileStat> ask_open(const char* verb, const File& file, OnPath asked) {
    const Result<FileStat> found = co_await std::move(asked);
    if (!found) throw FileError(verb, file.path(), found.error());
    co_return *found;
}

}  // namespace

FileError::FileError(const char* verb, const std::string& path, Error error)
    : std::system_error(std::make_error_code(error.code()), doing(verb, path)), path_(path) {}

FileError::FileError(const char* verb, const std::string& path, std::uint64_t offset, Error error)
    : std::system_error(std::make_error_code(error.code()),
                        doing(verb, path) + " at " + std::to_string(offset)),
      path_(path) {}

std::string doing(const char* verb, const std::string& path) {
    return std::string(verb) + " '" + path + "'";
}

Future<std::size_t> File::read_all_at(Bytes into, std::uint64_t offset) const {
    std::size_t done = 0;
    while (done < into.size()) {
        const std::size_t count = co_await read_at(into.subspan(done), offset + done);
        if (count == 0) break;
        done += count;
    }
    co_return done;
}

Future<void> File::write_all_at(ConstBytes from, std::uint64_t offset) const {
    while (!from.empty()) {
        const std::size_t count = co_await write_at(from, offset);
        from = from.subspan(count);
        offset += count;
    }
}

Future<std::size_t> File::read_pieces_at(std::span<const Bytes> parts, std::uint64_t offset) const {
    auto reading = perform<ReadPartsOp>("a file", fd(), parts_to_fill(parts), offset);
    const Result<std::int32_t> moved = co_await std::move(reading);
    if (!moved) throw FileError("read", path_, offset, moved.error());
    co_return static_cast<std::size_t>(*moved);
}

Future<std::size_t> File::write_pieces_at(std::span<const ConstBytes> parts,
                                          std::uint64_t offset) const {
    auto writing = perform<WritePartsOp>("a file", fd(), parts_to_write(parts), offset);
    const Result<std::int32_t> moved = co_await std::move(writing);
    if (!moved) throw FileError("write", path_, offset, moved.error());
    co_return static_cast<std::size_t>(*moved);
}

Future<std::size_t> File::read(Bytes into) {
    const std::size_t count = co_await read_at(into, position_);
    position_ += count;
    co_return count;
}

Future<void> File::write(ConstBytes from) {
    while (!from.empty()) {
        const std::size_t count = co_await write_at(from, position_);
        from = from.subspan(count);
        position_ += count;
    }
}

Future<void> File::sync() const {
    const Result<std::int32_t> synced = co_await perform<FsyncOp>("a disk", fd());
    if (!synced) throw FileError("sync", path_, synced.error());
}

Future<void> File::truncate(std::uint64_t size_bytes) const {
    OnPath resize(PathOp::Verb::resize, fd());
    resize.size_bytes = size_bytes;
    (void)co_await ask_open("truncate", *this, std::move(resize));
}

Future<FileStat> File::stat() const {
    return ask_open("stat", *this, OnPath(PathOp::Verb::stat_open, fd()));
}

Future<void> File::set_mode(std::uint32_t mode) const {
    const auto set = [file = fd(), mode](FileTree& tree, const std::string& /*path*/) {
        return tree.set_mode(file, mode);
    };
    const Result<void> done = co_await try_tree<void>(std::string(), set);
    if (!done) throw FileError("set_mode", path_, done.error());
}

Future<void> File::aclose() {
    const Result<void> closed = co_await descriptor_.aclose();
    if (!closed) throw FileError("close", path_, closed.error());
}

Future<File> open(std::string path, OpenOptions options) {
    const Task& self = co_await this_task();
    auto opening = perform<OpenOp>("a file", path, options);
    const Result<std::int32_t> fd = co_await std::move(opening);
    if (!fd) throw FileError("open", path, fd.error());
    co_return File(OpenDescriptor(platform_of(self), *fd), std::move(path));
}

}  // namespace gyre::fs
