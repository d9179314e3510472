// SPDX-License-Identifier: Apache-2.0
// TCP echo: what a server pays for a request, in its own processor time (getrusage), while the
// client, a program of its own, shares its core. A server is a class with
//
//     Server();               listens at 127.0.0.1
//     std::uint16_t port();
//     void serve();           until the last connection has ended, after there was one
//
// The client's path is in GYRE_BENCH_ECHO_CLIENT; bench/run.py sets it.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/affinity.hpp"
#include "bench/protocol.hpp"

namespace gyre::bench {

inline constexpr std::size_t echo_buffer_size = 16 * 1024;

inline double own_cpu_ns() noexcept {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto ns = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_usec) * 1e3;
    };
    return ns(used.ru_utime) + ns(used.ru_stime);
}

// A listening socket, for servers whose library takes one over.
inline int listen_at_loopback(int modes = 0) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | modes, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(fd, reinterpret_cast<sockaddr*>(&at), sizeof at);
    ::listen(fd, 4096);
    return fd;
}
inline std::uint16_t port_of(int fd) {
    sockaddr_in at{};
    socklen_t size = sizeof at;
    ::getsockname(fd, reinterpret_cast<sockaddr*>(&at), &size);
    return ntohs(at.sin_port);
}

template <class Server>
void measure_echo(Run& run, int size, int connections) {
    const char* client = std::getenv("GYRE_BENCH_ECHO_CLIENT");
    if (client == nullptr) {
        std::fprintf(stderr, "GYRE_BENCH_ECHO_CLIENT must name the client: ./dev bench io\n");
        std::exit(1);
    }
    const PinnedThread pinned(0);
    const int requests = run.is_quick() ? 20'000 : 100'000;
    Server server;
    const std::string command = std::string(client) + " " + std::to_string(server.port()) + " " +
                                std::to_string(size) + " " + std::to_string(connections) + " " +
                                std::to_string(requests);
    std::FILE* answer = ::popen(command.c_str(), "r");
    const double before = own_cpu_ns();
    server.serve();
    const double used = own_cpu_ns() - before;
    long long p99_ns = 0;
    const bool has_answer = std::fscanf(answer, "%lld", &p99_ns) == 1;
    ::pclose(answer);
    if (!has_answer) return;
    const std::string name = std::to_string(size) + "_" + std::to_string(connections);
    run.report("echo_" + name, used / requests);
    run.report("echo_p99_" + name, static_cast<double>(p99_ns));
}

template <class Server>
std::vector<Entry> echo_entries() {
    return {
        {{"echo_64_1", "echo_p99_64_1"}, [](Run& run) { measure_echo<Server>(run, 64, 1); }},
        {{"echo_64_64", "echo_p99_64_64"}, [](Run& run) { measure_echo<Server>(run, 64, 64); }},
        {{"echo_64_1024", "echo_p99_64_1024"},
         [](Run& run) { measure_echo<Server>(run, 64, 1024); }},
        {{"echo_16384_1", "echo_p99_16384_1"},
         [](Run& run) { measure_echo<Server>(run, 16384, 1); }},
        {{"echo_16384_64", "echo_p99_16384_64"},
         [](Run& run) { measure_echo<Server>(run, 16384, 64); }},
        {{"echo_16384_1024", "echo_p99_16384_1024"},
         [](Run& run) { measure_echo<Server>(run, 16384, 1024); }},
    };
}

}  // namespace gyre::bench
