// SPDX-License-Identifier: Apache-2.0
// The cases of bench_uv with sockets, both ends on the same loop.
#include <sys/socket.h>

#include <array>
#include <memory>
#include <vector>

#include "bench/uv/cases.hpp"

namespace gyre::bench {
namespace {

constexpr std::uint64_t ping_count = 100'000;
constexpr std::uint64_t pump_bytes = std::uint64_t{1} << 30u;
constexpr std::uint64_t connection_count = 10'000;
constexpr std::uint64_t datagram_count = 200'000;

std::array<char, 65536> room;

void give(uv_handle_t* /*handle*/, std::size_t /*size*/, uv_buf_t* buffer) {
    *buffer = uv_buf_init(room.data(), room.size());
}

// Two ends that send a few bytes to and fro.
template <class Uv>
struct PingPong {
    Uv ends[2];
    uv_write_t write;
    std::uint64_t left = ping_count;

    void send(Uv* from) {
        static char text[] = "PING\n";
        const uv_buf_t piece = uv_buf_init(text, 5);
        write.data = this;
        need(uv_write(&write, stream(from), &piece, 1, nullptr));
    }
    void begin() {
        for (Uv& end : ends) {
            end.data = this;
            need(uv_read_start(stream(&end), give,
                               [](uv_stream_t* self, ssize_t count, const uv_buf_t*) {
                                   if (count <= 0) return;
                                   auto& pair = *static_cast<PingPong*>(self->data);
                                   if (--pair.left > 0)
                                       return pair.send(reinterpret_cast<Uv*>(self));
                                   for (Uv& each : pair.ends) uv_close(base(&each), nullptr);
                               }));
        }
        send(&ends[0]);
    }
};

void make_pair(int fds[2]) {
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) != 0) need(-1);
}

// A listener that gives each connection to `accepted`, and is at a port of its own.
struct Listener {
    uv_tcp_t handle;
    sockaddr_in at{};

    void begin(uv_loop_t* loop, void* data, uv_connection_cb accepted) {
        need(uv_tcp_init(loop, &handle));
        handle.data = data;
        const sockaddr_in any = loopback(0);
        need(uv_tcp_bind(&handle, address_of(any), 0));
        int size = sizeof at;
        need(uv_tcp_getsockname(&handle, reinterpret_cast<sockaddr*>(&at), &size));
        need(uv_listen(stream(&handle), 1024, accepted));
    }
};

}  // namespace

std::uint64_t pipe_ping_pong(uv_loop_t* loop) {
    PingPong<uv_pipe_t> pair;
    int fds[2];
    make_pair(fds);
    for (int i = 0; i < 2; ++i) {
        need(uv_pipe_init(loop, &pair.ends[i], 0));
        need(uv_pipe_open(&pair.ends[i], fds[i]));
    }
    pair.begin();
    run(loop);
    return ping_count;
}

std::uint64_t tcp_ping_pong(uv_loop_t* loop) {
    PingPong<uv_tcp_t> pair;
    Listener listener;
    listener.begin(loop, &pair, [](uv_stream_t* self, int status) {
        need(status);
        auto& ends = static_cast<PingPong<uv_tcp_t>*>(self->data)->ends;
        need(uv_tcp_init(self->loop, &ends[1]));
        need(uv_accept(self, stream(&ends[1])));
        uv_close(base(self), nullptr);
        static_cast<PingPong<uv_tcp_t>*>(self->data)->begin();
    });
    need(uv_tcp_init(loop, &pair.ends[0]));
    uv_connect_t connect;
    need(uv_tcp_connect(&connect, &pair.ends[0], address_of(listener.at),
                        [](uv_connect_t*, int status) { need(status); }));
    run(loop);
    return ping_count;
}

