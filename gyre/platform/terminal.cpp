// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include "gyre/platform/internal/system/system_call.hpp"

namespace gyre::platform {

bool is_terminal(Fd fd) noexcept {
    return ::isatty(fd) == 1;
}

Result<TerminalSize> terminal_size(Fd fd) noexcept {
    winsize size{};
    if (::ioctl(fd, TIOCGWINSZ, &size) < 0) return last_error();
    return TerminalSize{size.ws_col, size.ws_row};
}

Result<RawMode> RawMode::enter(Fd fd) noexcept {
    termios before{};
    if (::tcgetattr(fd, &before) < 0) return last_error();
    termios raw = before;
    ::cfmakeraw(&raw);
    if (without_interruption([&] { return ::tcsetattr(fd, TCSANOW, &raw); }) < 0) {
        return last_error();
    }
    return RawMode(fd, before);
}

RawMode::~RawMode() {
    if (fd_ < 0) return;
    without_interruption([&] { return ::tcsetattr(fd_, TCSANOW, &before_); });
}

}  // namespace gyre::platform
