// SPDX-License-Identifier: Apache-2.0
// Streams: TCP connections, pipes with descriptors in them, terminals.
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cstring>

#include "compat/uv/support.test.hpp"

namespace gyre::uv::test {
namespace {

template <class Uv>
uv_stream_t* stream(Uv& handle) {
    return reinterpret_cast<uv_stream_t*>(&handle);
}

void allocate_some(uv_handle_t*, std::size_t, uv_buf_t* buffer) {
    static char room[1000];
    *buffer = uv_buf_init(room, sizeof room);
}

// What a reader has seen, through uv_handle_t::data.
struct Reader {
    std::string text;
    ssize_t end = 0;
};
void read_into(uv_stream_t* handle, ssize_t count, const uv_buf_t* buffer) {
    auto& reader = *static_cast<Reader*>(handle->data);
    if (count > 0) reader.text.append(buffer->base, static_cast<std::size_t>(count));
    if (count < 0) {
        reader.end = count;
        uv_close(reinterpret_cast<uv_handle_t*>(handle), nullptr);
    }
}

uv_buf_t buffer_of(const char* text) {
    return uv_buf_init(const_cast<char*>(text), static_cast<unsigned>(std::strlen(text)));
}

class UvTcp : public UvLoop {
protected:
    UvTcp() {
        EXPECT_EQ(uv_tcp_init(&loop, &listener), 0);
        EXPECT_EQ(uv_tcp_init(&loop, &client), 0);
        EXPECT_EQ(uv_tcp_init(&loop, &served), 0);
        listener.data = this;
        const sockaddr_in any = loopback(0);
        EXPECT_EQ(uv_tcp_bind(&listener, address_of(any), 0), 0);
        EXPECT_EQ(uv_listen(stream(listener), 16, on_connection), 0);
        int size = sizeof address;
        EXPECT_EQ(uv_tcp_getsockname(&listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
    }
    static void on_connection(uv_stream_t* handle, int status) {
        EXPECT_EQ(status, 0);
        auto& test = *static_cast<UvTcp*>(handle->data);
        EXPECT_EQ(uv_accept(handle, stream(test.served)), 0);
        EXPECT_EQ(uv_accept(handle, stream(test.served)), UV_EAGAIN);
        test.is_accepted = true;
        test.close(test.listener);
    }
    void connect() {
        ASSERT_EQ(uv_tcp_connect(&connecting, &client, address_of(address),
                                 [](uv_connect_t*, int status) { EXPECT_EQ(status, 0); }),
                  0);
        EXPECT_EQ(uv_tcp_connect(&connecting, &client, address_of(address), nullptr), UV_EALREADY);
        while (!is_accepted || client.connect_req != nullptr) (void)run(UV_RUN_ONCE);
    }

    uv_tcp_t listener;
    uv_tcp_t client;
    uv_tcp_t served;
    uv_connect_t connecting;
    sockaddr_in address{};
    bool is_accepted = false;
};

TEST_F(UvTcp, carries_data_both_ways_until_the_end) {
    connect();
    Reader at_server;
    Reader at_client;
    served.data = &at_server;
    client.data = &at_client;
    EXPECT_EQ(uv_read_start(stream(served), nullptr, read_into), UV_EINVAL);
    ASSERT_EQ(uv_read_start(stream(served), allocate_some, read_into), 0);
    EXPECT_EQ(uv_read_start(stream(served), allocate_some, read_into), UV_EALREADY);
    ASSERT_EQ(uv_read_start(stream(client), allocate_some, read_into), 0);
    const uv_buf_t parts[] = {buffer_of("one "), buffer_of("two "), buffer_of("three "),
                              buffer_of("four "), buffer_of("five")};
    uv_write_t write;
    bool is_written = false;
    write.data = &is_written;
    ASSERT_EQ(uv_write(&write, stream(client), parts, 5,
                       [](uv_write_t* req, int status) {
                           EXPECT_EQ(status, 0);
                           *static_cast<bool*>(req->data) = true;
                       }),
              0);
    EXPECT_FALSE(is_written) << "never inside the call";
    uv_shutdown_t shutdown;
    ASSERT_EQ(uv_shutdown(&shutdown, stream(client),
                          [](uv_shutdown_t*, int status) { EXPECT_EQ(status, 0); }),
              0);
    EXPECT_EQ(uv_shutdown(&shutdown, stream(client), nullptr), UV_ENOTCONN);
    EXPECT_EQ(uv_is_writable(stream(client)), 0);
    EXPECT_EQ(uv_write(&write, stream(client), parts, 1, nullptr), UV_EPIPE);
    EXPECT_EQ(uv_write(&write, stream(served), parts, 0, nullptr), UV_EINVAL);
    const uv_buf_t answer = buffer_of("answer");
    EXPECT_EQ(uv_try_write(stream(served), &answer, 1), 6);
    while (at_server.end == 0) (void)run(UV_RUN_ONCE);
    EXPECT_EQ(run(), 0);
    EXPECT_TRUE(is_written);
    EXPECT_EQ(at_server.text, "one two three four five");
    EXPECT_EQ(at_server.end, UV_EOF);
    EXPECT_EQ(at_client.text, "answer");
}

TEST_F(UvTcp, queues_what_the_system_does_not_take) {
    connect();
    const std::string large(std::size_t{8} << 20u, 'x');
    const uv_buf_t all = uv_buf_init(const_cast<char*>(large.data()), 8u << 20u);
    uv_write_t write;
    int status = 1;
    write.data = &status;
    ASSERT_EQ(uv_write(&write, stream(client), &all, 1,
                       [](uv_write_t* req, int how) { *static_cast<int*>(req->data) = how; }),
              0);
    EXPECT_GT(uv_stream_get_write_queue_size(stream(client)), 0u);
    EXPECT_EQ(uv_try_write(stream(client), &all, 1), UV_EAGAIN);
    Reader reader;
    served.data = &reader;
    ASSERT_EQ(uv_read_start(stream(served), allocate_some, read_into), 0);
    while (status == 1) (void)run(UV_RUN_ONCE);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(uv_stream_get_write_queue_size(stream(client)), 0u);
    close(client);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(reader.text.size(), large.size());
}

TEST_F(UvTcp, that_is_closed_cancels_its_requests) {
    connect();
    const std::string large(std::size_t{8} << 20u, 'x');
    const uv_buf_t all = uv_buf_init(const_cast<char*>(large.data()), 8u << 20u);
    uv_write_t write;
    int status = 1;
    write.data = &status;
    ASSERT_EQ(uv_write(&write, stream(client), &all, 1,
                       [](uv_write_t* req, int how) { *static_cast<int*>(req->data) = how; }),
              0);
    EXPECT_EQ(uv_tcp_close_reset(&client, nullptr), 0);
    EXPECT_EQ(status, 1);
    Reader reader;
    served.data = &reader;
    ASSERT_EQ(uv_read_start(stream(served), allocate_some, read_into), 0);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(status, UV_ECANCELED);
    EXPECT_EQ(reader.end, UV_ECONNRESET);
}

TEST_F(UvTcp, tells_a_refused_connection_in_the_callback) {
    close(listener);
    close(served);
    run();
    int status = 1;
    connecting.data = &status;
    ASSERT_EQ(
        uv_tcp_connect(&connecting, &client, address_of(address),
                       [](uv_connect_t* req, int how) { *static_cast<int*>(req->data) = how; }),
        0);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(status, UV_ECONNREFUSED);
    close(client);
    run();
}

TEST_F(UvTcp, has_options_and_names) {
    EXPECT_EQ(uv_tcp_nodelay(&client, 1), 0);
    EXPECT_EQ(uv_tcp_keepalive(&client, 1, 0), UV_EINVAL);
    EXPECT_EQ(uv_tcp_keepalive(&client, 1, 60), 0);
    EXPECT_EQ(uv_tcp_keepalive_ex(&client, 1, 60, 2, 0), UV_EINVAL);
    EXPECT_EQ(uv_tcp_keepalive_ex(&client, 1, 60, 2, 3), 0);
    EXPECT_EQ(uv_tcp_simultaneous_accepts(&client, 1), 0);
    connect();
    int fd = -1;
    ASSERT_EQ(uv_fileno(base(client), &fd), 0);
    int value = 0;
    socklen_t size = sizeof value;
    ASSERT_EQ(::getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &value, &size), 0);
    EXPECT_EQ(value, 1);
    ASSERT_EQ(::getsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &value, &size), 0);
    EXPECT_EQ(value, 3);
    sockaddr_in peer{};
    int length = sizeof peer;
    EXPECT_EQ(uv_tcp_getpeername(&client, reinterpret_cast<sockaddr*>(&peer), &length), 0);
    EXPECT_EQ(peer.sin_port, address.sin_port);
    int bytes = 100'000;
    EXPECT_EQ(uv_send_buffer_size(base(client), &bytes), 0);
    bytes = 0;
    EXPECT_EQ(uv_send_buffer_size(base(client), &bytes), 0);
    EXPECT_EQ(bytes, 200'000);
    bytes = 0;
    EXPECT_EQ(uv_recv_buffer_size(base(client), &bytes), 0);
    EXPECT_GT(bytes, 0);
    EXPECT_EQ(uv_is_readable(stream(client)), 1);
    EXPECT_EQ(uv_stream_set_blocking(stream(client), 1), 0);
    EXPECT_EQ(::fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
    close(client);
    close(served);
    run();
}

TEST_F(UvLoop, tells_a_taken_port_when_it_listens) {
    uv_tcp_t first;
    uv_tcp_t second;
    EXPECT_EQ(uv_tcp_init_ex(&loop, &first, 1000), UV_EINVAL);
    ASSERT_EQ(uv_tcp_init_ex(&loop, &first, AF_INET), 0);
    ASSERT_EQ(uv_tcp_init(&loop, &second), 0);
    sockaddr_in at = loopback(0);
    EXPECT_EQ(uv_tcp_bind(&first, address_of(at), UV_TCP_IPV6ONLY), UV_EINVAL);
    ASSERT_EQ(uv_tcp_bind(&first, address_of(at), 0), 0);
    ASSERT_EQ(uv_listen(stream(first), 1, [](uv_stream_t*, int) {}), 0);
    int size = sizeof at;
    ASSERT_EQ(uv_tcp_getsockname(&first, reinterpret_cast<sockaddr*>(&at), &size), 0);
    EXPECT_EQ(uv_tcp_bind(&second, address_of(at), 0), 0);
    EXPECT_EQ(uv_listen(stream(second), 1, [](uv_stream_t*, int) {}), UV_EADDRINUSE);
    close(first);
    close(second);
    run();
    uv_tcp_t adopted;
    ASSERT_EQ(uv_tcp_init(&loop, &adopted), 0);
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(uv_tcp_open(&adopted, fd), 0);
    EXPECT_EQ(uv_tcp_open(&adopted, 0), UV_EBUSY);
    close(adopted);
    run();
}

class UvPipe : public UvLoop {
protected:
    TemporaryFolder folder;
};

TEST_F(UvPipe, connects_by_name) {
    const std::string path = folder / "socket";
    uv_pipe_t listener;
    uv_pipe_t client;
    ASSERT_EQ(uv_pipe_init(&loop, &listener, 0), 0);
    ASSERT_EQ(uv_pipe_init(&loop, &client, 0), 0);
    EXPECT_EQ(uv_pipe_bind(&listener, nullptr), UV_EINVAL);
    EXPECT_EQ(uv_pipe_bind(&listener, "/no/such/folder/socket"), UV_EACCES);
    ASSERT_EQ(uv_pipe_bind(&listener, path.c_str()), 0);
    EXPECT_EQ(uv_pipe_bind(&listener, path.c_str()), UV_EINVAL);
    EXPECT_STREQ(listener.pipe_fname, path.c_str());
    uv_pipe_pending_instances(&listener, 4);
    ASSERT_EQ(uv_listen(stream(listener), 4,
                        [](uv_stream_t* server, int status) {
                            EXPECT_EQ(status, 0);
                            uv_close(reinterpret_cast<uv_handle_t*>(server), nullptr);
                        }),
              0);
    EXPECT_EQ(uv_pipe_chmod(&listener, UV_READABLE | UV_WRITABLE), 0);
    EXPECT_EQ(uv_pipe_chmod(&listener, 64), UV_EINVAL);
    struct stat found{};
    ASSERT_EQ(::stat(path.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0666u, 0666u);
    char name[256];
    std::size_t size = sizeof name;
    ASSERT_EQ(uv_pipe_getsockname(&listener, name, &size), 0);
    EXPECT_EQ(path, name);
    uv_connect_t connect;
    connect.data = &client;
    uv_pipe_connect(&connect, &client, path.c_str(), [](uv_connect_t* req, int status) {
        EXPECT_EQ(status, 0);
        char peer[256];
        std::size_t room = sizeof peer;
        EXPECT_EQ(uv_pipe_getpeername(static_cast<uv_pipe_t*>(req->data), peer, &room), 0);
        uv_close(static_cast<uv_handle_t*>(req->data), nullptr);
    });
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(::access(path.c_str(), F_OK), -1) << "the name goes with its listener";
}

TEST_F(UvPipe, in_the_abstract_namespace) {
    uv_pipe_t listener;
    uv_pipe_t client;
    ASSERT_EQ(uv_pipe_init(&loop, &listener, 0), 0);
    ASSERT_EQ(uv_pipe_init(&loop, &client, 0), 0);
    const std::string name("\0gyre-uv-test", 13);
    EXPECT_EQ(uv_pipe_bind2(&listener, "a\0b", 3, 0), UV_EINVAL);
    EXPECT_EQ(uv_pipe_bind2(&listener, name.data(), name.size(), 64), UV_EINVAL);
    ASSERT_EQ(uv_pipe_bind2(&listener, name.data(), name.size(), pipe_no_truncate), 0);
    ASSERT_EQ(uv_listen(stream(listener), 4,
                        [](uv_stream_t* server, int) {
                            uv_close(reinterpret_cast<uv_handle_t*>(server), nullptr);
                        }),
              0);
    uv_connect_t connect;
    EXPECT_EQ(uv_pipe_connect2(&connect, &client, name.data(), 0, 0, nullptr), UV_EINVAL);
    ASSERT_EQ(uv_pipe_connect2(&connect, &client, name.data(), name.size(), pipe_no_truncate,
                               [](uv_connect_t* req, int status) {
                                   EXPECT_EQ(status, 0);
                                   uv_close(reinterpret_cast<uv_handle_t*>(req->handle), nullptr);
                               }),
              0);
    EXPECT_EQ(run(), 0);
}

struct Passing {
    uv_pipe_t to;
    uv_tcp_t passed;
    uv_handle_type type = UV_UNKNOWN_HANDLE;
};

TEST_F(UvPipe, passes_descriptors) {
    uv_os_sock_t ends[2];
    ASSERT_EQ(uv_socketpair(SOCK_STREAM, 0, ends, 0, 0), 0);
    uv_pipe_t from;
    Passing passing;
    ASSERT_EQ(uv_pipe_init(&loop, &from, 1), 0);
    ASSERT_EQ(uv_pipe_init(&loop, &passing.to, 1), 0);
    ASSERT_EQ(uv_pipe_open(&from, ends[0]), 0);
    ASSERT_EQ(uv_pipe_open(&passing.to, ends[1]), 0);
    uv_tcp_t sent;
    ASSERT_EQ(uv_tcp_init_ex(&loop, &sent, AF_INET), 0);
    passing.to.data = &passing;
    ASSERT_EQ(uv_read_start(stream(passing.to), allocate_some,
                            [](uv_stream_t* handle, ssize_t count, const uv_buf_t*) {
                                auto& data = *static_cast<Passing*>(handle->data);
                                EXPECT_EQ(count, 1);
                                EXPECT_EQ(uv_pipe_pending_count(&data.to), 1);
                                data.type = uv_pipe_pending_type(&data.to);
                                EXPECT_EQ(uv_tcp_init(handle->loop, &data.passed), 0);
                                EXPECT_EQ(uv_accept(handle, stream(data.passed)), 0);
                                EXPECT_EQ(uv_pipe_pending_count(&data.to), 0);
                                EXPECT_EQ(uv_read_stop(handle), 0);
                            }),
              0);
    uv_write_t write;
    const uv_buf_t byte = buffer_of("x");
    EXPECT_EQ(uv_write2(&write, stream(sent), &byte, 1, stream(from), nullptr), UV_EPIPE);
    ASSERT_EQ(uv_write2(&write, stream(from), &byte, 1, stream(sent), nullptr), 0);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(passing.type, UV_TCP);
    EXPECT_EQ(uv_try_write2(stream(from), &byte, 1, stream(sent)), 1);
    for (uv_handle_t* handle : {base(from), base(passing.to), base(sent), base(passing.passed)}) {
        uv_close(handle, nullptr);
    }
    run();
}

TEST_F(UvLoop, a_terminal_has_modes_and_a_size) {
    int master = -1;
    int slave = -1;
    ASSERT_EQ(::openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
    const winsize wanted{24, 80, 0, 0};
    ASSERT_EQ(::ioctl(slave, TIOCSWINSZ, &wanted), 0);
    uv_tty_t tty;
    EXPECT_EQ(uv_guess_handle(slave), UV_TTY);
    ASSERT_EQ(uv_tty_init(&loop, &tty, slave, 1), 0);
    int width = 0;
    int height = 0;
    EXPECT_EQ(uv_tty_get_winsize(&tty, &width, &height), 0);
    EXPECT_EQ(width, 80);
    EXPECT_EQ(height, 24);
    EXPECT_EQ(uv_tty_set_mode(&tty, UV_TTY_MODE_RAW), 0);
    termios mode{};
    ASSERT_EQ(::tcgetattr(slave, &mode), 0);
    EXPECT_EQ(mode.c_lflag & static_cast<tcflag_t>(ICANON), 0u);
    EXPECT_EQ(uv_tty_set_mode(&tty, UV_TTY_MODE_IO), 0);
    EXPECT_EQ(uv_tty_reset_mode(), 0);
    ASSERT_EQ(::tcgetattr(slave, &mode), 0);
    EXPECT_NE(mode.c_lflag & static_cast<tcflag_t>(ICANON), 0u);
    Reader reader;
    tty.data = &reader;
    ASSERT_EQ(uv_read_start(stream(tty), allocate_some, read_into), 0);
    ASSERT_EQ(::write(master, "line\n", 5), 5);
    while (reader.text.empty()) (void)run(UV_RUN_ONCE);
    EXPECT_EQ(reader.text, "line\n");
    uv_tty_set_vterm_state(UV_TTY_SUPPORTED);
    uv_tty_vtermstate_t state{};
    EXPECT_EQ(uv_tty_get_vterm_state(&state), UV_ENOTSUP);
    close(tty);
    run();
    ::close(master);
    ::close(slave);
    uv_tty_t none;
    const int file = ::open("/dev/null", O_RDONLY);
    EXPECT_EQ(uv_tty_init(&loop, &none, file, 1), UV_EINVAL);
    ::close(file);
}

// Some programs set libuv's flag for a readable stream to hear of the close of the other end.
TEST_F(UvPipe, tells_a_writer_of_the_readers_close) {
    int fds[2];
    ASSERT_EQ(::pipe(fds), 0);
    uv_pipe_t writer;
    ASSERT_EQ(uv_pipe_init(&loop, &writer, 0), 0);
    ASSERT_EQ(uv_pipe_open(&writer, fds[1]), 0);
    const auto give = [](uv_handle_t*, std::size_t, uv_buf_t* buffer) {
        static std::array<char, 64> room;
        *buffer = uv_buf_init(room.data(), room.size());
    };
    static int errors;
    errors = 0;
    const auto take = [](uv_stream_t* stream, ssize_t count, const uv_buf_t*) {
        EXPECT_LT(count, 0);
        ++errors;
        uv_close(reinterpret_cast<uv_handle_t*>(stream), nullptr);
    };
    auto* stream = reinterpret_cast<uv_stream_t*>(&writer);
    EXPECT_EQ(uv_read_start(stream, give, take), UV_ENOTCONN);
    writer.flags |= 0x00004000;
    EXPECT_EQ(uv_read_start(stream, give, take), 0);
    run(UV_RUN_NOWAIT);
    EXPECT_EQ(errors, 0);
    ::close(fds[0]);
    run();
    EXPECT_EQ(errors, 1);
}

}  // namespace
}  // namespace gyre::uv::test
