// SPDX-License-Identifier: Apache-2.0
// Connection: a connected TCP or Unix socket. Move-only; owns its descriptor and closes it. Unbuffered:
// a write waits until the system has taken the bytes, which is the back-pressure of a slow peer.
//
//     net::Connection stream = co_await timeout(net::connect(Address::loopback(8080)), 5s);
//     co_await stream.write(bytes_of("hello"));
//     std::array<std::byte, 4096> buffer;
//     const std::size_t size = co_await stream.read(buffer);  // 0: the peer has ended
//
//     net::Resolver resolver;
//     net::Connection other = co_await net::connect(resolver, "example.org", 80);
//
// Thread: the loop's thread; one task may read while another one writes.
// Lifetime: outlives its pending reads and writes, and so do their buffers; may be moved meanwhile.
// Cancel: each member names its cancel class.
//
// A failed operation throws std::system_error; `co_await try_(stream.read(buffer))` returns a
// Result instead.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gyre/io/sockets.hpp"
#include "gyre/net/byte_stream.hpp"
#include "gyre/net/detail/socket.hpp"

namespace gyre::net {

class Resolver;
class Connection;

// TCP keep-alive: the idle time before the first probe, the time between probes, and the number of
// unanswered probes after which the connection fails.
struct KeepAlive {
    int idle_s = 60;
    int interval_s = 10;
    int count = 6;
};

class [[nodiscard]] CloseConnection : public IoAwaitable<CloseConnection, void> {
public:
    explicit CloseConnection(Connection& stream) noexcept : stream_(stream) {}

    class Await : public IoAwait<CloseOp> {
    public:
        Await(PromiseBase& promise, const CloseConnection& close) noexcept
            : IoAwait(promise, -1), stream_(close.stream_) {}
        [[nodiscard]] bool await_ready() noexcept;
        void await_suspend(std::coroutine_handle<> by) noexcept;
        void cancel() noexcept override {}  // A close is short and cannot be undone.
        [[nodiscard]] Result<void> outcome();

    private:
        Connection& stream_;
    };

private:
    Connection& stream_;
};

// The destructor closes immediately; `aclose` closes asynchronously.
class Connection final : public ByteStream, public OwnSocket {
public:
    // Closed; assign an open one.
    Connection() noexcept = default;
    // Takes ownership of a connected socket of this platform.
    Connection(Sockets& sockets, Fd fd) noexcept : OwnSocket(sockets, fd) {}

    // At least one byte; 0 at the end of the stream. The buffer must not be empty. Cancel class:
    // did nothing.
    [[nodiscard]] ReadSome read(Bytes into) const noexcept;
    // At least one byte. Cancel class: did nothing.
    [[nodiscard]] WriteSome write_some(ConstBytes from) const noexcept { return {fd_, from}; }
    // Cancel class: did part; write_rest advances its view, which then shows what is left.
    [[nodiscard]] WriteAll write(ConstBytes from) const noexcept { return {fd_, from, nullptr}; }
    [[nodiscard]] WriteAll write_rest(ConstBytes& rest) const noexcept {
        return {fd_, rest, &rest};
    }
    // Writes all pieces, gathered into as few system calls as possible, and advances them. Cancel
    // class: did part.
    [[nodiscard]] WritePieces write_pieces(std::span<ConstBytes> pieces) const noexcept {
        return {fd_, pieces};
    }
    // Like `write_file`, but may block the loop on the disk, and ends without an error at the end of
    // the file. Cancel class: did part.
    [[nodiscard]] SendFile write_file_now(ConstBytes& before, FileSlice& part,
                                          std::uint64_t size_max = ~std::uint64_t{
                                              0}) const noexcept {
        return {fd_, before, part, size_max};
    }
    // Shuts down the writing side: the peer reads what was written, then the end of the stream.
    // Reading goes on. Never waits.
    [[nodiscard]] Future<void> finish() const;
    // Closes; pending operations fail with `operation_canceled`. No effect if it is closed already.
    // Cancel class: did nothing, or did all.
    [[nodiscard]] CloseConnection aclose() noexcept { return CloseConnection(*this); }

    [[nodiscard]] Result<Address> peer_address() const { return sockets_->peer_address(fd_); }

    // TCP_NODELAY: small writes are sent immediately (no Nagle algorithm). TCP only.
    Result<void> set_no_delay(bool value) const {
        return set(StreamOption::no_delay, value ? 1 : 0);
    }
    // nullopt turns keep-alive off. TCP only.
    Result<void> set_keep_alive(std::optional<KeepAlive> how) const;
    // SO_LINGER: nullopt, a close sends unsent bytes in the background; 0 seconds, a close discards
    // them and resets the connection.
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

private:
    [[nodiscard]] Future<std::size_t> do_read(Bytes into) override { return read(into); }
    [[nodiscard]] Future<void> do_write_pieces(std::span<ConstBytes> pieces) override;
    [[nodiscard]] Future<void> do_write_file(ConstBytes& before, FileSlice& part) override;
    [[nodiscard]] Future<void> do_finish() override { return finish(); }
    Result<void> set(StreamOption option, int value) const {
        return sockets_->set_stream_option(fd_, option, value);
    }
};

// `co_await connect(address)` returns a Connection. Cancel class: did nothing, the socket is closed.
class [[nodiscard]] Connect : public IoAwaitable<Connect, Connection> {
public:
    explicit Connect(const Address& to) noexcept : to_(to) {}

