// SPDX-License-Identifier: Apache-2.0
// Asio's rows of the group io: a coroutine for each connection on one io_context.
#include <array>
#include <asio.hpp>

#include "bench/echo_cases.hpp"

namespace gyre::bench {
namespace {

using asio::ip::tcp;

class AsioEcho {
public:
    std::uint16_t port() { return acceptor_.local_endpoint().port(); }
    void serve() {
        asio::co_spawn(context_, accept(), asio::detached);
        context_.run();
    }

private:
    asio::awaitable<void> accept() {
        for (;;) {
            tcp::socket socket = co_await acceptor_.async_accept(asio::use_awaitable);
            asio::co_spawn(context_, echo(std::move(socket)), asio::detached);
        }
    }
    asio::awaitable<void> echo(tcp::socket socket) {
        ++open_count_;
        try {
            std::array<char, echo_buffer_size> buffer;
            for (;;) {
                const std::size_t size =
                    co_await socket.async_read_some(asio::buffer(buffer), asio::use_awaitable);
                co_await asio::async_write(socket, asio::buffer(buffer, size), asio::use_awaitable);
            }
        } catch (const std::system_error&) {
        }
        if (--open_count_ == 0) context_.stop();
    }

    asio::io_context context_{1};
    tcp::acceptor acceptor_{context_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)};
    int open_count_ = 0;
};

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(argument_count, arguments, {echo_entries<AsioEcho>()});
}
