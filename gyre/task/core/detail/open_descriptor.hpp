// SPDX-License-Identifier: Apache-2.0
// OpenDescriptor: owns a descriptor of a platform. Move-only; used on the platform's thread, and
// destroyed before the platform. `aclose` closes it without blocking the loop; the destructor
// closes it at once, on the loop's thread.
#pragma once

#include <utility>

#include "gyre/io/environment.hpp"
#include "gyre/io/io_ops.hpp"
#include "gyre/kernel/platform.hpp"
#include "gyre/task/combine/shield.hpp"
#include "gyre/task/core/detail/op_await.hpp"
#include "gyre/task/core/future.hpp"

namespace gyre {

class OpenDescriptor {
public:
    OpenDescriptor() noexcept = default;
    // -1: none is open.
    OpenDescriptor(Platform& platform, Fd fd) noexcept : platform_(&platform), fd_(fd) {
        GYRE_ASSERT(fd >= -1, "%d is not a descriptor: look at the result of the open first", fd);
    }
    OpenDescriptor(OpenDescriptor&& other) noexcept
        : platform_(other.platform_), fd_(std::exchange(other.fd_, -1)) {}
    OpenDescriptor& operator=(OpenDescriptor&& other) noexcept {
        if (this == &other) return *this;
        close_now();
        platform_ = other.platform_;
        fd_ = std::exchange(other.fd_, -1);
        return *this;
    }
    ~OpenDescriptor() { close_now(); }

    [[nodiscard]] bool is_open() const noexcept { return fd_ >= 0; }
    [[nodiscard]] Fd fd() const noexcept { return fd_; }
    [[nodiscard]] Platform& platform() const noexcept {
        GYRE_ASSERT(platform_ != nullptr, "this descriptor was never open: it has no platform");
        return *platform_;
    }

    // Ops that wait on it complete with the Error `operation_canceled`.
    void close_now() noexcept {
        if (is_open()) platform_->environment()->sockets().close_now(std::exchange(fd_, -1));
    }
    // Gives the result of the close; the descriptor is closed in any case. Does nothing if it is
    // closed already. Cancel class: did all.
    [[nodiscard]] Future<Result<void>> aclose() { return close(std::move(*this)); }

private:
    static Future<Result<void>> close(OpenDescriptor own) {
        if (!own.is_open()) co_return Result<void>();
        co_return co_await shield(close_fd(std::exchange(own.fd_, -1)));
    }
    static Future<Result<void>> close_fd(Fd fd) {
        const Result<std::int32_t> closed = co_await perform<CloseOp>("a close", fd);
        if (!closed) co_return std::unexpected(closed.error());
        co_return Result<void>();
    }

    Platform* platform_ = nullptr;
    Fd fd_ = -1;
};

}  // namespace gyre
