// SPDX-License-Identifier: Apache-2.0
// Descriptors: their flags, kinds, and which of them a loop watches. The loop's thread.
#pragma once

#include <sys/types.h>

#include <vector>

#include "compat/uv/internal/newer.hpp"

namespace gyre::uv {

class LoopState;

// The descriptors with an active watcher: a second one is refused.
class Watched {
public:
    static Watched& of(LoopState& loop) noexcept;

    [[nodiscard]] bool has(int fd) const noexcept {
        return fd >= 0 && static_cast<std::size_t>(fd) < is_watched_.size() &&
               is_watched_[static_cast<std::size_t>(fd)];
    }
    void set(int fd, bool value) noexcept {
        if (fd < 0) return;
        const auto index = static_cast<std::size_t>(fd);
        if (index >= is_watched_.size()) is_watched_.resize(index + 64);
        is_watched_[index] = value;
    }

private:
    std::vector<bool> is_watched_;
};

[[nodiscard]] int set_nonblocking(int fd, bool value) noexcept;
[[nodiscard]] int set_close_on_exec(int fd) noexcept;
// An error for a descriptor that cannot be waited for, such as a file (UV_EPERM).
[[nodiscard]] int check_pollable(int backend_fd, int fd) noexcept;
// A socket of the loop: not blocking, closed on exec. Or a negative error.
[[nodiscard]] int make_socket(int domain, int type) noexcept;

}  // namespace gyre::uv
