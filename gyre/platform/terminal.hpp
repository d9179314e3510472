// SPDX-License-Identifier: Apache-2.0
// What a terminal can do beside carrying bytes: its size, and raw mode, in which each key arrives
// as it is pressed. One thread at a time for each terminal.
#pragma once

#include <termios.h>

#include <utility>

#include "gyre/base/result.hpp"
#include "gyre/kernel/sockets.hpp"

namespace gyre::platform {

struct TerminalSize {
    int columns = 0;
    int rows = 0;
};

[[nodiscard]] bool is_terminal(Fd fd) noexcept;
// The error `inappropriate_io_control_operation` where it is no terminal.
[[nodiscard]] Result<TerminalSize> terminal_size(Fd fd) noexcept;

// Raw mode while it lives; then the terminal is as it was before.
class RawMode {
public:
    [[nodiscard]] static Result<RawMode> enter(Fd fd) noexcept;
    RawMode(RawMode&& other) noexcept : fd_(std::exchange(other.fd_, -1)), before_(other.before_) {}
    RawMode& operator=(RawMode&&) = delete;
    ~RawMode();

private:
    RawMode(Fd fd, const termios& before) noexcept : fd_(fd), before_(before) {}

    Fd fd_;
    termios before_;
};

}  // namespace gyre::platform
