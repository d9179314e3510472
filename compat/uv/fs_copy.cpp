// SPDX-License-Identifier: Apache-2.0
// From file to file: sendfile and copyfile.
#include <fcntl.h>
#include <linux/fs.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "compat/uv/internal/fs_calls.hpp"

namespace gyre::uv {
namespace {

// What the kernel does not copy between these two kinds of descriptors.
bool must_copy_by_hand(int error) noexcept {
    return error == EINVAL || error == EIO || error == ENOTSOCK || error == EXDEV ||
           error == ENOSYS || error == EOPNOTSUPP;
}

void wait_writable(int fd) noexcept {
    pollfd query{fd, POLLOUT, 0};
    (void)::poll(&query, 1, -1);
}

ssize_t write_all(int fd, const char* data, std::size_t size) noexcept {
    std::size_t written = 0;
    while (written < size) {
        const ssize_t count =
            without_interruption([&] { return ::write(fd, data + written, size - written); });
        if (count == -EAGAIN) {
            wait_writable(fd);
            continue;
        }
        if (count < 0) return written > 0 ? static_cast<ssize_t>(written) : count;
        written += static_cast<std::size_t>(count);
    }
    return static_cast<ssize_t>(written);
}

// From a place of `in`; from its own place where it has none, like a pipe.
ssize_t copy_by_hand(int out, int in, off_t offset, std::size_t size) noexcept {
    char part[16384];
    std::size_t copied = 0;
    bool has_places = true;
    while (copied < size) {
        const std::size_t wanted = std::min(size - copied, sizeof part);
        ssize_t count = has_places ? without_interruption([&] {
            return ::pread(in, part, wanted, offset + static_cast<off_t>(copied));
        })
                                   : without_interruption([&] { return ::read(in, part, wanted); });
        if (has_places && count == -ESPIPE) {
            has_places = false;
            continue;
        }
        if (count == 0) break;
        if (count < 0) return copied > 0 ? static_cast<ssize_t>(copied) : count;
        const ssize_t written = write_all(out, part, static_cast<std::size_t>(count));
        if (written < 0) return copied > 0 ? static_cast<ssize_t>(copied) : written;
        copied += static_cast<std::size_t>(written);
        if (written < count) break;
    }
    return static_cast<ssize_t>(copied);
}

// Copies all bytes, and nothing else.
ssize_t copy_bytes(int out, int in, off_t size) noexcept {
    off_t offset = 0;
    while (offset < size) {
        uv_fs_t part{};
        part.file = out;
        part.flags = in;
        part.off = offset;
        part.bufsml[0].len = static_cast<std::size_t>(size - offset);
        const ssize_t count = fs_sendfile(part);
        if (count < 0) return count;
        if (count == 0) break;
        offset += count;
    }
    return 0;
}

// 0, 1 when the bytes are still to be copied, or an error.
ssize_t share_bytes(int out, int in, int flags) noexcept {
    if ((flags & (UV_FS_COPYFILE_FICLONE | UV_FS_COPYFILE_FICLONE_FORCE)) == 0) return 1;
    if (::ioctl(out, FICLONE, in) == 0) return 0;
    return (flags & UV_FS_COPYFILE_FICLONE_FORCE) != 0 ? -errno : 1;
}

// 1 when both are the same file, for which nothing is to be done.
ssize_t prepare_target(int out, const struct stat& source, int flags) noexcept {
    if ((flags & UV_FS_COPYFILE_EXCL) == 0) {
        struct stat target{};
        if (::fstat(out, &target) != 0) return -errno;
        if (target.st_dev == source.st_dev && target.st_ino == source.st_ino) return 1;
        if (::ftruncate(out, 0) != 0 && target.st_size > 0) return -errno;
    }
    const timespec times[2] = {source.st_atim, source.st_mtim};
    if (::futimens(out, times) != 0) return -errno;
    // Who may not give a file away keeps it.
    if (::fchown(out, source.st_uid, source.st_gid) != 0) errno = 0;
    return ::fchmod(out, source.st_mode) == 0 ? 0 : -errno;
}

ssize_t copy_opened(int out, int in, const struct stat& source, int flags) noexcept {
    const ssize_t prepared = prepare_target(out, source, flags);
    if (prepared != 0) return prepared < 0 ? prepared : 0;
    const ssize_t shared = share_bytes(out, in, flags);
    return shared == 1 ? copy_bytes(out, in, source.st_size) : shared;
}

}  // namespace

// The source is in `flags`, the size in the first small buffer.
ssize_t fs_sendfile(uv_fs_t& request) noexcept {
    const int out = request.file;
    const int in = request.flags;
    const std::size_t size = request.bufsml[0].len;
    off_t offset = request.off;
    const ssize_t count = without_interruption([&] { return ::sendfile(out, in, &offset, size); });
    if (count > 0 || (count == 0 && offset > request.off)) {
        request.off = offset;
        return count;
    }
    if (count == 0 || count == -EAGAIN || !must_copy_by_hand(static_cast<int>(-count))) {
        return count;
    }
    const ssize_t copied = copy_by_hand(out, in, request.off, size);
    if (copied > 0) request.off += copied;
    return copied;
}

ssize_t fs_copyfile(uv_fs_t& request) noexcept {
    const ssize_t in =
        without_interruption([&] { return ::open(request.path, O_RDONLY | O_CLOEXEC); });
    if (in < 0) return in;
    const int in_fd = static_cast<int>(in);
    struct stat source{};
    if (::fstat(in_fd, &source) != 0) {
        const int error = errno;
        ::close(in_fd);
        return -error;
    }
    const int exclusive = (request.flags & UV_FS_COPYFILE_EXCL) != 0 ? O_EXCL : 0;
    const ssize_t out = without_interruption([&] {
        return ::open(request.new_path, O_WRONLY | O_CREAT | O_CLOEXEC | exclusive, source.st_mode);
    });
    if (out < 0) {
        ::close(in_fd);
        return out;
    }
    const int out_fd = static_cast<int>(out);
    ssize_t result = copy_opened(out_fd, in_fd, source, request.flags);
    ::close(in_fd);
    if (::close(out_fd) != 0 && result == 0) result = -errno;
    // Half a copy is none.
    if (result < 0) ::unlink(request.new_path);
    return result;
}

}  // namespace gyre::uv
