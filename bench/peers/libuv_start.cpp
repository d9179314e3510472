// SPDX-License-Identifier: Apache-2.0
// libuv's small programs for ./dev bench start; bench/start/programs.cpp says what they do.
#include <arpa/inet.h>
#include <unistd.h>
#include <uv.h>

#include <cstdlib>

namespace {

void say_ready() {
    if (write(STDOUT_FILENO, "ready\n", 6) != 6) std::abort();
}

void give_room(uv_handle_t*, std::size_t, uv_buf_t* buffer) {
    *buffer = uv_buf_init(static_cast<char*>(std::malloc(4096)), 4096);
}

void on_read(uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
    if (size > 0) {
        auto* request = static_cast<uv_write_t*>(std::malloc(sizeof(uv_write_t)));
        request->data = buffer->base;
        const uv_buf_t all = uv_buf_init(buffer->base, static_cast<unsigned>(size));
        uv_write(request, stream, &all, 1, [](uv_write_t* done, int) {
            std::free(done->data);
            std::free(done);
        });
        return;
    }
    std::free(buffer->base);
    const auto free_handle = [](uv_handle_t* handle) { std::free(handle); };
    if (size < 0) uv_close(reinterpret_cast<uv_handle_t*>(stream), free_handle);
}

[[maybe_unused]] void hello(uv_loop_t* loop) {
    static uv_idle_t first;
    uv_idle_init(loop, &first);
    uv_idle_start(&first, [](uv_idle_t* self) {
        say_ready();
        uv_close(reinterpret_cast<uv_handle_t*>(self), nullptr);
    });
}

[[maybe_unused]] void echo(uv_loop_t* loop) {
    static uv_tcp_t listener;
    sockaddr_in address{};
    uv_ip4_addr("127.0.0.1", 0, &address);
    uv_tcp_init(loop, &listener);
    uv_tcp_bind(&listener, reinterpret_cast<const sockaddr*>(&address), 0);
    uv_listen(reinterpret_cast<uv_stream_t*>(&listener), 128, [](uv_stream_t* self, int) {
        auto* connection = static_cast<uv_tcp_t*>(std::malloc(sizeof(uv_tcp_t)));
        uv_tcp_init(self->loop, connection);
        uv_accept(self, reinterpret_cast<uv_stream_t*>(connection));
        uv_read_start(reinterpret_cast<uv_stream_t*>(connection), give_room, on_read);
    });
    say_ready();
}

[[maybe_unused]] void idle(uv_loop_t* loop) {
    static uv_timer_t timer;
    uv_timer_init(loop, &timer);
    uv_timer_start(&timer, [](uv_timer_t*) {}, 100, 100);
    say_ready();
}

}  // namespace

int main() {
    uv_loop_t* const loop = uv_default_loop();
    BENCH_PROGRAM(loop);
    return uv_run(loop, UV_RUN_DEFAULT);
}
