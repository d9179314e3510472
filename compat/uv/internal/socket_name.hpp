// SPDX-License-Identifier: Apache-2.0
// Addresses of sockets, and what TCP and UDP handles do alike. The loop's thread.
#pragma once

#include <sys/socket.h>

#include "compat/uv/internal/newer.hpp"

namespace gyre::uv {

// The size of an address of this family, 0 for an unknown one.
[[nodiscard]] socklen_t size_of_address(const sockaddr* address) noexcept;

using AskName = int (*)(int fd, sockaddr* name, socklen_t* size);
// getsockname or getpeername.
[[nodiscard]] int get_name(AskName ask, int fd, sockaddr* name, int* size) noexcept;

[[nodiscard]] int set_option(int fd, int level, int option, int value) noexcept;

}  // namespace gyre::uv
