// SPDX-License-Identifier: Apache-2.0
// What the awaits of sockets are made of. The awaiter is the op: it lives in the frame of the
// coroutine that awaits, and needs no memory of its own. Only on the loop's thread.
//
// What `co_await stream.read_some(buffer)` gives is the value; where it fails, std::system_error is
// thrown, which names what was tried. `co_await try_(stream.read_some(buffer))` gives a Result
// instead. The awaitable itself is a small value: it is a Future where one is wanted, as in
// `timeout(stream.read_some(buffer), 5s)`.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "gyre/kernel/io_ops.hpp"
#include "gyre/task/executor.hpp"
#include "gyre/task/future.hpp"
#include "gyre/task/op_await.hpp"

namespace gyre::net {

[[nodiscard]] inline Sockets& sockets_of(const PromiseBase& promise) noexcept {
    return promise.task().executor().loop().platform().sockets();
}

[[noreturn, gnu::cold]] void throw_error(Error error, const std::string& doing);

// The await of an op of a socket.
template <class Kind>
class IoAwait : public OpSuspension<Kind> {
public:
    [[nodiscard]] const char* what() const noexcept override { return name_of(Kind::code()); }
    // For the text of an error.
    [[nodiscard]] std::string doing() const { return this->what(); }

protected:
    template <class... Args>
    explicit IoAwait(PromiseBase& promise, Args&&... args) noexcept
        : OpSuspension<Kind>(promise, std::forward<Args>(args)...) {}
};

template <class T>
T value_of(Result<T> outcome, const auto& await) {
    if (!outcome) throw_error(outcome.error(), await.doing());
    if constexpr (!std::is_void_v<T>) return std::move(*outcome);
}

// The base of an awaitable: `Self` is a value that says what to do, and has a nested class Await,
// made from a promise and a Self, whose `outcome()` gives a Result<T>.
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
