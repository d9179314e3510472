// SPDX-License-Identifier: Apache-2.0
// OwnSocket: a socket of a platform and the duty to close it: what Stream, Listener and Datagram
// have in common. Move-only; it belongs to its loop's thread and is gone before the platform.
#pragma once

#include <utility>

#include "gyre/kernel/sockets.hpp"

namespace gyre::net {

class OwnSocket {
public:
    [[nodiscard]] bool is_open() const noexcept { return fd_ >= 0; }
    [[nodiscard]] Fd fd() const noexcept { return fd_; }
    // With the port that the system has chosen, where it was to choose.
    [[nodiscard]] Result<Address> local_address() const { return sockets_->local_address(fd_); }
    // Gives the descriptor away.
    [[nodiscard]] Fd release() noexcept { return std::exchange(fd_, -1); }
    // At once: what waits on it fails with `operation_canceled`.
    void close() noexcept {
        if (is_open()) sockets_->close_now(release());
    }

protected:
    OwnSocket() noexcept = default;  // closed
    OwnSocket(Sockets& sockets, Fd fd) noexcept : sockets_(&sockets), fd_(fd) {}
    OwnSocket(OwnSocket&& other) noexcept : sockets_(other.sockets_), fd_(other.release()) {}
    OwnSocket& operator=(OwnSocket&& other) noexcept {
        if (this == &other) return *this;
        close();
        sockets_ = other.sockets_;
        fd_ = other.release();
        return *this;
    }
    ~OwnSocket() { close(); }

    Sockets* sockets_ = nullptr;
    Fd fd_ = -1;
};

}  // namespace gyre::net
