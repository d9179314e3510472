// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM stop a server of `run`: `serve` returns, and the program exits with 0.
#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <string>

#include "gyre/http/server_world.test.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/task/combine/shield.hpp"
#include "gyre/task/core/run.hpp"
#include "tests/support/platforms.hpp"

namespace gyre::http {
namespace {

using namespace std::chrono_literals;

// A program whose only handler raises a signal and answers a second later; a client calls it.
class Stopped {
public:
    explicit Stopped(Platform& platform, std::function<void()> raise) : platform_(platform) {
        server.get("/", [raise = std::move(raise)](Request&, Response& response) -> Future<void> {
            raise();
            co_await sleep(1s);
            response.send("done");
        });
    }
    template <class F>
    int exit_code_of(F serve) {
        const auto main = [this, &serve](Scope& root) -> Future<int> {
            net::Listener listener = co_await net::listen(Address::loopback());
            root.spawn([this](Address at) -> Future<void> { co_await shield(call(at, "/")); },
                       listener.local_address().value());
            co_await serve(root, std::move(listener));
            co_await sleep(1ms);  // The request to cancel main was handled by the server.
            co_return 0;
        };
        return run(platform_, main).exit_code();
    }

    // Reads until the server closes.
    Future<void> call(Address at, std::string path) {
        net::Connection client = co_await net::connect(at);
        const std::string request = "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
        co_await client.write(bytes_of(request));
        std::array<std::byte, 1024> buffer{};
        for (;;) {
            const std::size_t size = co_await client.read(buffer);
            if (size == 0) break;
            heard += text_of(std::span(buffer).first(size));
        }
    }

    Server server;
    std::string heard;

private:
    Platform& platform_;
};

struct HttpServerSignals : testing::TestWithParam<int> {
    sim::VirtualClock clock;
    sim::SimPlatform platform{clock};
    Stopped program{platform, [this] { platform.raise(GetParam()); }};
};
INSTANTIATE_TEST_SUITE_P(, HttpServerSignals, testing::Values(SIGINT, SIGTERM),
                         [](const auto& test) { return test.param == SIGINT ? "int" : "term"; });

TEST_P(HttpServerSignals, a_server_that_main_awaits_returns_and_main_exits_with_0) {
    const int code = program.exit_code_of([&](Scope&, net::Listener listener) -> Future<void> {
        const ShutdownReport report = co_await program.server.serve(std::move(listener));
        EXPECT_EQ(report.finished_count, 1U);
    });
    EXPECT_EQ(code, 0);
    EXPECT_EQ(bodies_of(program.heard), (std::vector<std::string>{"done"}));
}

TEST_P(HttpServerSignals, a_request_that_never_ends_is_cut_before_run_ends_the_process) {
    program.server.get("/never", [](Request&, Response&) -> Future<void> { co_await sleep(1h); });
    std::vector<std::string> cut;
    const int code = program.exit_code_of([&](Scope& root, net::Listener listener) -> Future<void> {
        root.spawn([&](Address at) -> Future<void> { co_await shield(program.call(at, "/never")); },
                   listener.local_address().value());
        const ShutdownReport report = co_await program.server.serve(std::move(listener));
        cut = report.cut;
    });
    EXPECT_EQ(code, 0);
    EXPECT_EQ(cut, (std::vector<std::string>{"GET /never"}));
}

TEST_P(HttpServerSignals, a_signal_before_the_first_accept_is_a_stop_too) {
    const auto main = [&](Scope& root) -> Future<int> {
        net::Listener listener = co_await net::listen(Address::loopback());
        root.cancel("as by a signal");
        const ShutdownReport report = co_await program.server.serve(std::move(listener));
        co_return static_cast<int>(report.finished_count);
    };
    EXPECT_EQ(run(platform, main).exit_code(), 0);
}

struct HttpServerSignalsOnSystem : testing::TestWithParam<const char*> {};
GYRE_ON_PLATFORMS(HttpServerSignalsOnSystem, gyre::test::real_platforms);

TEST_P(HttpServerSignalsOnSystem, a_server_that_main_awaits_ends_the_program_with_0) {
    platform::SystemClock clock;
    auto made = platform::make_platform(clock, GetParam());
    if (!made) GYRE_SKIP_REFUSED(GetParam(), made.error().message);
    Stopped program(**made, [] { ::raise(SIGTERM); });
    const int code = program.exit_code_of([&](Scope&, net::Listener listener) -> Future<void> {
        static_cast<void>(co_await program.server.serve(std::move(listener)));
    });
    EXPECT_EQ(code, 0);
    EXPECT_EQ(bodies_of(program.heard), (std::vector<std::string>{"done"}));
}

}  // namespace
}  // namespace gyre::http
