// SPDX-License-Identifier: Apache-2.0
// The rows of plain io_uring in the group io: one request under way on each connection, requests
// handed over with the call that waits.
#include <liburing.h>
#include <unistd.h>

#include <array>
#include <deque>

#include "bench/echo_cases.hpp"

namespace gyre::bench {
namespace {

struct Connection {
    int fd = -1;
    bool is_sending = false;
    std::array<char, echo_buffer_size> buffer;
};

class UringEcho {
public:
    UringEcho() {
        io_uring_params parameters{};
        parameters.flags = IORING_SETUP_COOP_TASKRUN | IORING_SETUP_CQSIZE;
        parameters.cq_entries = 8192;
        io_uring_queue_init_params(2048, &ring_, &parameters);
    }
    ~UringEcho() {
        io_uring_queue_exit(&ring_);
        ::close(listener_);
    }
    std::uint16_t port() { return port_of(listener_); }

    void serve() {
        accept();
        do {
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
        } while (open_count_ > 0);
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
        ++open_count_;
        Connection& connection = connections_.emplace_back();
        connection.fd = fd;
        receive(connection);
    }
    void receive(Connection& connection) {
        connection.is_sending = false;
        io_uring_sqe* entry = io_uring_get_sqe(&ring_);
        io_uring_prep_recv(entry, connection.fd, connection.buffer.data(), echo_buffer_size, 0);
        entry->ioprio |= IORING_RECVSEND_POLL_FIRST;
        io_uring_sqe_set_data(entry, &connection);
    }
    void done(Connection& connection, int result) {
        if (connection.is_sending && result > 0) return receive(connection);
        if (result <= 0) {
            ::close(connection.fd);
            --open_count_;
            return;
        }
        connection.is_sending = true;
        io_uring_sqe* entry = io_uring_get_sqe(&ring_);
        io_uring_prep_send(entry, connection.fd, connection.buffer.data(),
                           static_cast<std::size_t>(result), MSG_NOSIGNAL | MSG_WAITALL);
        io_uring_sqe_set_data(entry, &connection);
    }

    io_uring ring_{};
    int listener_ = listen_at_loopback();
    int open_count_ = 0;
    std::deque<Connection> connections_;
};

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(argument_count, arguments, {echo_entries<UringEcho>()});
}
