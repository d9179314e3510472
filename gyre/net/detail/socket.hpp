// SPDX-License-Identifier: Apache-2.0
// The parts that Connection, StandardStream, Listener and Datagram share: OwnSocket, which owns a
// descriptor, the bases of the awaitables that their members return, and the awaitables that read
// and write. Not for users. Only on the loop's thread.
//
// The awaiter is the op: it lives in the frame of the coroutine that awaits and allocates nothing.
// `co_await stream.read(buffer)` returns the value or throws std::system_error, whose text
// names the operation; `co_await try_(stream.read(buffer))` returns a Result instead. The
// awaitable itself is a small value, and converts to a Future: `timeout(stream.read(b), 5s)`.
// Its buffers stay alive and in place until the await ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/base/bytes.hpp"
#include "gyre/io/environment.hpp"
#include "gyre/io/io_ops.hpp"
#include "gyre/io/socket_ops.hpp"
#include "gyre/io/sockets.hpp"
#include "gyre/net/byte_stream.hpp"
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
class IoAwaitable {
public:
    using value_type = T;

    [[nodiscard]] auto await_in(PromiseBase& promise) const noexcept {
        return Throwing(promise, static_cast<const Self&>(*this));
    }
    [[nodiscard]] auto try_in(PromiseBase& promise) const noexcept {
        return Trying(promise, static_cast<const Self&>(*this));
    }
    operator Future<T>() && { return await_moved<T>(static_cast<Self&&>(*this)); }

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
};

// ---- Reads and writes ----

// Cancel class: did nothing; the bytes stay in the socket for the next read.
class [[nodiscard]] ReadSome : public IoAwaitable<ReadSome, std::size_t> {
public:
    ReadSome(Fd from, Bytes into) noexcept : fd_(from), into_(into) {}

    class Await : public IoAwait<ReceiveOp> {
    public:
        Await(PromiseBase& promise, const ReadSome& read) noexcept
            : IoAwait(promise, read.fd_, read.into_) {}
        [[nodiscard]] const char* what() const noexcept override { return "read"; }
        [[nodiscard]] Result<std::size_t> outcome() { return take_result(); }
    };

private:
    Fd fd_;
    Bytes into_;
};

// Cancel class: did nothing.
class [[nodiscard]] WriteSome : public IoAwaitable<WriteSome, std::size_t> {
public:
    WriteSome(Fd to, ConstBytes from) noexcept : fd_(to), from_(from) {}

    class Await : public IoAwait<SendOp> {
    public:
        Await(PromiseBase& promise, const WriteSome& write) noexcept
            : IoAwait(promise, write.fd_, write.from_) {}
        [[nodiscard]] const char* what() const noexcept override { return "write"; }
        [[nodiscard]] Result<std::size_t> outcome() { return take_result(); }
    };

private:
    Fd fd_;
    ConstBytes from_;
};

// Cancel class: did part, if it is cancelled between two sends; `rest` shows what is left.
class [[nodiscard]] WriteAll : public IoAwaitable<WriteAll, void> {
public:
    // `rest` may be null; else it is advanced as bytes are sent.
    WriteAll(Fd to, ConstBytes from, ConstBytes* rest) noexcept
        : fd_(to), from_(from), rest_(rest) {}

    class Await : public IoAwait<SendOp> {
    public:
        Await(PromiseBase& promise, const WriteAll& write) noexcept
            : IoAwait(promise, write.fd_, write.from_), rest_(write.rest_) {}
        [[nodiscard]] bool await_ready() noexcept { return begin() || buffer.empty(); }
        void on_complete(Op& op) noexcept override;
        [[nodiscard]] const char* what() const noexcept override { return "write"; }
        [[nodiscard]] Result<void> outcome();

    private:
        ConstBytes* rest_;
    };

private:
    Fd fd_;
    ConstBytes from_;
    ConstBytes* rest_;
};

// Advances the pieces as bytes are sent. Cancel class: did part; the pieces show what is left.
class [[nodiscard]] WritePieces : public IoAwaitable<WritePieces, void> {
public:
    WritePieces(Fd to, std::span<ConstBytes> pieces) noexcept : fd_(to), pieces_(pieces) {}

    class Await : public IoAwait<SendPiecesOp> {
    public:
        Await(PromiseBase& promise, const WritePieces& write) noexcept
            : IoAwait(promise, write.fd_, write.pieces_), rest_(write.pieces_) {
            advance(0);
        }
        [[nodiscard]] bool await_ready() noexcept { return begin() || rest_.empty(); }
        void on_complete(Op& op) noexcept override;
        [[nodiscard]] const char* what() const noexcept override { return "write"; }
        [[nodiscard]] Result<void> outcome();

    private:
        void advance(std::size_t size) noexcept;

        std::span<ConstBytes> rest_;  // the pieces that are not sent completely
    };

private:
    Fd fd_;
    std::span<ConstBytes> pieces_;
};

// Sends `before`, then at most size_max bytes of the slice; both are advanced. Ends without an
// error at the end of the file: the slice then still has a size. Cancel class: did part; `before`
// and the slice show what is left.
class [[nodiscard]] SendFile : public IoAwaitable<SendFile, void> {
public:
    SendFile(Fd to, ConstBytes& before, FileSlice& part, std::uint64_t size_max) noexcept
        : fd_(to),
          before_(&before),
          part_(&part),
          size_bytes_(std::min(size_max, part.size_bytes)) {}

    class Await : public IoAwait<SendFileOp> {
    public:
        Await(PromiseBase& promise, const SendFile& send) noexcept
            : IoAwait(promise, send.fd_, *send.before_, send.part_->file, send.part_->offset,
                      send.size_bytes_),
              before_(send.before_),
              part_(send.part_) {}
        [[nodiscard]] bool await_ready() noexcept { return begin() || is_all_sent(); }
        void on_complete(Op& op) noexcept override;
        [[nodiscard]] const char* what() const noexcept override { return "send a file"; }
        [[nodiscard]] Result<void> outcome();

    private:
        [[nodiscard]] bool is_all_sent() const noexcept {
            return before.empty() && size_bytes == 0;
        }

        ConstBytes* before_;
        FileSlice* part_;
    };

private:
    Fd fd_;
    ConstBytes* before_;
    FileSlice* part_;
    std::uint64_t size_bytes_;
};

}  // namespace gyre::net