// Kilobytes from one end to the other, as fast as they go.
std::uint64_t tcp_pump(uv_loop_t* loop) {
    struct Pump {
        uv_tcp_t from;
        uv_tcp_t to;
        std::array<uv_write_t, 8> writes;
        std::uint64_t sent = 0;
        static void next(uv_write_t* write, int status) {
            need(status);
            auto& pump = *static_cast<Pump*>(write->data);
            if (pump.sent >= pump_bytes) return;
            static std::array<char, 65536> data;
            const uv_buf_t piece = uv_buf_init(data.data(), data.size());
            pump.sent += data.size();
            need(uv_write(write, stream(&pump.from), &piece, 1, next));
        }
    } pump;
    Listener listener;
    listener.begin(loop, &pump, [](uv_stream_t* self, int status) {
        need(status);
        auto& to = static_cast<Pump*>(self->data)->to;
        static std::uint64_t received;
        received = 0;
        to.data = self->data;
        need(uv_tcp_init(self->loop, &to));
        need(uv_accept(self, stream(&to)));
        uv_close(base(self), nullptr);
        need(uv_read_start(stream(&to), give, [](uv_stream_t* end, ssize_t count, const uv_buf_t*) {
            if (count > 0) received += static_cast<std::uint64_t>(count);
            if (count >= 0 && received < pump_bytes) return;
            uv_close(base(end), nullptr);
            uv_close(base(&static_cast<Pump*>(end->data)->from), nullptr);
        }));
    });
    need(uv_tcp_init(loop, &pump.from));
    uv_connect_t connect;
    connect.data = &pump;
    need(uv_tcp_connect(&connect, &pump.from, address_of(listener.at),
                        [](uv_connect_t* self, int status) {
                            need(status);
                            auto& ready = *static_cast<Pump*>(self->data);
                            for (uv_write_t& write : ready.writes) {
                                write.data = &ready;
                                Pump::next(&write, 0);
                            }
                        }));
    run(loop);
    return pump_bytes / 1024;
}

// Connections that are made, answered and closed, some at a time.
std::uint64_t tcp_pound(uv_loop_t* loop) {
    struct Pound {
        Listener listener;
        std::uint64_t left = connection_count;
        std::uint64_t open = 0;
    };
    struct Client {
        uv_tcp_t handle;
        uv_connect_t connect;
        Pound* pound;
        static void start(uv_loop_t* on, Pound& pound) {
            if (pound.left == 0) {
                if (pound.open == 0) uv_close(base(&pound.listener.handle), nullptr);
                return;
            }
            --pound.left;
            ++pound.open;
            auto* client = new Client;
            client->pound = &pound;
            client->handle.data = client->connect.data = client;
            need(uv_tcp_init(on, &client->handle));
            need(uv_tcp_connect(&client->connect, &client->handle, address_of(pound.listener.at),
                                [](uv_connect_t* self, int status) {
                                    need(status);
                                    auto* made = static_cast<Client*>(self->data);
                                    made->handle.data = made;
                                    need(uv_read_start(stream(&made->handle), give, Client::read));
                                }));
        }
        static void read(uv_stream_t* self, ssize_t count, const uv_buf_t*) {
            if (count >= 0) return;
            uv_close(base(self), [](uv_handle_t* handle) {
                auto* done = static_cast<Client*>(handle->data);
                Pound& pound = *done->pound;
                uv_loop_t* const on = handle->loop;
                --pound.open;
                delete done;
                start(on, pound);
            });
        }
    };
    Pound pound;
    pound.listener.begin(loop, &pound, [](uv_stream_t* self, int status) {
        need(status);
        auto* peer = new uv_tcp_t;
        need(uv_tcp_init(self->loop, peer));
        need(uv_accept(self, stream(peer)));
        char text[] = "hello";
        const uv_buf_t piece = uv_buf_init(text, 5);
        need(uv_try_write(stream(peer), &piece, 1));
        uv_close(base(peer),
                 [](uv_handle_t* closed) { delete reinterpret_cast<uv_tcp_t*>(closed); });
    });
    for (int i = 0; i < 64; ++i) Client::start(loop, pound);
    run(loop);
    return connection_count;
}

std::uint64_t udp_pummel(uv_loop_t* loop) {
    struct Pummel {
        uv_udp_t from;
        uv_udp_t to;
        uv_udp_send_t send;
        sockaddr_in at{};
        std::uint64_t left = datagram_count;
        static void next(uv_udp_send_t* request, int status) {
            need(status);
            auto& pummel = *static_cast<Pummel*>(request->data);
            if (--pummel.left == 0) {
                uv_close(base(&pummel.from), nullptr);
                return uv_close(base(&pummel.to), nullptr);
            }
            static char text[] = "a datagram of some forty bytes for one reader";
            const uv_buf_t piece = uv_buf_init(text, sizeof text - 1);
            need(uv_udp_send(request, &pummel.from, &piece, 1, address_of(pummel.at), next));
        }
    } pummel;
    need(uv_udp_init(loop, &pummel.from));
    need(uv_udp_init(loop, &pummel.to));
    const sockaddr_in any = loopback(0);
    need(uv_udp_bind(&pummel.to, address_of(any), 0));
    int size = sizeof pummel.at;
    need(uv_udp_getsockname(&pummel.to, reinterpret_cast<sockaddr*>(&pummel.at), &size));
    need(uv_udp_recv_start(&pummel.to, give,
                           [](uv_udp_t*, ssize_t, const uv_buf_t*, const sockaddr*, unsigned) {}));
    pummel.send.data = &pummel;
    Pummel::next(&pummel.send, 0);
    run(loop);
    return datagram_count;
}

}  // namespace gyre::bench
