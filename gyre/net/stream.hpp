// SPDX-License-Identifier: Apache-2.0
// Stream: a connection over TCP or a Unix socket. Move-only; it owns its descriptor and closes it
// with itself. It belongs to its loop's thread; one task may read while another one writes. It may
// be moved while they do, and must outlive them.
//
//     net::Stream stream = co_await timeout(net::connect(address), 5s);
//     co_await stream.write_all(bytes_of("hello"));
//     const std::size_t size = co_await stream.read_some(buffer);    // 0: the peer has ended
//
// Nothing is buffered here: a write waits until the system has taken the bytes, which is how a slow
// reader slows its writer down. What fails throws std::system_error; see io_await.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "gyre/kernel/sockets.hpp"
#include "gyre/net/byte_stream.hpp"
#include "gyre/net/own_socket.hpp"
#include "gyre/net/transfers.hpp"

namespace gyre::net {

class Stream;

// When a silent peer is asked for signs of life, how often, and when it is given up.
struct KeepAlive {
    int idle_s = 60;
    int interval_s = 10;
    int count = 6;
};

class [[nodiscard]] CloseStream : public Awaitable<CloseStream, void> {
public:
    explicit CloseStream(Stream& stream) noexcept : stream_(stream) {}

    class Await : public IoAwait<CloseOp> {
    public:
        Await(PromiseBase& promise, const CloseStream& close) noexcept
            : IoAwait(promise, -1), stream_(close.stream_) {}
        [[nodiscard]] bool await_ready() noexcept;
        void await_suspend(std::coroutine_handle<> by) noexcept;
        void cancel() noexcept override {}  // It is soon done, and cannot be undone.
        [[nodiscard]] Result<void> outcome();

    private:
        Stream& stream_;
    };

private:
    Stream& stream_;
};

// One that is dropped is closed at once; `aclose` leaves that to the loop.
class Stream final : public ByteStream, public OwnSocket {
public:
    // Open for nothing: to be moved into.
    Stream() noexcept = default;
    // Takes over a connected socket of this platform.
    Stream(Sockets& sockets, Fd fd) noexcept : OwnSocket(sockets, fd) {}

    // At least one byte, as many as there are and fit; 0 at the end of the stream. The buffer must
    // not be empty. Cancel class: did nothing.
    [[nodiscard]] ReadSome read_some(Bytes into) const noexcept;
    // At least one byte. Cancel class: did nothing.
    [[nodiscard]] WriteSome write_some(ConstBytes from) const noexcept { return {fd_, from}; }
    // Cancel class: did part. Where that matters, give it a view to advance: it says what is left.
    [[nodiscard]] WriteAll write_all(ConstBytes from) const noexcept {
        return {fd_, from, nullptr};
    }
    [[nodiscard]] WriteAll write_rest(ConstBytes& rest) const noexcept {
        return {fd_, rest, &rest};
    }
    // All pieces, in as few calls as possible; they are advanced. Cancel class: did part.
    [[nodiscard]] WritePieces write_pieces(std::span<ConstBytes> pieces) const noexcept {
        return {fd_, pieces};
    }
    // As `send_file`, without a look at whether the file has to come from a disk first, and ends
    // where the file does. Cancel class: did part.
    [[nodiscard]] SendFile send_file_now(ConstBytes& before, FileSlice& part,
                                         std::uint64_t size_max = ~std::uint64_t{
                                             0}) const noexcept {
        return {fd_, before, part, size_max};
    }
    // Ends the sending side; reading goes on.
    [[nodiscard]] Result<void> end_sending() const { return sockets_->end_sending(fd_); }
    // Closes it; what waits on it comes back with the error `operation_canceled`. Cancel class: did
    // nothing, or closes all the same. Without effect on one that is closed.
    [[nodiscard]] CloseStream aclose() noexcept { return CloseStream(*this); }

    [[nodiscard]] Result<Address> peer_address() const { return sockets_->peer_address(fd_); }

    // Small writes go out at once instead of waiting for each other. TCP only.
    Result<void> set_no_delay(bool value) const {
        return set(StreamOption::no_delay, value ? 1 : 0);
    }
    // Nothing: nobody is asked. TCP only.
    Result<void> set_keep_alive(std::optional<KeepAlive> how) const;
    // What a close does with bytes on their way: nothing given, they still go out; 0 seconds, they
    // are thrown away and the peer sees a reset.
    Result<void> set_linger(std::optional<int> seconds) const {
        return set(StreamOption::linger_s, seconds.value_or(-1));
    }
    Result<void> set_send_buffer(int size_bytes) const {
        return set(StreamOption::send_buffer_bytes, size_bytes);
    }
    Result<void> set_receive_buffer(int size_bytes) const {
        return set(StreamOption::receive_buffer_bytes, size_bytes);
    }
    [[nodiscard]] Result<int> option(StreamOption option) const {
        return sockets_->stream_option(fd_, option);
    }

    // As a ByteStream.
    [[nodiscard]] Future<std::size_t> receive(Bytes into) override { return read_some(into); }
    [[nodiscard]] Future<void> send(std::span<ConstBytes> pieces) override;
    [[nodiscard]] Future<void> send_file(ConstBytes& before, FileSlice& part) override;
    [[nodiscard]] Future<void> finish() override;

private:
    Result<void> set(StreamOption option, int value) const {
        return sockets_->set_stream_option(fd_, option, value);
    }
};

// `co_await connect(address)`: a Stream. Cancel class: did nothing, no connection is left behind.
class [[nodiscard]] Connect : public Awaitable<Connect, Stream> {
public:
    explicit Connect(const Address& to) noexcept : to_(to) {}

    class Await : public IoAwait<ConnectOp> {
    public:
        Await(PromiseBase& promise, const Connect& connect) noexcept
            : IoAwait(promise, -1, connect.to_), sockets_(sockets_of(promise)) {}
        [[nodiscard]] bool await_ready() noexcept;
        [[nodiscard]] std::string doing() const { return "connect to " + to.to_string(); }
        [[nodiscard]] Result<Stream> outcome();

    private:
        Sockets& sockets_;
        Result<Stream> made_ = Stream();
    };

private:
    Address to_;
};
[[nodiscard]] inline Connect connect(const Address& to) noexcept {
    return Connect(to);
}

// `co_await stream_pair()`: two Streams that are connected with each other. Never waits.
class [[nodiscard]] StreamPair : public Awaitable<StreamPair, std::pair<Stream, Stream>> {
public:
    class Await {
    public:
        Await(PromiseBase& promise, const StreamPair& /*pair*/) noexcept
            : sockets_(sockets_of(promise)) {}
        [[nodiscard]] bool await_ready() const noexcept { return true; }
        void await_suspend(std::coroutine_handle<> /*by*/) const noexcept {}
        [[nodiscard]] std::string doing() const { return "make a pair of streams"; }
        [[nodiscard]] Result<std::pair<Stream, Stream>> outcome();

    private:
        Sockets& sockets_;
    };
};
[[nodiscard]] inline StreamPair stream_pair() noexcept {
    return {};
}

}  // namespace gyre::net
