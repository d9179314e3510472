// SPDX-License-Identifier: Apache-2.0
// HeadRead: the read of a head from a socket. The op itself is awaited, without a coroutine of its own,
// and the server may end the wait without a cancel of the task: then no byte has been taken. Only on
// the loop's thread.
//
//     const std::optional<std::size_t> size = co_await HeadRead(stream, room, wait_);
//     if (!size) co_return;  // wait_->stop() was called meanwhile
#pragma once

#include <cstddef>
#include <optional>

#include "gyre/net/connection.hpp"
#include "gyre/net/detail/socket.hpp"

namespace gyre::http {

class HeadRead {
public:
    class Wait final : public net::IoAwait<ReceiveOp> {
    public:
        Wait(PromiseBase& promise, const HeadRead& read) noexcept
            : IoAwait(promise, read.from_.fd(), read.into_), place_(read.place_) {}
        void await_suspend(std::coroutine_handle<> by) noexcept {
            place_ = this;
            IoAwait::await_suspend(by);
        }
        // nullopt: `stop` has ended it.
        [[nodiscard]] std::optional<std::size_t> await_resume() {
            place_ = nullptr;
            const Result<std::int32_t> size = take_result();
            if (size) return static_cast<std::size_t>(*size);
            if (is_stopped_ && is_cancelled()) return std::nullopt;
            net::throw_error(size.error(), what());
        }
        // Bytes that have come already are given all the same.
        void stop() noexcept {
            is_stopped_ = true;
            cancel();
        }
        [[nodiscard]] bool is_stopped() const noexcept { return is_stopped_; }
        [[nodiscard]] const char* what() const noexcept override { return "read"; }

    private:
        Wait*& place_;
        bool is_stopped_ = false;
    };

    // `place` points to the wait as long as there is one.
    HeadRead(const net::Connection& from, Bytes into, Wait*& place) noexcept
        : from_(from), into_(into), place_(place) {}
    [[nodiscard]] Wait await_in(PromiseBase& promise) const noexcept { return {promise, *this}; }

private:
    const net::Connection& from_;
    Bytes into_;
    Wait*& place_;
};

}  // namespace gyre::http
