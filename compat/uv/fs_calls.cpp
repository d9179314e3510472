// SPDX-License-Identifier: Apache-2.0
#include "compat/uv/internal/fs_calls.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

#include "compat/uv/internal/memory.hpp"

namespace gyre::uv {
namespace {

ssize_t fs_open(uv_fs_t& request) noexcept {
    return without_interruption(
        [&] { return ::open(request.path, request.flags | O_CLOEXEC, request.mode); });
}

// A close that a signal interrupts has closed.
ssize_t fs_close(uv_fs_t& request) noexcept {
    if (::close(request.file) == 0 || errno == EINTR || errno == EINPROGRESS) return 0;
    return -errno;
}

const iovec* pieces_of(const uv_fs_t& request) noexcept {
    return reinterpret_cast<const iovec*>(request.bufs);
}

int piece_count_of(const uv_fs_t& request) noexcept {
    return static_cast<int>(request.nbufs > IOV_MAX ? IOV_MAX : request.nbufs);
}

// Not repeated when interrupted: a read of a terminal may be what the signal is to end.
ssize_t fs_read(uv_fs_t& request) noexcept {
    const iovec* pieces = pieces_of(request);
    const int count = piece_count_of(request);
    const ssize_t result = request.off < 0 ? ::readv(request.file, pieces, count)
                                           : ::preadv(request.file, pieces, count, request.off);
    return result < 0 ? -errno : result;
}

ssize_t write_once(uv_fs_t& request) noexcept {
    const iovec* pieces = pieces_of(request);
    const int count = piece_count_of(request);
    return without_interruption([&] {
        return request.off < 0 ? ::writev(request.file, pieces, count)
                               : ::pwritev(request.file, pieces, count, request.off);
    });
}

// All of it, in as many calls as the system needs.
ssize_t fs_write(uv_fs_t& request) noexcept {
    ssize_t total = 0;
    uv_buf_t* const first = request.bufs;
    while (request.nbufs > 0) {
        const ssize_t count = write_once(request);
        if (count < 0 && total == 0) total = count;
        if (count <= 0) break;
        total += count;
        if (request.off >= 0) request.off += count;
        auto left = static_cast<std::size_t>(count);
        while (request.nbufs > 0 && left >= request.bufs->len) {
            left -= request.bufs->len;
            ++request.bufs;
            --request.nbufs;
        }
        if (request.nbufs > 0) {
            request.bufs->base += left;
            request.bufs->len -= left;
        }
    }
    request.bufs = first;
    return total;
}

uv_timespec_t time_of(const statx_timestamp& time) noexcept {
    return {static_cast<long>(time.tv_sec), static_cast<long>(time.tv_nsec)};
}

ssize_t stat_at(uv_fs_t& request, int folder, const char* path, int flags) noexcept {
    struct statx found{};
    const ssize_t result = without_interruption(
        [&] { return ::statx(folder, path, flags, STATX_BASIC_STATS | STATX_BTIME, &found); });
    if (result < 0) return result;
    uv_stat_t& to = request.statbuf;
    to.st_dev = ::makedev(found.stx_dev_major, found.stx_dev_minor);
    to.st_mode = found.stx_mode;
    to.st_nlink = found.stx_nlink;
    to.st_uid = found.stx_uid;
    to.st_gid = found.stx_gid;
    to.st_rdev = ::makedev(found.stx_rdev_major, found.stx_rdev_minor);
    to.st_ino = found.stx_ino;
    to.st_size = found.stx_size;
    to.st_blksize = found.stx_blksize;
    to.st_blocks = found.stx_blocks;
    to.st_flags = 0;
    to.st_gen = 0;
    to.st_atim = time_of(found.stx_atime);
    to.st_mtim = time_of(found.stx_mtime);
    to.st_ctim = time_of(found.stx_ctime);
    to.st_birthtim = time_of(found.stx_btime);
    request.ptr = &request.statbuf;
    return 0;
}

ssize_t fs_stat(uv_fs_t& request) noexcept {
    return stat_at(request, AT_FDCWD, request.path, 0);
}

ssize_t fs_lstat(uv_fs_t& request) noexcept {
    return stat_at(request, AT_FDCWD, request.path, AT_SYMLINK_NOFOLLOW);
}

ssize_t fs_fstat(uv_fs_t& request) noexcept {
    return stat_at(request, request.file, "", AT_EMPTY_PATH);
}

ssize_t fs_ftruncate(uv_fs_t& request) noexcept {
    return without_interruption([&] { return ::ftruncate(request.file, request.off); });
}

// The infinite and the undefined number mean "now" and "as it is".
timespec time_of(double seconds) noexcept {
    if (std::isinf(seconds)) return {0, UTIME_NOW};
    if (std::isnan(seconds)) return {0, UTIME_OMIT};
    const double whole = std::floor(seconds);
    timespec time{};
    time.tv_sec = static_cast<time_t>(whole);
    // In microseconds, as the interface has them.
    time.tv_nsec = static_cast<long>((seconds - whole) * 1e6) * 1000;
    return time;
}

ssize_t set_times(uv_fs_t& request, int flags) noexcept {
    const timespec times[2] = {time_of(request.atime), time_of(request.mtime)};
    return without_interruption([&] { return ::utimensat(AT_FDCWD, request.path, times, flags); });
}

ssize_t fs_utime(uv_fs_t& request) noexcept {
    return set_times(request, 0);
}

ssize_t fs_lutime(uv_fs_t& request) noexcept {
    return set_times(request, AT_SYMLINK_NOFOLLOW);
}

ssize_t fs_futime(uv_fs_t& request) noexcept {
    const timespec times[2] = {time_of(request.atime), time_of(request.mtime)};
    return without_interruption([&] { return ::futimens(request.file, times); });
}

ssize_t fs_access(uv_fs_t& request) noexcept {
    return without_interruption([&] { return ::access(request.path, request.flags); });
}

ssize_t fs_chmod(uv_fs_t& request) noexcept {
    return without_interruption([&] { return ::chmod(request.path, request.mode); });
}

ssize_t fs_fchmod(uv_fs_t& request) noexcept {
    return without_interruption([&] { return ::fchmod(request.file, request.mode); });
}

ssize_t fs_fsync(uv_fs_t& request) noexcept {
    return without_interruption([&] { return ::fsync(request.file); });
}

ssize_t fs_fdatasync(uv_fs_t& request) noexcept {
    return without_interruption([&] { return ::fdatasync(request.file); });
}

ssize_t fs_unlink(uv_fs_t& request) noexcept {
    return without_interruption([&] { return ::unlink(request.path); });
}

ssize_t fs_rmdir(uv_fs_t& request) noexcept {
    return without_interruption([&] { return ::rmdir(request.path); });
}

ssize_t fs_mkdir(uv_fs_t& request) noexcept {
    return without_interruption([&] { return ::mkdir(request.path, request.mode); });
}

ssize_t fs_mkdtemp(uv_fs_t& request) noexcept {
    return ::mkdtemp(const_cast<char*>(request.path)) == nullptr ? -errno : 0;
}

// The path of one that cannot be made is empty.
ssize_t fs_mkstemp(uv_fs_t& request) noexcept {
    auto* path = const_cast<char*>(request.path);
    const ssize_t result = without_interruption([&] { return ::mkostemp(path, O_CLOEXEC); });
    if (result < 0) path[0] = '\0';
    return result;
}

ssize_t fs_rename(uv_fs_t& request) noexcept {
    return without_interruption([&] { return ::rename(request.path, request.new_path); });
}

ssize_t fs_link(uv_fs_t& request) noexcept {
    return without_interruption([&] { return ::link(request.path, request.new_path); });
}

ssize_t fs_symlink(uv_fs_t& request) noexcept {
    return without_interruption([&] { return ::symlink(request.path, request.new_path); });
}

ssize_t fs_readlink(uv_fs_t& request) noexcept {
    std::string text(256, '\0');
    for (;;) {
        const ssize_t length = ::readlink(request.path, text.data(), text.size());
        if (length < 0) return -errno;
        if (static_cast<std::size_t>(length) < text.size()) {
            text.resize(static_cast<std::size_t>(length));
            break;
        }
        text.resize(text.size() * 2);
    }
    request.ptr = copy_text(text);
    return request.ptr == nullptr ? UV_ENOMEM : 0;
}

ssize_t fs_realpath(uv_fs_t& request) noexcept {
    char* path = ::realpath(request.path, nullptr);
    if (path == nullptr) return -errno;
    request.ptr = copy_text(path);
    std::free(path);
    return request.ptr == nullptr ? UV_ENOMEM : 0;
}

ssize_t fs_chown(uv_fs_t& request) noexcept {
    return without_interruption([&] { return ::chown(request.path, request.uid, request.gid); });
}

ssize_t fs_fchown(uv_fs_t& request) noexcept {
    return without_interruption([&] { return ::fchown(request.file, request.uid, request.gid); });
}

ssize_t fs_lchown(uv_fs_t& request) noexcept {
    return without_interruption([&] { return ::lchown(request.path, request.uid, request.gid); });
}

ssize_t fs_statfs(uv_fs_t& request) noexcept {
    struct statfs found{};
    const ssize_t result = without_interruption([&] { return ::statfs(request.path, &found); });
    if (result < 0) return result;
    auto* to = static_cast<uv_statfs_t*>(allocate(sizeof(uv_statfs_t)));
    if (to == nullptr) return UV_ENOMEM;
    // The member behind f_ffree is f_frsize since 1.49, and was unused before.
    std::memset(to, 0, sizeof *to);
    to->f_type = static_cast<std::uint64_t>(found.f_type);
    to->f_bsize = static_cast<std::uint64_t>(found.f_bsize);
    to->f_blocks = found.f_blocks;
    to->f_bfree = found.f_bfree;
    to->f_bavail = found.f_bavail;
    to->f_files = found.f_files;
    to->f_ffree = found.f_ffree;
    const auto fragment = static_cast<std::uint64_t>(found.f_frsize);
    std::memcpy(&to->f_ffree + 1, &fragment, sizeof fragment);
    request.ptr = to;
    return 0;
}

struct Row {
    uv_fs_type type;
    FsCall call;
};
constexpr Row rows[] = {
    {UV_FS_OPEN, fs_open},           {UV_FS_CLOSE, fs_close},       {UV_FS_READ, fs_read},
    {UV_FS_WRITE, fs_write},         {UV_FS_SENDFILE, fs_sendfile}, {UV_FS_STAT, fs_stat},
    {UV_FS_LSTAT, fs_lstat},         {UV_FS_FSTAT, fs_fstat},       {UV_FS_FTRUNCATE, fs_ftruncate},
    {UV_FS_UTIME, fs_utime},         {UV_FS_FUTIME, fs_futime},     {UV_FS_ACCESS, fs_access},
    {UV_FS_CHMOD, fs_chmod},         {UV_FS_FCHMOD, fs_fchmod},     {UV_FS_FSYNC, fs_fsync},
    {UV_FS_FDATASYNC, fs_fdatasync}, {UV_FS_UNLINK, fs_unlink},     {UV_FS_RMDIR, fs_rmdir},
    {UV_FS_MKDIR, fs_mkdir},         {UV_FS_MKDTEMP, fs_mkdtemp},   {UV_FS_RENAME, fs_rename},
    {UV_FS_SCANDIR, fs_scandir},     {UV_FS_LINK, fs_link},         {UV_FS_SYMLINK, fs_symlink},
    {UV_FS_READLINK, fs_readlink},   {UV_FS_CHOWN, fs_chown},       {UV_FS_FCHOWN, fs_fchown},
    {UV_FS_REALPATH, fs_realpath},   {UV_FS_COPYFILE, fs_copyfile}, {UV_FS_LCHOWN, fs_lchown},
    {UV_FS_OPENDIR, fs_opendir},     {UV_FS_READDIR, fs_readdir},   {UV_FS_CLOSEDIR, fs_closedir},
    {UV_FS_STATFS, fs_statfs},       {UV_FS_MKSTEMP, fs_mkstemp},   {UV_FS_LUTIME, fs_lutime},
};

}  // namespace

FsCall fs_call_of(uv_fs_type type) noexcept {
    for (const Row& row : rows) {
        if (row.type == type) return row.call;
    }
    return nullptr;
}

}  // namespace gyre::uv
