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
#include <optional>

#include "gyre/handle/handle.hpp"
#include "gyre/handle/stream_requests.hpp"
#include "gyre/kernel/io_ops.hpp"

namespace gyre::handle {

class Stream : public Handle {
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
    [[nodiscard]] Fd fd() const noexcept { return fd_; }

protected:
    Stream(PhasedLoop& loop, const std::source_location& made_at) noexcept
        : Handle(loop, made_at), receive_(-1, Bytes()), close_(-1) {}
    ~Stream() = default;

private:
    friend class Connect;
    friend class Write;
    friend class Shutdown;
    friend class Listener;

    enum Bit : std::uint8_t {
        connected = 1,
        reading = 2,
        shut_down = 4,
        telling = 8,  // of what arrived while nobody read
        connecting = 16,
        sending = 32,
    };
    [[nodiscard]] bool has_bit(Bit bit) const noexcept { return (bits_ & bit) != 0; }
    void set_bit(Bit bit, bool value) noexcept {
        bits_ = static_cast<std::uint8_t>(value ? bits_ | bit : bits_ & ~bit);
    }

    Status take_over(Fd fd) noexcept;
    Status connect_here(Connect& request, const Address& to, AnyCallback on_done) noexcept;
    Status read_here(Bytes buffer, AnyCallback on_read) noexcept;
    void tell(Bytes buffer, std::int32_t result) noexcept;
    void tell_later() noexcept;
    void stop_reading() noexcept;
    void receive_next() noexcept;
    Status write_here(Write& request, ConstBytes data, AnyCallback on_done) noexcept;
    Status shutdown_here(Shutdown& request, AnyCallback on_done) noexcept;

    void on_connected(Connect& request, std::int32_t result) noexcept;
    void send(Write& request) noexcept;
    void on_sent(Write& request, std::int32_t result) noexcept;
    void finish_write(Write& request, Status status) noexcept;
    void finish_shutdown(Status status) noexcept;
    void shut_down_now() noexcept;

    void on_done(Op& op) noexcept override;
    void on_close() noexcept override;
    [[nodiscard]] bool may_finish() const noexcept override;
    void on_finish() noexcept override;

    Fd fd_ = -1;
    std::size_t write_queue_size_ = 0;
    Queue<Write, WriteLinks> writes_;  // the first is under way
    Shutdown* shutdown_ = nullptr;
    Bytes next_buffer_;
    std::optional<std::int32_t> held_;  // what arrived in receive_'s buffer while nobody read
    ReceiveOp receive_;
    CloseOp close_;
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
