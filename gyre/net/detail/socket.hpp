// SPDX-License-Identifier: Apache-2.0
// The parts that Stream, Listener and Datagram share: OwnSocket, which owns a descriptor, and the
// bases of the awaitables that their members return. Not for users. Only on the loop's thread.
//
// The awaiter is the op: it lives in the frame of the coroutine that awaits and allocates nothing.
// `co_await stream.read_some(buffer)` returns the value or throws std::system_error, whose text
// names the operation; `co_await try_(stream.read_some(buffer))` returns a Result instead. The
// awaitable itself is a small value, and converts to a Future: `timeout(stream.read_some(b), 5s)`.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/io/environment.hpp"
#include "gyre/io/io_ops.hpp"
#include "gyre/io/sockets.hpp"
#include "gyre/task/core/detail/op_await.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/future.hpp"

namespace gyre::net {

// Owns a socket of a platform and closes it. Move-only; destroyed before the platform.
class OwnSocket {
public:
    [[nodiscard]] bool is_open() const noexcept { return fd_ >= 0; }
    [[nodiscard]] Fd fd() const noexcept { return fd_; }
    // If it was bound to port 0, the address has the port that the system chose.
    [[nodiscard]] Result<Address> local_address() const { return sockets_->local_address(fd_); }
    // Gives up ownership of the descriptor.
    [[nodiscard]] Fd release() noexcept { return std::exchange(fd_, -1); }
    // Closes immediately: pending operations fail with `operation_canceled`.
    void close() noexcept {
        if (is_open()) sockets_->close_now(release());
    }

protected:
    OwnSocket() noexcept = default;  // closed
    OwnSocket(Sockets& sockets, Fd fd) noexcept : sockets_(&sockets), fd_(fd) {
        GYRE_ASSERT(fd >= 0, "a socket was made from the descriptor %d: pass an open one", fd);
    }
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

[[nodiscard]] inline Sockets& sockets_of(const PromiseBase& promise) noexcept {
    return promise.task().executor().loop().platform().environment()->sockets();
}

[[noreturn, gnu::cold]] void throw_error(Error error, const std::string& doing);

// The await of a socket op.
template <class Kind>
class IoAwait : public OpSuspension<Kind> {
public:
    [[nodiscard]] const char* what() const noexcept override {
        return name_of(io_code(Kind::code()));
    }
    // The operation, for the text of an error.
    [[nodiscard]] std::string doing() const { return this->what(); }

protected:
    template <class... Args>
    explicit IoAwait(PromiseBase& promise, Args&&... args) noexcept
        : OpSuspension<Kind>(promise, std::forward<Args>(args)...) {}

    // The result of an op whose byte count or descriptor does not matter.
    [[nodiscard]] Result<void> take_void_result() {
        const Result<std::int32_t> result = this->take_result();
        if (!result) return std::unexpected(result.error());
        return {};
    }
};

template <class T>
T value_of(Result<T> outcome, const auto& await) {
    if (!outcome) throw_error(outcome.error(), await.doing());
    if constexpr (!std::is_void_v<T>) return std::move(*outcome);
}

// The base of an awaitable. `Self` is a value that holds the arguments; its nested class Await is
// constructed from a promise and a Self, and its `outcome()` returns a Result<T>.
template <class Self, class T>
class Awaitable {
public:
    using value_type = T;

    [[nodiscard]] auto await_in(PromiseBase& promise) const noexcept {
        return Throwing(promise, static_cast<const Self&>(*this));
    }
    [[nodiscard]] auto try_in(PromiseBase& promise) const noexcept {
        return Trying(promise, static_cast<const Self&>(*this));
    }
    operator Future<T>() && { return run(static_cast<Self&&>(*this)); }

private:
    class Throwing final : public Self::Await {
    public:
        using Self::Await::Await;
        T await_resume() { return value_of<T>(this->outcome(), *this); }
    };
    class Trying final : public Self::Await {
    public:
        using Self::Await::Await;
        Result<T> await_resume() { return this->outcome(); }
    };
    static Future<T> run(Self self) {
        if constexpr (std::is_void_v<T>) {
            co_await self;
        } else {
            co_return co_await self;
        }
    }
};

// `co_await try_(awaitable)`: the value or the Error.
template <class Self>
class [[nodiscard]] TriedIo {
public:
    explicit TriedIo(Self self) noexcept : self_(std::move(self)) {}
    [[nodiscard]] auto await_in(PromiseBase& promise) const noexcept {
        return self_.try_in(promise);
    }

private:
    Self self_;
};
template <class Self>
    requires requires(const Self& self, PromiseBase& promise) { self.try_in(promise); }
TriedIo<Self> try_(Self self) noexcept {
    return TriedIo<Self>(std::move(self));
}

}  // namespace gyre::net
