// SPDX-License-Identifier: Apache-2.0
// Stream: a connection over TCP or a Unix socket (Tcp, Pipe): connect or take over a descriptor,
// read until told to stop, queue writes, shut down, close. It owns its descriptor from `open`,
// `connect` or `accept` on and closes it with itself. For the loop's own thread only, beside those
// of Handle: write_queue_size, is_readable, is_writable, local_address, fd.
//
//   stream.cpp        opening, reading, closing
//   stream_write.cpp  connect, write and shutdown
#pragma once

#include <cstdint>

#include "gyre/handle/socket_handle.hpp"
#include "gyre/handle/stream_requests.hpp"

namespace gyre::handle {

class Stream : public SocketHandle<ReceiveOp> {
public:
    // What came; no bytes at the end of the stream. The end and an error stop the reading.
    using OnRead = Callback<Stream&, Result<ConstBytes>>;

    // Takes over a connected socket, or a pipe's or a terminal's end. The error
    // `device_or_resource_busy` when the stream has a descriptor.
    Carried<Status> open(Fd fd);
    // The error `device_or_resource_busy` when the stream has a descriptor; `connected` errors and
    // refusals arrive in the callback.
    Carried<Status> connect(Connect& request, const Address& to, Connect::OnDone on_done);

    // Reads into the buffer again and again. It belongs to the stream until the close callback,
    // also after read_stop: what had arrived by then is told by the next read_start. The errors
    // `not_connected`, and `connection_already_in_progress` when it reads already.
    Carried<Status> read_start(Bytes buffer, OnRead on_read);
    Carried<Status> read_stop();

    // Writes go out in their order. The error `bad_file_descriptor` without a descriptor,
    // `broken_pipe` after a shutdown.
    Carried<Status> write(Write& request, ConstBytes data, Write::OnDone on_done);
    // Ends the sending side once every queued write is out. The error `not_connected` without a
    // connection, or after another shutdown.
    Carried<Status> shutdown(Shutdown& request, Shutdown::OnDone on_done);

    // Bytes that the system has not taken yet.
    [[nodiscard]] std::size_t write_queue_size() const noexcept { return write_queue_size_; }
    [[nodiscard]] bool is_readable() const noexcept { return has_bit(connected); }
    [[nodiscard]] bool is_writable() const noexcept {
        return has_bit(connected) && !has_bit(shut_down);
    }
    [[nodiscard]] Result<Address> local_address() const;

protected:
    Stream(PhasedLoop& loop, const std::source_location& made_at) noexcept
        : SocketHandle(loop, made_at) {}
    ~Stream() = default;

private:
    friend class Connect;
    friend class Write;
    friend class Shutdown;
    friend class Listener;

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
    Queue<Write, WriteLinks> writes_;  // the first is under way
    Shutdown* shutdown_ = nullptr;
};

class Tcp final : public Stream {
public:
    explicit Tcp(PhasedLoop& loop,
                 const std::source_location& made_at = std::source_location::current()) noexcept
        : Stream(loop, made_at) {}
    [[nodiscard]] const char* kind() const noexcept override { return "tcp"; }
};

class Pipe final : public Stream {
public:
    explicit Pipe(PhasedLoop& loop,
                  const std::source_location& made_at = std::source_location::current()) noexcept
        : Stream(loop, made_at) {}
    [[nodiscard]] const char* kind() const noexcept override { return "pipe"; }
};

}  // namespace gyre::handle
