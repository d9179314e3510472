// SPDX-License-Identifier: Apache-2.0
#include "cli/output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace gyre::cli {
namespace {

std::string failure_text(int error) {
    return std::string("cannot write to standard output: ") + std::strerror(error);
}

}  // namespace

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
    return errno == 0 ? output_failure() : failure_text(errno);
}

std::string output_failure() {
    const ssize_t size = ::write(STDOUT_FILENO, "\n", 1);
    return size < 0 ? failure_text(errno) : "a line could not be written to standard output";
}

void print_error_line(const std::string& line) noexcept {
    pollfd wanted{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
    if (::poll(&wanted, 1, 0) == 0) return;
    const ssize_t size = ::write(STDERR_FILENO, line.data(), line.size());
    static_cast<void>(size);  // Nobody is left to be told of a failure.
}

}  // namespace gyre::cli
