// SPDX-License-Identifier: Apache-2.0
// Our rows of the group io: an echo server of tasks, one for each connection, on the platform that
// GYRE_PLATFORM names, by default the best there is.
#include <array>

#include "bench/echo_cases.hpp"
#include "gyre/io/environment.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre::bench {
namespace {

class EchoServer {
public:
    std::uint16_t port() { return port_of(listener_fd_); }
    void serve() {
        executor_.root().spawn([this]() -> Future<void> {
            const net::Listener listener(platform_->environment()->sockets(), listener_fd_);
            for (;;) executor_.root().spawn(echo, this, co_await listener.accept());
        });
        static_cast<void>(loop_.run());
        loop_.close();
    }

private:
    static Future<void> echo(EchoServer* self, net::Connection stream) {
        ++self->open_count_;
        std::array<std::byte, echo_buffer_size> buffer;
        for (;;) {
            const Result<std::size_t> size = co_await try_(stream.read(buffer));
            if (!size || *size == 0) break;
            const Result<void> sent = co_await try_(stream.write(ConstBytes(buffer).first(*size)));
            if (!sent) break;
        }
        if (--self->open_count_ == 0) self->executor_.root().cancel("all have left");
    }

    platform::SystemClock clock_;
    std::unique_ptr<Platform> platform_ = std::move(platform::make_platform(clock_).value());
    Executor executor_;
    Loop loop_{*platform_, executor_};
    int listener_fd_ = listen_at_loopback(SOCK_NONBLOCK | SOCK_CLOEXEC);
    int open_count_ = 0;
};

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(argument_count, arguments, {echo_entries<EchoServer>()});
}
