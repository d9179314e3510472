// SPDX-License-Identifier: Apache-2.0
// Terminal size and raw mode, in which each key is delivered when it is pressed.
//
//     const auto size = platform::terminal_size(0);
//
// Thread: one at a time for each terminal.
// Lifetime: raw mode ends with the object that set it.
#pragma once

#include <termios.h>

#include <utility>

#include "gyre/base/result.hpp"
#include "gyre/io/sockets.hpp"

namespace gyre::platform {

struct TerminalSize {
    int columns = 0;
    int rows = 0;
};

[[nodiscard]] bool is_terminal(Fd fd) noexcept;
// The error `inappropriate_io_control_operation` if the descriptor is not a terminal.
[[nodiscard]] Result<TerminalSize> terminal_size(Fd fd) noexcept;

// Sets raw mode; the destructor restores the previous mode.
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
