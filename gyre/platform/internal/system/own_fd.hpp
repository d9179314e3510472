// SPDX-License-Identifier: Apache-2.0
// OwnFd: owns a descriptor and closes it in the destructor, or holds the error if it could not be
// opened. Belongs to one thread at a time.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "gyre/io/sockets.hpp"

namespace gyre::platform {

class OwnFd {
public:
    // From the return value of a system call, with errno.
    explicit OwnFd(Fd fd) noexcept : fd_(fd), status_(fd < 0 ? -errno : 0) {}
    ~OwnFd() {
        if (fd_ >= 0) ::close(fd_);
    }
    OwnFd(const OwnFd&) = delete;
    OwnFd& operator=(const OwnFd&) = delete;

    [[nodiscard]] Fd get() const noexcept { return fd_; }
    // 0, or a negative error number.
    [[nodiscard]] std::int32_t status() const noexcept { return status_; }

private:
    const Fd fd_;
    const std::int32_t status_;
};

}  // namespace gyre::platform
