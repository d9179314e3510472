// SPDX-License-Identifier: Apache-2.0
// The cases of bench_uv: programs against uv.h, written anew after the subjects of libuv's own
// benchmarks. Each runs on a loop of its own and returns how many operations it did.
#pragma once

#include <uv.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace gyre::bench {

using Case = std::uint64_t (*)(uv_loop_t* loop);

// A result below zero ends the program: nothing is measured then.
inline void need(int status) {
    if (status >= 0) return;
    std::fprintf(stderr, "bench_uv: %s\n", uv_strerror(status));
    std::exit(1);
}

template <class Uv>
uv_handle_t* base(Uv* handle) {
    return reinterpret_cast<uv_handle_t*>(handle);
}
template <class Uv>
uv_stream_t* stream(Uv* handle) {
    return reinterpret_cast<uv_stream_t*>(handle);
}

inline void run(uv_loop_t* loop) {
    uv_run(loop, UV_RUN_DEFAULT);
}

inline sockaddr_in loopback(int port) {
    sockaddr_in address{};
    need(uv_ip4_addr("127.0.0.1", port, &address));
    return address;
}
inline const sockaddr* address_of(const sockaddr_in& address) {
    return reinterpret_cast<const sockaddr*>(&address);
}

// loop_cases.cpp
std::uint64_t timers(uv_loop_t* loop);
std::uint64_t timers_again(uv_loop_t* loop);
std::uint64_t loop_count(uv_loop_t* loop);
std::uint64_t async_1(uv_loop_t* loop);
std::uint64_t async_2(uv_loop_t* loop);
std::uint64_t async_4(uv_loop_t* loop);
std::uint64_t async_8(uv_loop_t* loop);
std::uint64_t queue_work(uv_loop_t* loop);
std::uint64_t fs_stat(uv_loop_t* loop);
std::uint64_t fs_stat_now(uv_loop_t* loop);
std::uint64_t names(uv_loop_t* loop);
std::uint64_t spawn(uv_loop_t* loop);
// socket_cases.cpp
std::uint64_t tcp_ping_pong(uv_loop_t* loop);
std::uint64_t pipe_ping_pong(uv_loop_t* loop);
std::uint64_t tcp_pump(uv_loop_t* loop);
std::uint64_t tcp_pound(uv_loop_t* loop);
std::uint64_t udp_pummel(uv_loop_t* loop);
// accept_cases.cpp
std::uint64_t accept_2(uv_loop_t* loop);
std::uint64_t accept_4(uv_loop_t* loop);
std::uint64_t accept_8(uv_loop_t* loop);

}  // namespace gyre::bench
