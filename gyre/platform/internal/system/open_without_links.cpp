// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/internal/system/open_without_links.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "gyre/base/log.hpp"
#include "gyre/platform/internal/system/system_call.hpp"

namespace gyre::platform {
namespace {

// O_NONBLOCK is for the open alone: a read of a regular file must not be refused for it.
Result<Fd> in_blocking_mode(int fd, int flags) {
    if (fd < 0) return last_error();
    if ((flags & O_NONBLOCK) != 0) ::fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
    return fd;
}

long openat2(const std::string& path, int flags) {
    open_how how{};
    how.flags = static_cast<std::uint64_t>(static_cast<unsigned>(flags | O_CLOEXEC | O_NOCTTY));
    how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    return without_interruption(
        [&] { return ::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof(how)); });
}

// Linux has it since 5.6; a sandbox may refuse calls that it does not know with EPERM.
bool is_openat2_allowed() {
    const long fd = openat2("/", O_PATH);
    const bool is_refused = fd < 0 && (errno == ENOSYS || errno == EPERM);
    if (fd >= 0) ::close(static_cast<int>(fd));
    if (is_refused) log(LogLevel::info, "openat2 is refused: files are opened part by part");
    return !is_refused;
}

}  // namespace

Result<Fd> open_part_by_part(const std::string& path, int flags) {
    Fd folder = AT_FDCWD;
    std::string_view rest = path;
    for (;;) {
        const std::size_t end = std::min(rest.find('/', 1), rest.size());
        // The first part of an absolute path is the root, and a part may begin with slashes.
        const std::string part(rest.substr(0, end));
        const bool is_root = part.starts_with('/') && folder == AT_FDCWD;
        const bool is_last = end == rest.size();
        const std::size_t begin = is_root ? 0 : std::min(part.find_first_not_of('/'), part.size());
        const std::string name = begin == part.size() ? "." : part.substr(begin);
        const int how = is_last ? flags : O_PATH | O_DIRECTORY;
        const Fd next = without_interruption([&] {
            return ::openat(folder, name.c_str(), how | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY);
        });
        const Result<Fd> opened = in_blocking_mode(next, is_last ? flags : 0);
        if (folder != AT_FDCWD) ::close(folder);
        if (!opened || is_last) return opened;
        folder = *opened;
        rest.remove_prefix(end);
    }
}

Result<Fd> open_without_links(const std::string& path, int flags) {
    static const bool has_openat2 = is_openat2_allowed();
    if (!has_openat2) return open_part_by_part(path, flags);
    return in_blocking_mode(static_cast<int>(openat2(path, flags)), flags);
}

}  // namespace gyre::platform
