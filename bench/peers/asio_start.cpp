// SPDX-License-Identifier: Apache-2.0
// Asio's small programs for ./dev bench start; bench/start/programs.cpp says what they do.
#include <unistd.h>

#include <array>
#include <asio.hpp>
#include <cstdlib>

namespace {

using asio::awaitable;
using asio::use_awaitable;
using asio::ip::tcp;

void say_ready() {
    if (write(STDOUT_FILENO, "ready\n", 6) != 6) std::abort();
}

[[maybe_unused]] awaitable<void> hello() {
    say_ready();
    co_return;
}

awaitable<void> serve(tcp::socket socket) {
    std::array<char, 4096> buffer;
    for (;;) {
        const std::size_t size =
            co_await socket.async_read_some(asio::buffer(buffer), use_awaitable);
        co_await asio::async_write(socket, asio::buffer(buffer, size), use_awaitable);
    }
}

[[maybe_unused]] awaitable<void> echo() {
    const auto executor = co_await asio::this_coro::executor;
    tcp::acceptor acceptor(executor, {asio::ip::address_v4::loopback(), 0});
    say_ready();
    for (;;) {
        tcp::socket socket = co_await acceptor.async_accept(use_awaitable);
        asio::co_spawn(executor, serve(std::move(socket)), asio::detached);
    }
}

[[maybe_unused]] awaitable<void> idle() {
    say_ready();
    asio::steady_timer timer(co_await asio::this_coro::executor);
    for (;;) {
        timer.expires_after(std::chrono::milliseconds(100));
        co_await timer.async_wait(use_awaitable);
    }
}

}  // namespace

int main() {
    asio::io_context context(1);
    asio::co_spawn(context, BENCH_PROGRAM(), asio::detached);
    context.run();
}
