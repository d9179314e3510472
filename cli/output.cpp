// SPDX-License-Identifier: Apache-2.0
#include "cli/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace gyre::cli {

void prepare_standard_streams() {
    // A write to a pipe without a reader fails like any other write.
    static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
    // A closed output stays one that cannot be written; open gives the lowest free descriptor.
    constexpr std::array<int, 3> modes = {O_RDONLY, O_RDONLY, O_WRONLY};
    for (int fd = 0; fd < static_cast<int>(modes.size()); ++fd) {
        if (::fcntl(fd, F_GETFD) < 0) {
            static_cast<void>(::open("/dev/null", modes[static_cast<std::size_t>(fd)]));
        }
    }
}

std::optional<std::string> finish_output() {
    errno = 0;
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return std::nullopt;
    // The reason of an earlier failure is gone: another write fails with the same one.
    if (errno == 0) static_cast<void>(::write(STDOUT_FILENO, "\n", 1));
    return std::string("cannot write to standard output: ") + std::strerror(errno);
}

}  // namespace gyre::cli
