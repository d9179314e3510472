// SPDX-License-Identifier: Apache-2.0
// The awaitables that the members of Stream and StandardStream return. Not for users. Plain values
// until they are awaited; the buffers they refer to stay alive and in place until the await ends.
// Only on the loop's thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "gyre/base/bytes.hpp"
#include "gyre/io/socket_ops.hpp"
#include "gyre/net/byte_stream.hpp"
#include "gyre/net/detail/socket.hpp"

namespace gyre::net {

// Cancel class: did nothing; the bytes stay in the socket for the next read.
class [[nodiscard]] ReadSome : public Awaitable<ReadSome, std::size_t> {
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
class [[nodiscard]] WriteSome : public Awaitable<WriteSome, std::size_t> {
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
class [[nodiscard]] WriteAll : public Awaitable<WriteAll, void> {
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
class [[nodiscard]] WritePieces : public Awaitable<WritePieces, void> {
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
class [[nodiscard]] SendFile : public Awaitable<SendFile, void> {
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
