// SPDX-License-Identifier: Apache-2.0
// StreamState: a TCP connection or listener, a pipe, or a terminal. Reads, writes and accepts are
// system calls on the loop's thread; the Watcher tells when the next one can succeed. Callbacks are
// never called inside the call that causes them. The loop's thread.
//
//   stream.cpp         its life: descriptor, connecting, shutting down, closing
//   stream_read.cpp    reading, and descriptors that come with the data
//   stream_accept.cpp  listening and accepting
//   stream_write.cpp   writing
//   tcp.cpp, pipe.cpp, tty.cpp   what is special about each kind
#pragma once

#include <string>

#include "compat/uv/internal/fifo.hpp"
#include "compat/uv/internal/watcher.hpp"

namespace gyre::uv {

// At its place in libuv: programs set it.
inline constexpr unsigned flag_readable = 0x00004000;

class StreamState final : public HandleState, public Fed, private Watcher::Owner {
public:
    StreamState(LoopState& loop, uv_stream_t* stream) noexcept
        : HandleState(loop, as_handle(stream)), watcher_(loop, *this), stream_(stream) {}

    template <class Uv>
    static StreamState& of(Uv* uv) noexcept {
        (void)LoopState::of(uv->loop);
        return *state_of<StreamState>(uv);
    }

    [[nodiscard]] handle::Handle& base() noexcept override { return watcher_; }
    [[nodiscard]] int fd() const noexcept { return fd_; }
    [[nodiscard]] bool is_readable() const noexcept { return is_readable_; }
    [[nodiscard]] bool is_writable() const noexcept { return is_writable_; }
    [[nodiscard]] bool is_shutting_down() const noexcept {
        return stream_->shutdown_req != nullptr;
    }

    // ---- Its life ----

    // Which directions a new descriptor has.
    struct Directions {
        bool readable = true;
        bool writable = true;
    };
    // UV_EBUSY when it has a descriptor.
    [[nodiscard]] int open(int fd, Directions directions) noexcept;
    // A descriptor that is bound, and neither connected nor listening yet.
    void keep(int fd) noexcept {
        fd_ = fd;
        stream_->io_watcher.fd = fd;
    }
    // The connect has begun, or failed with an error that the callback tells.
    void begin_connect(uv_connect_t* request, uv_connect_cb callback, int error) noexcept;
    [[nodiscard]] int shut_down(uv_shutdown_t* request, uv_shutdown_cb callback) noexcept;
    void on_close() noexcept override;
    void on_closed() noexcept override;
    void set_blocking(bool value) noexcept { is_blocking_ = value; }

    // ---- Reading ----

    [[nodiscard]] int start_reading(uv_alloc_cb alloc, uv_read_cb read) noexcept;
    void stop_reading() noexcept;

    // ---- Accepting ----

    // The socket listens already.
    void start_listening(uv_connection_cb callback) noexcept;
    // The connection or descriptor that waits, -1 for none; the next one waits then.
    [[nodiscard]] bool is_listening() const noexcept { return is_listening_; }
    [[nodiscard]] int accepted() const noexcept { return stream_->accepted_fd; }
    void take_accepted() noexcept;
    [[nodiscard]] std::size_t pending_count() const noexcept {
        return (accepted() >= 0 ? 1 : 0) + passed_.size();
    }

    // ---- Writing ----

    [[nodiscard]] int write(uv_write_t* request, const uv_buf_t* buffers, unsigned count,
                            uv_stream_t* passed, uv_write_cb callback) noexcept;
    // The count of bytes, or an error.
    [[nodiscard]] int try_write(const uv_buf_t* buffers, unsigned count,
                                uv_stream_t* passed) noexcept;

    void on_fed() noexcept override;

    // Set before the descriptor is there, and applied to it (tcp.cpp).
    bool wants_no_delay = false;
    int keep_alive_idle = 0;  // seconds; 0: none
    int keep_alive_interval = 1;
    int keep_alive_count = 10;
    bool is_bound = false;
    std::string pipe_path;  // unlinked at the close

private:
    void on_events(Events events) noexcept override;
    void on_watch_failed(int error) noexcept override;
    enum class Turn { of_events, of_pending };
    void go_on(Turn turn) noexcept;
    void update_active() noexcept;
    void watch_descriptor() noexcept;
    void release_descriptors() noexcept;
    [[nodiscard]] int connect_error() noexcept;
    void end_connect(int error) noexcept;
    void finish_connect() noexcept;
    void run_drain() noexcept;

    void read_available() noexcept;
    [[nodiscard]] bool read_once() noexcept;
    [[nodiscard]] ssize_t receive(const uv_buf_t& buffer) noexcept;
    void keep_passed(void* message) noexcept;
    void end_of_stream() noexcept;

    void accept_available() noexcept;
    [[nodiscard]] int accept_one() noexcept;
    [[nodiscard]] int refuse_one() noexcept;

    [[nodiscard]] bool may_pass() const noexcept {
        return stream_->type == UV_NAMED_PIPE &&
               reinterpret_cast<const uv_pipe_t*>(stream_)->ipc != 0;
    }
    [[nodiscard]] int check_write(const uv_stream_t* passed) const noexcept;
    [[nodiscard]] ssize_t send(const uv_buf_t* buffers, unsigned count, int passed_fd) noexcept;
    void write_queued() noexcept;
    void finish_write(uv_write_t* request, int error) noexcept;
    void cancel_writes(int error) noexcept;
    void run_write_callbacks() noexcept;

    Watcher watcher_;
    uv_stream_t* stream_;
    int fd_ = -1;
    // What the last edges and calls have told.
    bool may_read_ = false;
    bool may_write_ = false;
    bool has_failed_ = false;
    bool has_ended_ = false;
    bool has_hung_up_ = false;
    bool must_ask_ = false;       // whether may_read_ still holds
    bool must_ask_peer_ = false;  // an edge may be from before the connect

    bool is_readable_ = false;
    bool is_writable_ = false;
    bool is_reading_ = false;
    bool is_listening_ = false;
    bool is_shut_ = false;
    bool is_blocking_ = false;
    Fifo<uv_write_t*> writes_;
    Fifo<uv_write_t*> written_;  // their callbacks are due
    Fifo<int> passed_;           // descriptors behind accepted()
};

// Applies the options that were set before (tcp.cpp).
[[nodiscard]] int apply_tcp_options(StreamState& state, int fd) noexcept;
// What is listened on (tcp.cpp, pipe.cpp).
[[nodiscard]] int listen_tcp(uv_tcp_t* handle, int backlog) noexcept;
[[nodiscard]] int listen_pipe(uv_pipe_t* handle, int backlog) noexcept;

template <class Uv>
[[nodiscard]] int init_stream(uv_loop_t* loop, Uv* uv, uv_handle_type type) noexcept {
    init_fields(loop, uv, type);
    auto* stream = reinterpret_cast<uv_stream_t*>(uv);
    stream->alloc_cb = nullptr;
    stream->read_cb = nullptr;
    stream->connection_cb = nullptr;
    stream->connect_req = nullptr;
    stream->shutdown_req = nullptr;
    stream->accepted_fd = -1;
    stream->queued_fds = nullptr;
    stream->delayed_error = 0;
    stream->write_queue_size = 0;
    stream->io_watcher.fd = -1;
    return new (std::nothrow) StreamState(LoopState::of(loop), stream) == nullptr ? UV_ENOMEM : 0;
}

}  // namespace gyre::uv
