// SPDX-License-Identifier: Apache-2.0
// What is in files: opening, reading, writing and copying.
#include <algorithm>
#include <cstddef>
#include <mutex>
#include <vector>

#include "lang/script/world/internal/fs_run.hpp"

namespace gyre::script {
namespace {

// More is an error: such a file is read in parts.
constexpr std::uint64_t read_bytes_max = std::uint64_t{2} << 30u;
constexpr std::size_t copy_bytes = std::size_t{1} << 18u;

OpenOptions options_of(unsigned flags, double mode) {
    return {.read = (flags & fs_read) != 0,
            .write = (flags & fs_write) != 0,
            .create = (flags & fs_create) != 0,
            .truncate = (flags & fs_truncate) != 0,
            .append = (flags & fs_append) != 0,
            .exclusive = (flags & fs_exclusive) != 0,
            .mode = static_cast<std::uint32_t>(mode)};
}

}  // namespace

std::shared_ptr<OpenFile> FsRun::open(unsigned flags, double mode) {
    const Links how = (flags & fs_no_link) != 0 ? Links::themselves : Links::followed;
    const Fd fd = fs_checked(calls_.open(call_.path, options_of(flags, mode), how));
    return std::make_shared<OpenFile>(tree_, fd, (flags & fs_append) != 0, (flags & fs_sync) != 0);
}

std::size_t FsRun::read_part(OpenFile& file, Bytes into, std::uint64_t offset) {
    const Result<std::size_t> count = tree_.read_at(file.fd, into, offset);
    if (!count && count.error().code() == std::errc::invalid_seek) {
        return fs_checked(calls_.read_next(file.fd, into));
    }
    return fs_checked(count);
}

std::size_t FsRun::write_all(OpenFile& file, ConstBytes from, std::uint64_t offset) {
    std::size_t done = 0;
    while (done < from.size()) {
        const ConstBytes rest = from.subspan(done);
        Result<std::size_t> count = tree_.write_at(file.fd, rest, offset + done);
        if (!count && count.error().code() == std::errc::invalid_seek) {
            count = calls_.write_next(file.fd, rest);
        }
        done += fs_checked(count);
    }
    if (file.syncs) fs_checked(calls_.sync(file.fd));
    return done;
}

// y: the offset; negative: the position of the file, which moves.
void FsRun::read() {
    OpenFile& from = file();
    if (call_.y >= 0) {
        call_.number = static_cast<std::int64_t>(
            read_part(from, call_.bytes, static_cast<std::uint64_t>(call_.y)));
        return;
    }
    const std::lock_guard lock(from.moving);
    const std::size_t count = read_part(from, call_.bytes, from.position);
    from.position += count;
    call_.number = static_cast<std::int64_t>(count);
}

void FsRun::write() {
    OpenFile& to = file();
    if (call_.y >= 0) {
        call_.number = static_cast<std::int64_t>(
            write_all(to, call_.bytes, static_cast<std::uint64_t>(call_.y)));
        return;
    }
    const std::lock_guard lock(to.moving);
    const std::size_t count = write_all(to, call_.bytes, to.position);
    to.position += count;
    call_.number = static_cast<std::int64_t>(count);
}

// x: COPYFILE_EXCL is 1.
void FsRun::copy() {
    const auto from = open(fs_read, 0);
    const FileDetails found = fs_checked(calls_.details_of_open(from->fd));
    if (is_folder(found.whole_mode)) throw FsFailed{Error(std::errc::is_a_directory)};
    OpenOptions how{.read = false, .write = true, .create = true};
    how.exclusive = (static_cast<unsigned>(call_.x) & 1u) != 0;
    how.mode = found.whole_mode & 07777u;
    const OpenFile to(tree_, fs_checked(calls_.open(call_.other, how)), false, false);
    const FileDetails old = fs_checked(calls_.details_of_open(to.fd));
    if (old.device == found.device && old.number == found.number) return;
    fs_checked(tree_.resize(to.fd, 0));
    std::vector<std::byte> block(copy_bytes);
    for (std::uint64_t at = 0;;) {
        const std::size_t count = fs_checked(tree_.read_at(from->fd, block, at));
        if (count == 0) break;
        for (std::size_t done = 0; done < count;) {
            done += fs_checked(
                tree_.write_at(to.fd, Bytes(block).subspan(done, count - done), at + done));
        }
        at += count;
    }
    fs_checked(tree_.set_mode(to.fd, how.mode));
}

// A file of /proc tells no size: it is read until its end. z: an open file, from its position on.
void FsRun::read_file() {
    std::shared_ptr<OpenFile> from = call_.file;
    if (from == nullptr) from = open(static_cast<unsigned>(call_.x) | fs_read, 0666);
    call_.text = "read";  // What fails from here on is no open.
    const FileDetails found = fs_checked(calls_.details_of_open(from->fd));
    if (is_folder(found.whole_mode)) throw FsFailed{Error(std::errc::is_a_directory)};
    if (found.size_bytes > read_bytes_max) throw FsFailed{Error(std::errc::file_too_large)};
    const std::lock_guard lock(from->moving);
    std::vector<std::byte>& into = call_.own;
    const std::uint64_t begin = from->position;
    into.resize(static_cast<std::size_t>(found.size_bytes - std::min(begin, found.size_bytes)) + 1);
    std::size_t size = 0;
    for (;;) {
        if (size == into.size()) into.resize(std::max<std::size_t>(2 * size, 4096));
        const std::size_t count = read_part(*from, Bytes(into).subspan(size), begin + size);
        if (count == 0) break;
        size += count;
        if (size > read_bytes_max) throw FsFailed{Error(std::errc::file_too_large)};
    }
    into.resize(size);
    from->position = begin + size;
    call_.number = static_cast<std::int64_t>(size);
}

void FsRun::write_file() {
    std::shared_ptr<OpenFile> to = call_.file;
    if (to == nullptr) to = open(static_cast<unsigned>(call_.x), call_.y);
    const std::lock_guard lock(to->moving);
    call_.text = "write";
    to->position += write_all(*to, call_.bytes, to->position);
}

}  // namespace gyre::script
