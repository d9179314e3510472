// SPDX-License-Identifier: Apache-2.0
// The cases of bench_uv in which several threads' loops accept from one listening socket.
#include <unistd.h>

#include <array>
#include <memory>
#include <vector>

#include "bench/uv/cases.hpp"

namespace gyre::bench {
namespace {

constexpr std::uint64_t connection_count = 10'000;
constexpr std::size_t at_once = 32;

// A loop in a thread of its own, which accepts and closes.
struct Acceptor {
    uv_loop_t loop{};
    uv_thread_t thread{};
    uv_tcp_t listener{};
    uv_async_t end{};

    void begin(int listening) {
        need(uv_loop_init(&loop));
        need(uv_tcp_init(&loop, &listener));
        need(uv_tcp_open(&listener, ::dup(listening)));
        need(uv_async_init(&loop, &end, [](uv_async_t* self) {
            uv_close(base(&static_cast<Acceptor*>(self->data)->listener), nullptr);
            uv_close(base(self), nullptr);
        }));
        end.data = this;
        need(uv_listen(stream(&listener), 1024, [](uv_stream_t* self, int status) {
            need(status);
            auto* peer = new uv_tcp_t;
            need(uv_tcp_init(self->loop, peer));
            need(uv_accept(self, stream(peer)));
            uv_close(base(peer),
                     [](uv_handle_t* closed) { delete reinterpret_cast<uv_tcp_t*>(closed); });
        }));
        need(uv_thread_create(
            &thread, [](void* data) { run(&static_cast<Acceptor*>(data)->loop); }, this));
    }
    void finish() {
        uv_async_send(&end);
        uv_thread_join(&thread);
        need(uv_loop_close(&loop));
    }
};

// One of the clients that connect, wait for the other side's close, and connect again.
struct Client {
    uv_tcp_t handle{};
    uv_connect_t connect{};
    sockaddr_in to{};
    std::uint64_t* left = nullptr;

    void start(uv_loop_t* on) {
        if (*left == 0) return;
        --*left;
        need(uv_tcp_init(on, &handle));
        handle.data = connect.data = this;
        need(uv_tcp_connect(&connect, &handle, address_of(to), [](uv_connect_t* self, int status) {
            need(status);
            need(uv_read_start(self->handle, give, Client::read));
        }));
    }
    static void give(uv_handle_t* /*handle*/, std::size_t /*size*/, uv_buf_t* buffer) {
        static std::array<char, 1024> room;
        *buffer = uv_buf_init(room.data(), room.size());
    }
    static void read(uv_stream_t* self, ssize_t count, const uv_buf_t*) {
        if (count >= 0) return;
        uv_close(base(self), [](uv_handle_t* closed) {
            static_cast<Client*>(closed->data)->start(closed->loop);
        });
    }
};

std::uint64_t accepts(uv_loop_t* loop, std::size_t thread_count) {
    uv_tcp_t bound;
    sockaddr_in at = loopback(0);
    need(uv_tcp_init(loop, &bound));
    need(uv_tcp_bind(&bound, address_of(at), 0));
    int size = sizeof at;
    need(uv_tcp_getsockname(&bound, reinterpret_cast<sockaddr*>(&at), &size));
    uv_os_fd_t listening = -1;
    need(uv_fileno(base(&bound), &listening));
    std::vector<std::unique_ptr<Acceptor>> acceptors;
    for (std::size_t i = 0; i < thread_count; ++i) {
        acceptors.push_back(std::make_unique<Acceptor>());
        acceptors.back()->begin(listening);
    }
    uv_close(base(&bound), nullptr);
    std::uint64_t left = connection_count;
    std::array<Client, at_once> clients;
    for (Client& client : clients) {
        client.to = at;
        client.left = &left;
        client.start(loop);
    }
    run(loop);
    for (const auto& acceptor : acceptors) acceptor->finish();
    return connection_count;
}

}  // namespace

std::uint64_t accept_2(uv_loop_t* loop) {
    return accepts(loop, 2);
}
std::uint64_t accept_4(uv_loop_t* loop) {
    return accepts(loop, 4);
}
std::uint64_t accept_8(uv_loop_t* loop) {
    return accepts(loop, 8);
}

}  // namespace gyre::bench
