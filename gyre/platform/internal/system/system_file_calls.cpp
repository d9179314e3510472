// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/internal/system/system_file_calls.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>

#include "gyre/platform/internal/system/file_calls.hpp"
#include "gyre/platform/internal/system/file_kinds.hpp"
#include "gyre/platform/internal/system/path_call.hpp"
#include "gyre/platform/internal/system/system_call.hpp"

namespace gyre::platform {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

std::int64_t ns_of(const statx_timestamp& time) noexcept {
    return time.tv_sec * second_ns + time.tv_nsec;
}

timespec time_of(std::int64_t ns) noexcept {
    std::int64_t seconds = ns / second_ns;
    if (ns % second_ns < 0) --seconds;
    return {.tv_sec = seconds, .tv_nsec = ns - seconds * second_ns};
}

int follow_flag(Links links) noexcept {
    return links == Links::followed ? 0 : AT_SYMLINK_NOFOLLOW;
}

// statx, for the time of creation.
Result<FileDetails> details_at(int fd, const char* path, int flags) {
    struct statx from{};
    const int status = without_interruption(
        [&] { return ::statx(fd, path, flags, STATX_BASIC_STATS | STATX_BTIME, &from); });
    if (status < 0) return last_error();
    return FileDetails{.whole_mode = from.stx_mode,
                       .size_bytes = from.stx_size,
                       .link_count = from.stx_nlink,
                       .device = ::makedev(from.stx_dev_major, from.stx_dev_minor),
                       .number = from.stx_ino,
                       .owner = from.stx_uid,
                       .group = from.stx_gid,
                       .special_device = ::makedev(from.stx_rdev_major, from.stx_rdev_minor),
                       .block_bytes = from.stx_blksize,
                       .block_count = from.stx_blocks,
                       .accessed_ns = ns_of(from.stx_atime),
                       .modified_ns = ns_of(from.stx_mtime),
                       .changed_ns = ns_of(from.stx_ctime),
                       .created_ns = ns_of(from.stx_btime)};
}

Result<std::size_t> count_of(ssize_t count) {
    if (count < 0) return last_error();
    return static_cast<std::size_t>(count);
}

}  // namespace

Result<Fd> SystemFileCalls::open(const std::string& path, const OpenOptions& how, Links links) {
    if (!is_path(path)) return no_path();
    const int flags = open_flags_of(how) | (links == Links::followed ? 0 : O_NOFOLLOW);
    const Fd fd =
        without_interruption([&] { return ::open(path.c_str(), flags, how.mode & permissions); });
    if (fd < 0) return last_error();
    return fd;
}

Result<std::size_t> SystemFileCalls::read_next(Fd fd, Bytes into) {
    return count_of(without_interruption([&] { return ::read(fd, into.data(), into.size()); }));
}

Result<std::size_t> SystemFileCalls::write_next(Fd fd, ConstBytes from) {
    return count_of(without_interruption([&] { return ::write(fd, from.data(), from.size()); }));
}

Result<void> SystemFileCalls::sync(Fd fd) {
    return outcome_of([&] { return ::fsync(fd); });
}

Result<FileDetails> SystemFileCalls::details_of_open(Fd fd) {
    return details_at(fd, "", AT_EMPTY_PATH);
}

Result<void> SystemFileCalls::set_times_of_open(Fd fd, FileTimes times) {
    const std::array<timespec, 2> both = {time_of(times.accessed_ns), time_of(times.modified_ns)};
    return outcome_of([&] { return ::futimens(fd, both.data()); });
}

Result<void> SystemFileCalls::set_owner_of_open(Fd fd, FileOwner owner) {
    return outcome_of([&] { return ::fchown(fd, owner.owner, owner.group); });
}

Result<FileDetails> SystemFileCalls::details(const std::string& path, Links links) {
    if (!is_path(path)) return no_path();
    return details_at(AT_FDCWD, path.c_str(), follow_flag(links));
}

Result<void> SystemFileCalls::check_access(const std::string& path, unsigned mode) {
    if (!is_path(path)) return no_path();
    return outcome_of([&] { return ::access(path.c_str(), static_cast<int>(mode)); });
}

Result<void> SystemFileCalls::set_mode(const std::string& path, std::uint32_t mode) {
    if (!is_path(path)) return no_path();
    return outcome_of([&] { return ::chmod(path.c_str(), mode & permissions); });
}

Result<void> SystemFileCalls::set_owner(const std::string& path, FileOwner owner, Links links) {
    if (!is_path(path)) return no_path();
    return outcome_of([&] {
        return ::fchownat(AT_FDCWD, path.c_str(), owner.owner, owner.group, follow_flag(links));
    });
}

Result<void> SystemFileCalls::set_times(const std::string& path, FileTimes times, Links links) {
    if (!is_path(path)) return no_path();
    const std::array<timespec, 2> both = {time_of(times.accessed_ns), time_of(times.modified_ns)};
    return outcome_of(
        [&] { return ::utimensat(AT_FDCWD, path.c_str(), both.data(), follow_flag(links)); });
}

Result<void> SystemFileCalls::remove_file(const std::string& path) {
    if (!is_path(path)) return no_path();
    return outcome_of([&] { return ::unlink(path.c_str()); });
}

Result<void> SystemFileCalls::remove_folder(const std::string& path) {
    if (!is_path(path)) return no_path();
    return outcome_of([&] { return ::rmdir(path.c_str()); });
}

}  // namespace gyre::platform
