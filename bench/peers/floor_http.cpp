// SPDX-License-Identifier: Apache-2.0
// bench_server_floor: what io_uring alone costs for HTTP: every empty line that comes is a request,
// and all have one answer. No parser, no router, no times: nothing that serves can be faster by
// much. One request of the system under way on each connection, handed over with the call that
// waits. Runs until it is killed.
//
//     bench_server_floor PORT FOLDER
#include <arpa/inet.h>
#include <liburing.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace {

constexpr std::string_view answer =
    "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Type: text/plain\r\n"
    "Content-Length: 13\r\n\r\nHello, World!";

struct Connection {
    int fd = -1;
    bool is_sending = false;
    std::size_t size = 0;  // of what came and is no whole request yet
    std::array<char, 4096> input;
    std::string output;
};

class Floor {
public:
    explicit Floor(std::uint16_t port) : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_port = htons(port);
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::bind(listener_, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0 ||
            ::listen(listener_, 4096) != 0) {
            std::perror("listen");
            std::exit(1);
        }
        io_uring_params parameters{};
        parameters.flags = IORING_SETUP_COOP_TASKRUN | IORING_SETUP_CQSIZE;
        parameters.cq_entries = 8192;
        if (io_uring_queue_init_params(2048, &ring_, &parameters) < 0) std::exit(1);
    }

    [[noreturn]] void serve() {
        accept();
        for (;;) {
            io_uring_submit_and_wait(&ring_, 1);
            io_uring_cqe* entry = nullptr;
            unsigned head = 0;
            unsigned count = 0;
            io_uring_for_each_cqe(&ring_, head, entry) {
                ++count;
                auto* connection = static_cast<Connection*>(io_uring_cqe_get_data(entry));
                connection == nullptr ? accepted(entry->res) : done(*connection, entry->res);
            }
            io_uring_cq_advance(&ring_, count);
        }
    }

private:
    void accept() {
        io_uring_sqe* entry = io_uring_get_sqe(&ring_);
        io_uring_prep_accept(entry, listener_, nullptr, nullptr, 0);
        io_uring_sqe_set_data(entry, nullptr);
    }
    void accepted(int fd) {
        accept();
        if (fd < 0) return;
        const int on = 1;
        ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        auto* connection = new Connection;  // until its end
        connection->fd = fd;
        receive(*connection);
    }
    void receive(Connection& connection) {
        connection.is_sending = false;
        io_uring_sqe* entry = io_uring_get_sqe(&ring_);
        io_uring_prep_recv(entry, connection.fd, connection.input.data() + connection.size,
                           connection.input.size() - connection.size, 0);
        entry->ioprio |= IORING_RECVSEND_POLL_FIRST;
        io_uring_sqe_set_data(entry, &connection);
    }
    void send(Connection& connection) {
        connection.is_sending = true;
        io_uring_sqe* entry = io_uring_get_sqe(&ring_);
        io_uring_prep_send(entry, connection.fd, connection.output.data(), connection.output.size(),
                           MSG_NOSIGNAL | MSG_WAITALL);
        io_uring_sqe_set_data(entry, &connection);
    }
    void done(Connection& connection, int result) {
        if (result <= 0) {
            ::close(connection.fd);
            const std::unique_ptr<Connection> ended(&connection);
            return;
        }
        if (connection.is_sending) return receive(connection);
        connection.size += static_cast<std::size_t>(result);
        connection.output.clear();
        const std::string_view came(connection.input.data(), connection.size);
        std::size_t used = 0;
        for (;;) {
            const std::size_t end = came.find("\r\n\r\n", used);
            if (end == std::string_view::npos) break;
            used = end + 4;
            connection.output += answer;
        }
        connection.size -= used;
        std::memmove(connection.input.data(), connection.input.data() + used, connection.size);
        connection.output.empty() ? receive(connection) : send(connection);
    }

    io_uring ring_{};
    int listener_;
};

}  // namespace

int main(int argument_count, char** arguments) {
    if (argument_count != 3) {
        std::fprintf(stderr, "usage: %s PORT FOLDER\n", arguments[0]);
        return 2;
    }
    Floor(static_cast<std::uint16_t>(std::atoi(arguments[1]))).serve();
}
