// SPDX-License-Identifier: Apache-2.0
// UdpState: a datagram socket. As for streams, sends and receives are system calls on the loop's
// thread, and the Watcher tells when the next one can succeed. The loop's thread.
#pragma once

#include <sys/socket.h>

#include "compat/uv/internal/fifo.hpp"
#include "compat/uv/internal/watcher.hpp"

namespace gyre::uv {

class UdpState final : public HandleState, public Fed, private Watcher::Owner {
public:
    UdpState(LoopState& loop, uv_udp_t* udp) noexcept
        : HandleState(loop, as_handle(udp)), watcher_(loop, *this), udp_(udp) {}

    static UdpState& of(const uv_udp_t* udp) noexcept {
        (void)LoopState::of(udp->loop);
        return *state_of<UdpState>(udp);
    }

    [[nodiscard]] handle::Handle& base() noexcept override { return watcher_; }
    [[nodiscard]] int fd() const noexcept { return fd_; }
    void open(int fd) noexcept;
    // A socket that is bound, made if there is none.
    [[nodiscard]] int ensure_socket(int family) noexcept;
    [[nodiscard]] int ensure_bound(int family) noexcept;

    [[nodiscard]] int send(uv_udp_send_t* request, const uv_buf_t* buffers, unsigned count,
                           const sockaddr* to, uv_udp_send_cb callback) noexcept;
    [[nodiscard]] int try_send(const uv_buf_t* buffers, unsigned count,
                               const sockaddr* to) noexcept;
    [[nodiscard]] int start_receiving(uv_alloc_cb alloc, uv_udp_recv_cb receive) noexcept;
    void stop_receiving() noexcept;

    void on_fed() noexcept override;
    void on_close() noexcept override;
    void on_closed() noexcept override;

    bool is_connected = false;
    bool is_bound = false;
    bool receives_many = false;    // recvmmsg
    bool receives_errors = false;  // UV_UDP_LINUX_RECVERR

private:
    void on_events(Events events) noexcept override;
    void on_watch_failed(int error) noexcept override;

    void take_arrived() noexcept;
    void send_and_tell() noexcept;
    void update_active() noexcept;
    void send_queued() noexcept;
    void finish_send(uv_udp_send_t* request, ssize_t status) noexcept;
    void run_send_callbacks() noexcept;
    void receive_available() noexcept;
    [[nodiscard]] bool receive_one(const uv_buf_t& buffer) noexcept;
    [[nodiscard]] bool receive_many(const uv_buf_t& buffer) noexcept;
    [[nodiscard]] bool report_no_datagram(const uv_buf_t& buffer, int error) noexcept;
    void receive_errors() noexcept;

    Watcher watcher_;
    uv_udp_t* udp_;
    int fd_ = -1;
    bool may_read_ = false;
    bool may_write_ = false;
    bool may_have_errors_ = false;  // in the queue of UV_UDP_LINUX_RECVERR
    bool is_receiving_ = false;
    Fifo<uv_udp_send_t*> sends_;
    Fifo<uv_udp_send_t*> sent_;  // their callbacks are due
};

}  // namespace gyre::uv
