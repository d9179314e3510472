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

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

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
        : ActiveRequest(made_at), op_(-1, ConstBytes()), pieces_op_(-1, {}) {}
    [[nodiscard]] const char* kind() const noexcept override { return "write"; }
    [[nodiscard]] StreamHandle& stream() const noexcept { return *stream_; }

private:
    friend class StreamHandle;
    void on_done(Op& op) noexcept override;
    [[nodiscard]] Status take(std::span<const ConstBytes> pieces, std::span<const Fd> passed);
    void advance(std::size_t sent) noexcept;
    [[nodiscard]] std::size_t size_left() const noexcept;

    static constexpr std::size_t few = 4;

    StreamHandle* stream_ = nullptr;
    AnyCallback callback_;
    SendOp op_;               // sends one piece
    SendPiecesOp pieces_op_;  // sends several, or passes descriptors
    std::array<ConstBytes, few> few_;
    std::unique_ptr<ConstBytes[]> many_;  // instead, for more than a few pieces
    std::span<ConstBytes> left_;          // the pieces still to be sent
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
    // Provides the memory for one read, when there is something to read: sets the Bytes. The size is
    // a suggestion. Empty: the read callback gets the error `no_buffer_space`.
    using OnAllocate = Callback<StreamHandle&, std::size_t, Bytes&>;

    // Adopts the descriptor of a connected socket, a pipe or a terminal. The error
    // `device_or_resource_busy` when the stream has a descriptor.
    CallResult<Status> open(Fd fd);
    // Makes a socket with this local address, for `connect`. The error `device_or_resource_busy`
    // when the stream has a descriptor, `operation_not_supported` in simulated time.
    CallResult<Status> bind(const Address& at, BindOptions options = {});
    // The error `device_or_resource_busy` when the stream has a descriptor that was not bound by
    // `bind`. Errors of the connect itself (refused, unreachable) arrive in the callback.
    CallResult<Status> connect(Connect& request, const Address& to, Connect::OnDone on_done);

    // Reads into the buffer repeatedly. The buffer belongs to the stream until the close callback,
    // also after read_stop: bytes that arrived by then are reported by the next read_start. The
    // errors `not_connected`, and `connection_already_in_progress` when it is reading.
    CallResult<Status> read_start(Bytes buffer, OnRead on_read);
    // The same with memory that is asked for when there is something to read, so that a quiet stream
    // holds none. Each allocation is followed by one read callback on it: `read_buffer` is the whole
    // of it then. The error `resource_unavailable_try_again` gives it back unused; reading goes on.
    CallResult<Status> read_start(OnAllocate on_allocate, OnRead on_read);
    [[nodiscard]] Bytes read_buffer() const noexcept { return allocated_; }
    CallResult<Status> read_stop();

    // From now on descriptors that the peer passes are received too, by reads with OnAllocate on a
    // Unix socket. `take_passed` returns them, the oldest first, and -1 when there is none; those
    // that nobody has taken are closed with the stream.
    CallResult<Status> accept_passed();
    [[nodiscard]] Fd take_passed() noexcept;
    [[nodiscard]] std::size_t passed_count() const noexcept { return passed_.size(); }

    // Writes are sent in order. The error `bad_file_descriptor` without a descriptor,
    // `broken_pipe` after a shutdown.
    CallResult<Status> write(Write& request, ConstBytes data, Write::OnDone on_done);
    // Several buffers, as if they were one. The span is copied; the bytes stay until the callback.
    // Descriptors are passed with the first byte, over a Unix socket only; they stay open, and their
    // span stays, until the callback.
    CallResult<Status> write(Write& request, std::span<const ConstBytes> pieces,
                             Write::OnDone on_done, std::span<const Fd> passed = {});
    // Writes what the system accepts at once: the number of bytes, or the error
    // `resource_unavailable_try_again` when it accepts none, or writes are queued. From a foreign
    // thread the bytes stay until the result is there.
    CallResult<Result<std::size_t>> try_write(std::span<const ConstBytes> pieces,
                                              std::span<const Fd> passed = {});
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
        : SocketHandle(loop, made_at), readable_(-1, Events::readable, Trigger::level) {}
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
        allocating = 16 * connected,  // reading into memory of OnAllocate
    };

    Status take_over(Fd fd) noexcept;
    Status connect_here(Connect& request, const Address& to, AnyCallback on_done) noexcept;
    Status bind_here(const Address& at, BindOptions options);
    Status read_here(Bytes buffer, AnyCallback on_read) noexcept;
    Status read_allocating(AnyCallback on_allocate, AnyCallback on_read) noexcept;
    Status write_here(Write& request, std::span<const ConstBytes> pieces,
                      std::span<const Fd> passed, AnyCallback on_done);
    Result<std::size_t> try_write_here(std::span<const ConstBytes> pieces,
                                       std::span<const Fd> passed);
    Status shutdown_here(Shutdown& request, AnyCallback on_done) noexcept;

    void on_connected(Connect& request, std::int32_t result) noexcept;
    void send(Write& request) noexcept;
    void on_sent(Write& request, std::int32_t result) noexcept;
    void finish_write(Write& request, Status status) noexcept;
    void finish_shutdown(Status status) noexcept;
    void shut_down_now() noexcept;

    // stream_handle_read.cpp
    void watch_readable() noexcept;
    [[nodiscard]] bool read_once() noexcept;
    [[nodiscard]] Result<std::size_t> receive_allocated();
    void tell_read(Result<ConstBytes> data) noexcept;
    void on_done(Op& op) noexcept override;
    void on_rung(StandingOp& op) noexcept override;

    void tell() noexcept override;
    void on_close() noexcept override;
    [[nodiscard]] bool may_finish() const noexcept override;
    void on_finish() noexcept override;

    ReadinessOp readable_;
    AnyCallback allocate_;
    Bytes allocated_;
    std::vector<Fd> passed_;  // received, and not taken
    bool is_bound_ = false;
    bool accepts_passed_ = false;
    bool is_no_socket_ = false;  // a pipe or a terminal: sends one piece at a time
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
