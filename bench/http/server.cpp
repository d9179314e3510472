// SPDX-License-Identifier: Apache-2.0
// bench_server_gyre: the server that bench/http_load.py measures as ours, with what a real one has:
// limits, times, a router, dates, files. One loop, on the platform that GYRE_PLATFORM names, by
// default the best there is. Runs until it is killed.
//
//     bench_server_gyre PORT FOLDER [CERTIFICATE KEY]
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>

#include "gyre/http/server.hpp"
#include "gyre/http/static_files.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/pool/pools.hpp"
#include "gyre/task/core/run.hpp"
#if defined(GYRE_BENCH_TLS)
#    include "gyre/bridge/https/https.hpp"
#endif

namespace gyre::bench {
namespace {

http::UnixSeconds wall_time() {
    return static_cast<http::UnixSeconds>(std::time(nullptr));
}

// Gives what must live as long as the server.
std::shared_ptr<void> encrypt(http::Server& server, const char* certificate, const char* key) {
#if defined(GYRE_BENCH_TLS)
    const auto files = platform::make_file_tree();
    const auto read = [&files](const char* path) -> tls::Pem {
        constexpr std::size_t size_max = 1U << 20U;
        return {read_beginning(*files, path, size_max).value_or(""), path};
    };
    tls::ServerOptions options{.certificates = {{read(certificate), read(key)}}};
    auto context = std::make_shared<tls::Context>(std::move(options));
    tls::encrypt(server, *context);
    return context;
#else
    static_cast<void>(server);
    static_cast<void>(certificate);
    static_cast<void>(key);
    std::fprintf(stderr, "bench_server_gyre: built without TLS\n");
    std::exit(1);
#endif
}

Future<void> serve(http::Server& server, std::string folder, std::uint16_t port) {
    const http::StaticFiles files = co_await http::StaticFiles::open(std::move(folder));
    server.get("/*path", [&files](http::Request& request, http::Response& response) {
        return files.serve(request, response);
    });
    const Address at = Address::loopback(port);
    net::Listener listener = co_await net::listen(at, {.backlog = 4096});
    static_cast<void>(co_await server.serve(std::move(listener)));
}

int run_server(char** arguments, bool encrypts) {
    std::shared_ptr<void> encryption;  // outlives the server
    http::Server server({.wall_time = &wall_time});
    if (encrypts) encryption = encrypt(server, arguments[3], arguments[4]);
    server.get("/plaintext", [](http::Request&, http::Response& response) -> Future<void> {
        response.type("text/plain").send("Hello, World!");
        co_return;
    });
    platform::SystemClock clock;
    pool::Pools pools;
    auto platform = platform::make_platform(clock);
    if (!platform) {
        std::fprintf(stderr, "bench_server_gyre: %s\n", platform.error().message.c_str());
        return 1;
    }
    RunOptions options;
    options.loop.offload = &pools;
    const auto port = static_cast<std::uint16_t>(std::atoi(arguments[1]));
    const std::string folder = arguments[2];
    return run(**platform, [&] { return serve(server, folder, port); }, options).exit_code();
}

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    if (argument_count != 3 && argument_count != 5) {
        std::fprintf(stderr, "usage: %s PORT FOLDER [CERTIFICATE KEY]\n", arguments[0]);
        return 2;
    }
    return gyre::bench::run_server(arguments, argument_count == 5);
}
