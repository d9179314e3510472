// SPDX-License-Identifier: Apache-2.0
// libuv's rows of the group io: a uv_tcp_t for each connection, which keeps its buffer; an answer
// is tried at once (uv_try_write), as its users do.
#include <uv.h>

#include <array>

#include "bench/echo_cases.hpp"

namespace gyre::bench {
namespace {

class LibuvEcho {
public:
    LibuvEcho() {
        uv_loop_init(&loop_);
        uv_tcp_init(&loop_, &listener_);
        listener_.data = this;
        sockaddr_in at{};
        uv_ip4_addr("127.0.0.1", 0, &at);
        uv_tcp_bind(&listener_, reinterpret_cast<sockaddr*>(&at), 0);
        uv_listen(reinterpret_cast<uv_stream_t*>(&listener_), 4096, on_connection);
    }
    ~LibuvEcho() {
        uv_close(reinterpret_cast<uv_handle_t*>(&listener_), nullptr);
        uv_run(&loop_, UV_RUN_DEFAULT);
        uv_loop_close(&loop_);
    }
    std::uint16_t port() {
        uv_os_fd_t fd = -1;
        uv_fileno(reinterpret_cast<uv_handle_t*>(&listener_), &fd);
        return port_of(fd);
    }
    void serve() {
        do {
            uv_run(&loop_, UV_RUN_ONCE);
        } while (open_count_ > 0);
    }

private:
    struct Connection {
        uv_tcp_t tcp;
        LibuvEcho* server;
        std::array<char, echo_buffer_size> buffer;
    };

    static void on_connection(uv_stream_t* listener, int /*status*/) {
        auto* self = static_cast<LibuvEcho*>(listener->data);
        auto* connection = new Connection;
        connection->server = self;
        uv_tcp_init(&self->loop_, &connection->tcp);
        connection->tcp.data = connection;
        auto* stream = reinterpret_cast<uv_stream_t*>(&connection->tcp);
        uv_accept(listener, stream);
        ++self->open_count_;
        uv_read_start(stream, on_buffer, on_read);
    }
    static void on_buffer(uv_handle_t* handle, std::size_t /*size*/, uv_buf_t* buffer) {
        auto* connection = static_cast<Connection*>(handle->data);
        *buffer = uv_buf_init(connection->buffer.data(), echo_buffer_size);
    }
    static void on_read(uv_stream_t* stream, ssize_t size, const uv_buf_t* /*buffer*/) {
        auto* connection = static_cast<Connection*>(stream->data);
        if (size == 0) return;
        if (size < 0) {
            uv_close(reinterpret_cast<uv_handle_t*>(stream), on_closed);
            return;
        }
        const uv_buf_t answer = uv_buf_init(connection->buffer.data(), static_cast<unsigned>(size));
        uv_try_write(stream, &answer, 1);
    }
    static void on_closed(uv_handle_t* handle) {
        auto* connection = static_cast<Connection*>(handle->data);
        --connection->server->open_count_;
        delete connection;
    }

    uv_loop_t loop_;
    uv_tcp_t listener_;
    int open_count_ = 0;
};

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(argument_count, arguments, {echo_entries<LibuvEcho>()});
}
