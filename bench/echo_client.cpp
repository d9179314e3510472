// SPDX-License-Identifier: Apache-2.0
// The client of the echo cases, one for all servers: a program of its own, so that the server's
// time is the server's alone. Started by the server that is measured (echo_cases.hpp), it runs on
// the server's core. It keeps one request under way on each connection, and prints the 99th
// percentile of the answers' times in nanoseconds.
//
//     bench_echo_client PORT SIZE CONNECTIONS REQUESTS
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/stopwatch.hpp"

namespace {

struct Connection {
    int fd = -1;
    std::size_t missing = 0;  // of the answer
    std::int64_t asked_at_ns = 0;
};

[[noreturn]] void give_up(const char* what) {
    std::perror(what);
    std::exit(1);
}

int connect_to(std::uint16_t port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || ::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) < 0) {
        give_up("connect");
    }
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

class Client {
public:
    Client(std::uint16_t port, std::size_t size, std::size_t count, std::uint64_t requests)
        : epoll_(::epoll_create1(0)), request_(size), answer_(size), left_(requests) {
        times_.reserve(requests);
        connections_.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            connections_[i].fd = connect_to(port);
            epoll_event interest{};
            interest.events = EPOLLIN;
            interest.data.u64 = i;
            ::epoll_ctl(epoll_, EPOLL_CTL_ADD, connections_[i].fd, &interest);
        }
    }

    void run() {
        for (Connection& connection : connections_) ask(connection);
        std::vector<epoll_event> events(256);
        while (under_way_ > 0) {
            const int count = ::epoll_wait(epoll_, events.data(), 256, -1);
            for (int i = 0; i < count; ++i) hear(connections_[events[std::size_t(i)].data.u64]);
        }
    }
    std::int64_t p99_ns() {
        std::sort(times_.begin(), times_.end());
        return times_.empty() ? 0 : times_[times_.size() * 99 / 100];
    }

private:
    void ask(Connection& connection) {
        if (left_ == 0) return;
        --left_;
        ++under_way_;
        connection.missing = request_.size();
        connection.asked_at_ns = gyre::bench::real_now_ns();
        for (std::size_t sent = 0; sent < request_.size();) {
            const ssize_t size =
                ::send(connection.fd, request_.data() + sent, request_.size() - sent, MSG_NOSIGNAL);
            if (size < 0) give_up("send");
            sent += static_cast<std::size_t>(size);
        }
    }
    void hear(Connection& connection) {
        const ssize_t size = ::recv(connection.fd, answer_.data(), answer_.size(), 0);
        if (size <= 0) give_up("recv");
        connection.missing -= static_cast<std::size_t>(size);
        if (connection.missing > 0) return;
        --under_way_;
        times_.push_back(gyre::bench::real_now_ns() - connection.asked_at_ns);
        ask(connection);
    }

    int epoll_;
    std::vector<char> request_;
    std::vector<char> answer_;
    std::vector<Connection> connections_;
    std::vector<std::int64_t> times_;
    std::uint64_t left_;
    std::uint64_t under_way_ = 0;
};

}  // namespace

int main(int argument_count, char** arguments) {
    if (argument_count != 5) {
        std::fprintf(stderr, "usage: %s PORT SIZE CONNECTIONS REQUESTS\n", arguments[0]);
        return 2;
    }
    Client client(static_cast<std::uint16_t>(std::atoi(arguments[1])),
                  static_cast<std::size_t>(std::atoll(arguments[2])),
                  static_cast<std::size_t>(std::atoll(arguments[3])),
                  static_cast<std::uint64_t>(std::atoll(arguments[4])));
    client.run();
    std::printf("%lld\n", static_cast<long long>(client.p99_ns()));
    return 0;
}
