// SPDX-License-Identifier: Apache-2.0
// Datagram sockets and children.
#include <netinet/in.h>
#include <sys/socket.h>

#include <csignal>
#include <cstring>

#include "compat/uv/support.test.hpp"

namespace gyre::uv::test {
namespace {

char room[200'000];
void allocate_room(uv_handle_t*, std::size_t, uv_buf_t* buffer) {
    *buffer = uv_buf_init(room, sizeof room);
}

class UvUdp : public UvLoop {
protected:
    UvUdp() {
        EXPECT_EQ(uv_udp_init(&loop, &receiver), 0);
        EXPECT_EQ(uv_udp_init(&loop, &sender), 0);
        const sockaddr_in any = loopback(0);
        EXPECT_EQ(uv_udp_bind(&receiver, address_of(any), 0), 0);
        int size = sizeof address;
        EXPECT_EQ(uv_udp_getsockname(&receiver, reinterpret_cast<sockaddr*>(&address), &size), 0);
        receiver.data = &received;
    }
    ~UvUdp() override {
        close(receiver);
        close(sender);
        run();
    }
    static void receive(uv_udp_t* handle, ssize_t count, const uv_buf_t* buffer,
                        const sockaddr* from, unsigned flags) {
        EXPECT_GE(count, 0);
        if (from == nullptr) return;
        EXPECT_EQ(flags & UV_UDP_PARTIAL, 0u);
        static_cast<std::string*>(handle->data)
            ->append(buffer->base, static_cast<std::size_t>(count));
    }
    // A mark tells that the buffer of several datagrams is free again.
    static void receive_many(uv_udp_t* handle, ssize_t count, const uv_buf_t* buffer,
                             const sockaddr* from, unsigned flags) {
        receive(handle, count, buffer, from, flags);
        if ((flags & UV_UDP_MMSG_FREE) == 0) return;
        EXPECT_EQ(from, nullptr);
        EXPECT_EQ(buffer->base, room);
        static_cast<std::string*>(handle->data)->append("free");
    }
    void receive_until(std::size_t size) {
        while (received.size() < size) (void)run(UV_RUN_ONCE);
    }

    uv_udp_t receiver;
    uv_udp_t sender;
    sockaddr_in address{};
    std::string received;
    char text[4] = {'o', 'n', 'e', ' '};
    uv_buf_t buffer = uv_buf_init(text, sizeof text);
};

TEST_F(UvUdp, sends_and_receives) {
    EXPECT_EQ(uv_udp_recv_start(&receiver, nullptr, receive), UV_EINVAL);
    ASSERT_EQ(uv_udp_recv_start(&receiver, allocate_room, receive), 0);
    EXPECT_EQ(uv_udp_recv_start(&receiver, allocate_room, receive), UV_EALREADY);
    uv_udp_send_t request;
    int status = 1;
    request.data = &status;
    EXPECT_EQ(uv_udp_send(&request, &sender, &buffer, 1, nullptr, nullptr), UV_EDESTADDRREQ);
    ASSERT_EQ(uv_udp_send(&request, &sender, &buffer, 1, address_of(address),
                          [](uv_udp_send_t* req, int how) { *static_cast<int*>(req->data) = how; }),
              0);
    EXPECT_EQ(status, 1);
    receive_until(4);
    while (status == 1) (void)run(UV_RUN_ONCE);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(uv_udp_get_send_queue_size(&sender), 0u);
    EXPECT_EQ(uv_udp_get_send_queue_count(&sender), 0u);
    EXPECT_EQ(uv_udp_try_send(&sender, &buffer, 1, address_of(address)), 4);
    uv_buf_t* buffers[] = {&buffer, &buffer};
    unsigned counts[] = {1, 1};
    sockaddr* targets[] = {reinterpret_cast<sockaddr*>(&address),
                           reinterpret_cast<sockaddr*>(&address)};
    EXPECT_EQ(uv_udp_try_send2(&sender, 2, buffers, counts, targets, 0), 2);
    EXPECT_EQ(uv_udp_try_send2(&sender, 0, buffers, counts, targets, 0), UV_EINVAL);
    receive_until(16);
    EXPECT_EQ(received, "one one one one ");
    EXPECT_EQ(uv_udp_recv_stop(&receiver), 0);
    EXPECT_EQ(uv_is_active(base(receiver)), 0);
}

TEST_F(UvUdp, connects_to_one_peer) {
    EXPECT_EQ(uv_udp_connect(&sender, nullptr), UV_ENOTCONN);
    ASSERT_EQ(uv_udp_connect(&sender, address_of(address)), 0);
    EXPECT_EQ(uv_udp_connect(&sender, address_of(address)), UV_EISCONN);
    sockaddr_in peer{};
    int size = sizeof peer;
    EXPECT_EQ(uv_udp_getpeername(&sender, reinterpret_cast<sockaddr*>(&peer), &size), 0);
    EXPECT_EQ(peer.sin_port, address.sin_port);
    EXPECT_EQ(uv_udp_try_send(&sender, &buffer, 1, address_of(address)), UV_EISCONN);
    EXPECT_EQ(uv_udp_try_send(&sender, &buffer, 1, nullptr), 4);
    EXPECT_EQ(uv_udp_connect(&sender, nullptr), 0);
}

TEST_F(UvUdp, receives_many_at_once_into_one_buffer) {
    uv_udp_t many;
    EXPECT_EQ(uv_udp_init_ex(&loop, &many, 1u << 20u), UV_EINVAL);
    ASSERT_EQ(uv_udp_init_ex(&loop, &many, AF_INET | UV_UDP_RECVMMSG), 0);
    EXPECT_EQ(uv_udp_using_recvmmsg(&many), 1);
    EXPECT_EQ(uv_udp_using_recvmmsg(&sender), 0);
    sockaddr_in at = loopback(0);
    ASSERT_EQ(uv_udp_bind(&many, address_of(at), UV_UDP_REUSEADDR), 0);
    int size = sizeof at;
    ASSERT_EQ(uv_udp_getsockname(&many, reinterpret_cast<sockaddr*>(&at), &size), 0);
    many.data = &received;
    for (int i = 0; i < 2; ++i) EXPECT_EQ(uv_udp_try_send(&sender, &buffer, 1, address_of(at)), 4);
    ASSERT_EQ(uv_udp_recv_start(&many, allocate_room, receive_many), 0);
    receive_until(8);
    EXPECT_EQ(received, "one one free");
    close(many);
    run();
}

TEST_F(UvUdp, has_options_and_groups) {
    EXPECT_EQ(uv_udp_set_broadcast(&sender, 1), UV_EBADF);
    EXPECT_EQ(uv_udp_set_broadcast(&receiver, 1), 0);
    EXPECT_EQ(uv_udp_set_ttl(&receiver, 0), UV_EINVAL);
    EXPECT_EQ(uv_udp_set_ttl(&receiver, 64), 0);
    EXPECT_EQ(uv_udp_set_multicast_ttl(&receiver, 32), 0);
    EXPECT_EQ(uv_udp_set_multicast_loop(&receiver, 1), 0);
    EXPECT_EQ(uv_udp_set_multicast_interface(&receiver, "no address"), UV_EINVAL);
    EXPECT_EQ(uv_udp_set_multicast_interface(&receiver, "127.0.0.1"), 0);
    EXPECT_EQ(uv_udp_set_multicast_interface(&receiver, nullptr), 0);
    EXPECT_EQ(uv_udp_set_membership(&receiver, "no address", nullptr, UV_JOIN_GROUP), UV_EINVAL);
    EXPECT_EQ(uv_udp_set_membership(&receiver, "239.255.0.1", "127.0.0.1", UV_JOIN_GROUP), 0);
    EXPECT_EQ(uv_udp_set_membership(&receiver, "239.255.0.1", "127.0.0.1", UV_LEAVE_GROUP), 0);
    EXPECT_EQ(uv_udp_set_source_membership(&receiver, "232.1.1.1", "127.0.0.1", "127.0.0.1",
                                           UV_JOIN_GROUP),
              0);
    EXPECT_EQ(
        uv_udp_set_source_membership(&receiver, "232.1.1.1", "127.0.0.1", "::1", UV_JOIN_GROUP),
        UV_EINVAL);
}

TEST_F(UvUdp, takes_over_a_socket) {
    const int fd = ::socket(AF_INET, SOCK_DGRAM, 0);
    EXPECT_EQ(uv_udp_open_ex(&sender, fd, 1000), UV_EINVAL);
    ASSERT_EQ(uv_udp_open_ex(&sender, fd, UV_UDP_REUSEADDR), 0);
    EXPECT_EQ(uv_udp_open(&sender, fd), UV_EBUSY);
    EXPECT_EQ(uv_udp_try_send(&sender, &buffer, 1, address_of(address)), 4);
}

struct End {
    std::string order;
    std::int64_t code = -1;
    int signal = -1;
    uv_pipe_t output;
};

void on_exit(uv_process_t* process, std::int64_t code, int signal) {
    auto& end = *static_cast<End*>(process->data);
    end.order += "exit";
    end.code = code;
    end.signal = signal;
    uv_close(reinterpret_cast<uv_handle_t*>(process), nullptr);
}

void on_output(uv_stream_t* handle, ssize_t count, const uv_buf_t* buffer) {
    auto& end = *static_cast<End*>(handle->data);
    if (count > 0) end.order.append(buffer->base, static_cast<std::size_t>(count));
    if (count >= 0) return;
    EXPECT_EQ(count, UV_EOF);
    end.order += "eof ";
    uv_close(reinterpret_cast<uv_handle_t*>(handle), nullptr);
}

// clause: L28
TEST_F(UvLoop, a_child_ends_after_its_output) {
    End end;
    char* arguments[] = {const_cast<char*>("sh"), const_cast<char*>("-c"),
                         const_cast<char*>("echo \"$GYRE_UV $(pwd)\"; exit 3"), nullptr};
    char* environment[] = {const_cast<char*>("GYRE_UV=in"), const_cast<char*>("PATH=/usr/bin:/bin"),
                           nullptr};
    ASSERT_EQ(uv_pipe_init(&loop, &end.output, 0), 0);
    end.output.data = &end;
    uv_stdio_container_t streams[2]{};
    streams[0].flags = UV_IGNORE;
    streams[1].flags = static_cast<uv_stdio_flags>(UV_CREATE_PIPE | UV_WRITABLE_PIPE);
    streams[1].data.stream = reinterpret_cast<uv_stream_t*>(&end.output);
    uv_process_options_t options{};
    options.file = "sh";
    options.args = arguments;
    options.env = environment;
    options.cwd = "/usr";
    options.exit_cb = on_exit;
    options.stdio_count = 2;
    options.stdio = streams;
    uv_process_t process;
    process.data = &end;
    ASSERT_EQ(uv_spawn(&loop, &process, &options), 0);
    EXPECT_GT(uv_process_get_pid(&process), 0);
    ASSERT_EQ(uv_read_start(reinterpret_cast<uv_stream_t*>(&end.output), allocate_room, on_output),
              0);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(end.order, "in /usr\neof exit");
    EXPECT_EQ(end.code, 3);
    EXPECT_EQ(end.signal, 0);
}

TEST_F(UvLoop, a_child_can_be_killed) {
    End end;
    char* arguments[] = {const_cast<char*>("sleep"), const_cast<char*>("600"), nullptr};
    uv_process_options_t options{};
    options.file = "sleep";
    options.args = arguments;
    options.flags = UV_PROCESS_DETACHED;
    options.exit_cb = on_exit;
    uv_process_t process;
    process.data = &end;
    ASSERT_EQ(uv_spawn(&loop, &process, &options), 0);
    EXPECT_EQ(uv_process_kill(&process, 0), 0);
    EXPECT_EQ(uv_process_kill(&process, SIGTERM), 0);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(end.signal, SIGTERM);
    EXPECT_EQ(end.code, 0);
}

TEST_F(UvLoop, a_program_that_is_missing_is_the_result_of_the_call) {
    char* arguments[] = {const_cast<char*>("x"), nullptr};
    uv_process_options_t options{};
    options.file = "/no/such/program";
    options.args = arguments;
    uv_process_t process;
    EXPECT_EQ(uv_spawn(&loop, &process, &options), UV_ENOENT);
    EXPECT_EQ(uv_is_active(base(process)), 0);
    close(process);
    EXPECT_EQ(run(), 0);
}

// What the network told of a datagram comes with the place that told it, on a socket that is not
// connected too.
TEST_F(UvUdp, tells_errors_of_datagrams_sent) {
    uv_udp_t handle;
    ASSERT_EQ(uv_udp_init(&loop, &handle), 0);
    const sockaddr_in any = loopback(0);
    ASSERT_EQ(uv_udp_bind(&handle, address_of(any), UV_UDP_LINUX_RECVERR), 0);
    static int errors;
    errors = 0;
    ASSERT_EQ(uv_udp_recv_start(&handle, allocate_room,
                                [](uv_udp_t* udp, ssize_t count, const uv_buf_t*,
                                   const sockaddr* from, unsigned flags) {
                                    if (count == 0) return;
                                    EXPECT_EQ(count, UV_ECONNREFUSED);
                                    EXPECT_EQ(flags, unsigned{UV_UDP_LINUX_RECVERR});
                                    ASSERT_NE(from, nullptr);
                                    EXPECT_EQ(from->sa_family, AF_INET);
                                    ++errors;
                                    uv_close(reinterpret_cast<uv_handle_t*>(udp), nullptr);
                                }),
              0);
    const sockaddr_in nobody = loopback(1);
    char letter = 'x';
    const uv_buf_t piece = uv_buf_init(&letter, 1);
    EXPECT_EQ(uv_udp_try_send(&handle, &piece, 1, address_of(nobody)), 1);
    run();
    EXPECT_EQ(errors, 1);
}

TEST_F(UvUdp, receives_on_a_socket_of_another_family) {
    int fds[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_DGRAM, 0, fds), 0);
    uv_udp_t handle;
    ASSERT_EQ(uv_udp_init(&loop, &handle), 0);
    ASSERT_EQ(uv_udp_open(&handle, fds[0]), 0);
    static ssize_t received;
    received = 0;
    ASSERT_EQ(
        uv_udp_recv_start(
            &handle,
            [](uv_handle_t*, std::size_t, uv_buf_t* buffer) {
                static std::array<char, 64> room;
                *buffer = uv_buf_init(room.data(), room.size());
            },
            [](uv_udp_t* udp, ssize_t count, const uv_buf_t*, const sockaddr* from, unsigned) {
                if (count <= 0) return;
                received = count;
                EXPECT_EQ(from, nullptr);
                uv_close(reinterpret_cast<uv_handle_t*>(udp), nullptr);
            }),
        0);
    EXPECT_EQ(::write(fds[1], "hello", 5), 5);
    run();
    EXPECT_EQ(received, 5);
    ::close(fds[1]);
}

}  // namespace
}  // namespace gyre::uv::test
