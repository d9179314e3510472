// SPDX-License-Identifier: Apache-2.0
// OwnFd: a descriptor that is closed with its owner, or the reason why there is none. Belongs to
// one thread at a time.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "gyre/io/sockets.hpp"

namespace gyre::platform {

class OwnFd {
public:
    // Made from what a system call has just returned.
    explicit OwnFd(Fd fd) noexcept : fd_(fd), status_(fd < 0 ? -errno : 0) {}
    ~OwnFd() {
        if (fd_ >= 0) ::close(fd_);
    }
    OwnFd(const OwnFd&) = delete;
    OwnFd& operator=(const OwnFd&) = delete;

    [[nodiscard]] Fd get() const noexcept { return fd_; }
    // 0, or an error's negative number.
    [[nodiscard]] std::int32_t status() const noexcept { return status_; }

private:
    const Fd fd_;
    const std::int32_t status_;
};

}  // namespace gyre::platform