    class Await : public IoAwait<ConnectOp> {
    public:
        Await(PromiseBase& promise, const Connect& connect) noexcept
            : IoAwait(promise, -1, connect.to_), sockets_(sockets_of(promise)) {}
        [[nodiscard]] bool await_ready() noexcept;
        [[nodiscard]] std::string doing() const { return "connect to " + to.to_string(); }
        [[nodiscard]] Result<Connection> outcome();

    private:
        Sockets& sockets_;
        Result<Connection> made_ = Connection();
    };

private:
    Address to_;
};
[[nodiscard]] inline Connect connect(const Address& to) noexcept {
    return Connect(to);
}

struct ConnectOptions {
    // How long an attempt may be pending before the next address is tried in parallel.
    Duration attempt_delay = std::chrono::milliseconds(250);
    // How long IPv4 addresses that arrived first wait for the IPv6 addresses.
    Duration resolution_delay = std::chrono::milliseconds(50);
};

// Connects to the first of several addresses that accepts ("happy eyeballs", RFC 8305). They are
// tried in their order; the next attempt starts when the previous one fails or after attempt_delay.
// The first connection wins, the others are cancelled. If every attempt fails, std::system_error
// has the code of the last and lists them all. Cancel class: did nothing; no connection is left.
[[nodiscard]] Future<Connection> connect_any(std::vector<Address> addresses,
                                             ConnectOptions options = {});
// The same for a host by name. Its IPv6 and IPv4 addresses are queried concurrently and tried as
// they arrive; IPv4 addresses that arrive first wait for resolution_delay. If the name has no
// address, NameError is thrown. The resolver (resolver.hpp) outlives the future.
[[nodiscard]] Future<Connection> connect(Resolver& resolver, std::string host, std::uint16_t port,
                                         ConnectOptions options = {});

// `co_await connection_pair()` returns two connected Streams. Never waits.
class [[nodiscard]] ConnectionPair
    : public IoAwaitable<ConnectionPair, std::pair<Connection, Connection>> {
public:
    class Await {
    public:
        Await(PromiseBase& promise, const ConnectionPair& /*pair*/) noexcept
            : sockets_(sockets_of(promise)) {}
        [[nodiscard]] bool await_ready() const noexcept { return true; }
        void await_suspend(std::coroutine_handle<> /*by*/) const noexcept {}
        [[nodiscard]] std::string doing() const { return "make a pair of streams"; }
        [[nodiscard]] Result<std::pair<Connection, Connection>> outcome();

    private:
        Sockets& sockets_;
    };
};
[[nodiscard]] inline ConnectionPair connection_pair() noexcept {
    return {};
}

// ---- Passing descriptors over a Unix socket (SCM_RIGHTS) ----
//
//     const std::array<Fd, 1> descriptors{listener.fd()};
//     co_await net::pass_descriptors(stream, bytes_of("!"), descriptors);
//
//     std::array<std::byte, 16> buffer;
//     std::array<Fd, 4> received;
//     const net::Passed got = co_await net::receive_descriptors(stream, buffer, received);

// Returns how many bytes were sent, at least one; the descriptors are attached to the first. The
// sender keeps them. At most SendPiecesOp::passed_max at once. Cancel class: did nothing.
class [[nodiscard]] PassDescriptors : public IoAwaitable<PassDescriptors, std::size_t> {
public:
    PassDescriptors(const Connection& to, ConstBytes data, std::span<const Fd> descriptors) noexcept
        : fd_(to.fd()), data_(data), descriptors_(descriptors) {}

    class Await : public IoAwait<SendPiecesOp> {
    public:
        Await(PromiseBase& promise, const PassDescriptors& pass) noexcept
            : IoAwait(promise, pass.fd_, std::span<const ConstBytes>(), pass.descriptors_),
              data_(pass.data_) {
            pieces = {&data_, 1};
        }
        [[nodiscard]] const char* what() const noexcept override { return "pass descriptors"; }
        [[nodiscard]] Result<std::size_t> outcome() { return take_result(); }

    private:
        ConstBytes data_;
    };

private:
    Fd fd_;
    ConstBytes data_;
    std::span<const Fd> descriptors_;
};
[[nodiscard]] inline PassDescriptors pass_descriptors(const Connection& to, ConstBytes data,
                                                      std::span<const Fd> descriptors) noexcept {
    return {to, data, descriptors};
}

struct Passed {
    std::size_t size = 0;     // bytes; 0 at the end of the stream
    std::size_t count = 0;    // descriptors
    bool is_cut_off = false;  // there was no room for all descriptors; the rest are closed
};

// The received descriptors belong to the caller: give each to a Connection, a Listener or a Datagram.
// Cancel class: did nothing.
class [[nodiscard]] ReceiveDescriptors : public IoAwaitable<ReceiveDescriptors, Passed> {
public:
    ReceiveDescriptors(const Connection& from, Bytes into, std::span<Fd> numbers) noexcept
        : fd_(from.fd()), into_(into), numbers_(numbers) {}

    class Await : public IoAwait<ReceivePassedOp> {
    public:
        Await(PromiseBase& promise, const ReceiveDescriptors& receive) noexcept
            : IoAwait(promise, receive.fd_, receive.into_, receive.numbers_),
              sockets_(sockets_of(promise)) {}
        // Closes received descriptors that the task did not take.
        ~Await();
        [[nodiscard]] const char* what() const noexcept override { return "receive descriptors"; }
        [[nodiscard]] Result<Passed> outcome();

    private:
        Sockets& sockets_;
    };

private:
    Fd fd_;
    Bytes into_;
    std::span<Fd> numbers_;
};
[[nodiscard]] inline ReceiveDescriptors receive_descriptors(const Connection& from, Bytes into,
                                                            std::span<Fd> numbers) noexcept {
    return {from, into, numbers};
}

}  // namespace gyre::net
