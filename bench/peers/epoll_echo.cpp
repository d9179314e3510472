// SPDX-License-Identifier: Apache-2.0
// The rows of plain epoll in the group io: level-triggered, one receive and one send a request.
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "bench/echo_cases.hpp"

namespace gyre::bench {
namespace {

class EpollEcho {
public:
    EpollEcho() : buffer_(echo_buffer_size) { watch(listener_, EPOLL_CTL_ADD, EPOLLIN); }
    ~EpollEcho() {
        ::close(listener_);
        ::close(epoll_);
    }
    std::uint16_t port() { return port_of(listener_); }

    void serve() {
        std::vector<epoll_event> events(256);
        do {
            const int count = ::epoll_wait(epoll_, events.data(), 256, -1);
            for (int i = 0; i < count; ++i) {
                const int fd = events[static_cast<std::size_t>(i)].data.fd;
                fd == listener_ ? accept() : echo(fd);
            }
        } while (open_count_ > 0);
    }

private:
    void watch(int fd, int operation, std::uint32_t events) {
        epoll_event interest{};
        interest.events = events;
        interest.data.fd = fd;
        ::epoll_ctl(epoll_, operation, fd, &interest);
    }
    void accept() {
        const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK);
        if (fd < 0) return;
        ++open_count_;
        watch(fd, EPOLL_CTL_ADD, EPOLLIN);
    }
    // The client reads each answer before it asks again, so a send always finds room.
    void echo(int fd) {
        const ssize_t size = ::recv(fd, buffer_.data(), buffer_.size(), 0);
        if (size < 0 && errno == EAGAIN) return;
        if (size <= 0 ||
            ::send(fd, buffer_.data(), static_cast<std::size_t>(size), MSG_NOSIGNAL) < 0) {
            ::close(fd);
            --open_count_;
        }
    }

    int epoll_ = ::epoll_create1(0);
    int listener_ = listen_at_loopback(SOCK_NONBLOCK);
    int open_count_ = 0;
    std::vector<char> buffer_;
};

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(argument_count, arguments, {echo_entries<EpollEcho>()});
}
