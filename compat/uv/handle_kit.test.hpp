// SPDX-License-Identifier: Apache-2.0
// Kit: a handle of every kind, to be started, stopped and closed from any thread.
#pragma once

#include <signal.h>
#include <sys/socket.h>

#include <array>
#include <atomic>

#include "compat/uv/support.test.hpp"

namespace gyre::uv::test {

template <class Uv>
uv_stream_t* stream(Uv& handle) {
    return reinterpret_cast<uv_stream_t*>(&handle);
}

inline void give_buffer(uv_handle_t* /*handle*/, std::size_t /*size*/, uv_buf_t* buffer) {
    static std::array<char, 65536> room;
    *buffer = uv_buf_init(room.data(), room.size());
}

inline void add_one(void* count) {
    static_cast<std::atomic<int>*>(count)->fetch_add(1);
}

struct Kit {
    uv_timer_t timer;
    uv_idle_t idle;
    uv_prepare_t prepare;
    uv_check_t check;
    uv_async_t async;
    uv_signal_t signal;
    uv_poll_t poll;
    uv_tcp_t tcp;
    std::array<uv_pipe_t, 2> pipes;
    uv_udp_t udp;
    uv_fs_event_t event;
    uv_fs_poll_t fs_poll;
    int poll_fds[2];
    std::atomic<int> closed{0};

    void init(uv_loop_t* loop) {
        EXPECT_EQ(uv_timer_init(loop, &timer), 0);
        EXPECT_EQ(uv_idle_init(loop, &idle), 0);
        EXPECT_EQ(uv_prepare_init(loop, &prepare), 0);
        EXPECT_EQ(uv_check_init(loop, &check), 0);
        EXPECT_EQ(uv_async_init(loop, &async, [](uv_async_t*) {}), 0);
        EXPECT_EQ(uv_signal_init(loop, &signal), 0);
        EXPECT_EQ(::pipe(poll_fds), 0);
        EXPECT_EQ(uv_poll_init(loop, &poll, poll_fds[0]), 0);
        EXPECT_EQ(uv_tcp_init(loop, &tcp), 0);
        const sockaddr_in any = loopback(0);
        EXPECT_EQ(uv_tcp_bind(&tcp, address_of(any), 0), 0);
        int fds[2];
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
        for (std::size_t i = 0; i < 2; ++i) {
            EXPECT_EQ(uv_pipe_init(loop, &pipes[i], 0), 0);
            EXPECT_EQ(uv_pipe_open(&pipes[i], fds[i]), 0);
        }
        EXPECT_EQ(uv_udp_init(loop, &udp), 0);
        EXPECT_EQ(uv_udp_bind(&udp, address_of(any), 0), 0);
        EXPECT_EQ(uv_fs_event_init(loop, &event), 0);
        EXPECT_EQ(uv_fs_poll_init(loop, &fs_poll), 0);
    }

    void start_one(unsigned kind) {
        switch (kind) {
            case 0:
                uv_timer_start(&timer, [](uv_timer_t*) {}, 0, 1);
                return;
            case 1:
                uv_idle_start(&idle, [](uv_idle_t* self) { uv_idle_stop(self); });
                return;
            case 2:
                uv_prepare_start(&prepare, [](uv_prepare_t*) {});
                return;
            case 3:
                uv_check_start(&check, [](uv_check_t*) {});
                return;
            case 4:
                uv_async_send(&async);
                return;
            case 5:
                uv_signal_start(&signal, [](uv_signal_t*, int) {}, SIGUSR2);
                return;
            case 6:
                uv_poll_start(&poll, UV_READABLE, [](uv_poll_t*, int, int) {});
                return;
            case 7:
                uv_listen(stream(tcp), 1, [](uv_stream_t*, int) {});
                return;
            case 8:
                uv_read_start(stream(pipes[1]), give_buffer,
                              [](uv_stream_t*, ssize_t, const uv_buf_t*) {});
                return;
            case 9: {
                auto* write = new uv_write_t;
                const uv_buf_t piece = uv_buf_init(const_cast<char*>("x"), 1);
                uv_write(write, stream(pipes[0]), &piece, 1,
                         [](uv_write_t* request, int) { delete request; });
                return;
            }
            case 10:
                uv_udp_recv_start(
                    &udp, give_buffer,
                    [](uv_udp_t*, ssize_t, const uv_buf_t*, const sockaddr*, unsigned) {});
                return;
            case 11:
                uv_fs_event_start(&event, [](uv_fs_event_t*, const char*, int, int) {}, "/tmp", 0);
                return;
            case 12:
                uv_fs_poll_start(
                    &fs_poll, [](uv_fs_poll_t*, int, const uv_stat_t*, const uv_stat_t*) {}, "/",
                    1);
                return;
            default: {
                auto* work = new uv_work_t;
                uv_queue_work(
                    timer.loop, work, [](uv_work_t*) {},
                    [](uv_work_t* request, int) { delete request; });
                return;
            }
        }
    }

    void stop_one(unsigned kind) {
        switch (kind) {
            case 0:
                uv_timer_stop(&timer);
                return;
            case 1:
                uv_idle_stop(&idle);
                return;
            case 2:
                uv_prepare_stop(&prepare);
                return;
            case 3:
                uv_check_stop(&check);
                return;
            case 5:
                uv_signal_stop(&signal);
                return;
            case 6:
                uv_poll_stop(&poll);
                return;
            case 8:
                uv_read_stop(stream(pipes[1]));
                return;
            case 10:
                uv_udp_recv_stop(&udp);
                return;
            case 11:
                uv_fs_event_stop(&event);
                return;
            case 12:
                uv_fs_poll_stop(&fs_poll);
                return;
            default:
                uv_unref(reinterpret_cast<uv_handle_t*>(&udp));
                uv_ref(reinterpret_cast<uv_handle_t*>(&udp));
                return;
        }
    }

    template <class Uv>
    void close(Uv& handle) {
        handle.data = &closed;
        uv_close(reinterpret_cast<uv_handle_t*>(&handle),
                 [](uv_handle_t* base) { add_one(base->data); });
    }
    static constexpr int handle_count = 13;
    void close_all() {
        close(timer);
        close(idle);
        close(prepare);
        close(check);
        close(async);
        close(signal);
        close(poll);
        close(tcp);
        close(pipes[0]);
        close(pipes[1]);
        close(udp);
        close(event);
        close(fs_poll);
    }
};

}  // namespace gyre::uv::test
