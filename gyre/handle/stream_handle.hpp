// SPDX-License-Identifier: Apache-2.0
// StreamHandle: a connection over TCP (Tcp) or a Unix socket (Pipe): connect or adopt a descriptor,
// read until stopped, queue writes, shut down, close. Also here: its requests Connect, Write and
// Shutdown, each with one callback ("operation canceled" when the stream is closed first).
//
//     Tcp stream(loop);
//     stream.connect(connect, Address::loopback(8080), [&](Connect&, Status status) {
//         if (status) stream.write(write, bytes_of("hello"), [](Write&, Status) {});
//     });
//
// Thread: any for operations that return a CallResult, else the loop's own.
// Lifetime: as Handle. It owns its descriptor from `open`, `connect` or `accept` on. Requests and
// their data belong to the caller and stay until the callback; a read buffer stays until the close
// callback.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gyre/handle/detail/socket_handle.hpp"
#include "gyre/handle/request.hpp"
#include "gyre/io/socket_ops.hpp"

namespace gyre::handle {

class StreamHandle;
struct WriteLinks;

class Connect final : public ActiveRequest {
public:
    using OnDone = Callback<Connect&, Status>;

    explicit Connect(const std::source_location& made_at = std::source_location::current()) noexcept
        : ActiveRequest(made_at), op_(-1, Address()) {}
    [[nodiscard]] const char* kind() const noexcept override { return "connect"; }
    [[nodiscard]] StreamHandle& stream() const noexcept { return *stream_; }

private:
    friend class StreamHandle;
    void on_done(Op& op) noexcept override;

    StreamHandle* stream_ = nullptr;
    AnyCallback callback_;
    ConnectOp op_;
};

class Write final : public ActiveRequest, public Link<WriteLinks> {
public:
    using OnDone = Callback<Write&, Status>;

    explicit Write(const std::source_location& made_at = std::source_location::current()) noexcept
        : ActiveRequest(made_at), op_(-1, ConstBytes()) {}
    [[nodiscard]] const char* kind() const noexcept override { return "write"; }
    [[nodiscard]] StreamHandle& stream() const noexcept { return *stream_; }

private:
    friend class StreamHandle;
    void on_done(Op& op) noexcept override;

    StreamHandle* stream_ = nullptr;
    AnyCallback callback_;
    SendOp op_;  // its buffer: the bytes still to be sent
};

class Shutdown final : public ActiveRequest {
public:
    using OnDone = Callback<Shutdown&, Status>;

    explicit Shutdown(
        const std::source_location& made_at = std::source_location::current()) noexcept
        : ActiveRequest(made_at) {}
    [[nodiscard]] const char* kind() const noexcept override { return "shutdown"; }
    [[nodiscard]] StreamHandle& stream() const noexcept { return *stream_; }

private:
    friend class StreamHandle;
    void on_pending() noexcept override;

    StreamHandle* stream_ = nullptr;
    AnyCallback callback_;
};

class StreamHandle : public SocketHandle<ReceiveOp> {
public:
    // The bytes received; none at the end of the stream. The end and an error stop the reading.
    using OnRead = Callback<StreamHandle&, Result<ConstBytes>>;

    // Adopts the descriptor of a connected socket, a pipe or a terminal. The error
    // `device_or_resource_busy` when the stream has a descriptor.
    CallResult<Status> open(Fd fd);
    // The error `device_or_resource_busy` when the stream has a descriptor. Errors of the connect
    // itself (refused, unreachable) arrive in the callback.
    CallResult<Status> connect(Connect& request, const Address& to, Connect::OnDone on_done);

    // Reads into the buffer repeatedly. The buffer belongs to the stream until the close callback,
    // also after read_stop: bytes that arrived by then are reported by the next read_start. The
    // errors `not_connected`, and `connection_already_in_progress` when it is reading.
    CallResult<Status> read_start(Bytes buffer, OnRead on_read);
    CallResult<Status> read_stop();

    // Writes are sent in order. The error `bad_file_descriptor` without a descriptor,
    // `broken_pipe` after a shutdown.
    CallResult<Status> write(Write& request, ConstBytes data, Write::OnDone on_done);
    // Ends the sending side when every queued write is sent. The error `not_connected` without a
    // connection, or after another shutdown.
    CallResult<Status> shutdown(Shutdown& request, Shutdown::OnDone on_done);

    // Bytes that the system has not accepted yet.
    [[nodiscard]] std::size_t write_queue_size() const noexcept { return write_queue_size_; }
    [[nodiscard]] bool is_readable() const noexcept { return has_bit(connected); }
    [[nodiscard]] bool is_writable() const noexcept {
        return has_bit(connected) && !has_bit(shut_down);
    }
    [[nodiscard]] Result<Address> local_address() const;

protected:
    StreamHandle(PhasedLoop& loop, const std::source_location& made_at) noexcept
        : SocketHandle(loop, made_at) {}
    ~StreamHandle() = default;

private:
    friend class Connect;
    friend class Write;
    friend class Shutdown;
    friend class ListenerHandle;

    enum StreamBit : std::uint8_t {
        connected = first_of_derived,
        shut_down = 2 * connected,
        connecting = 4 * connected,
        sending = 8 * connected,
    };

    Status take_over(Fd fd) noexcept;
    Status connect_here(Connect& request, const Address& to, AnyCallback on_done) noexcept;
    Status read_here(Bytes buffer, AnyCallback on_read) noexcept;
    Status write_here(Write& request, ConstBytes data, AnyCallback on_done) noexcept;
    Status shutdown_here(Shutdown& request, AnyCallback on_done) noexcept;

    void on_connected(Connect& request, std::int32_t result) noexcept;
    void send(Write& request) noexcept;
    void on_sent(Write& request, std::int32_t result) noexcept;
    void finish_write(Write& request, Status status) noexcept;
    void finish_shutdown(Status status) noexcept;
    void shut_down_now() noexcept;

    void tell() noexcept override;
    [[nodiscard]] bool may_finish() const noexcept override;
    void on_finish() noexcept override;

    std::size_t write_queue_size_ = 0;
    Queue<Write, WriteLinks> writes_;  // the first is in flight
    Shutdown* shutdown_ = nullptr;
};

class Tcp final : public StreamHandle {
public:
    explicit Tcp(PhasedLoop& loop,
                 const std::source_location& made_at = std::source_location::current()) noexcept
        : StreamHandle(loop, made_at) {}
    [[nodiscard]] const char* kind() const noexcept override { return "tcp"; }
};

class Pipe final : public StreamHandle {
public:
    explicit Pipe(PhasedLoop& loop,
                  const std::source_location& made_at = std::source_location::current()) noexcept
        : StreamHandle(loop, made_at) {}
    [[nodiscard]] const char* kind() const noexcept override { return "pipe"; }
};

}  // namespace gyre::handle
