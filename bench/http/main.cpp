// SPDX-License-Identifier: Apache-2.0
// bench_http: gyre's own rows of the group http. Called by bench/run.py; see protocol.hpp.
//
// Over TCP the server has a thread of its own, and its processor time is what counts; the client,
// on the same core, writes to all connections and then reads all answers. Without a network the
// server answers a stream that gives sixteen requests a read and takes every answer.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "bench/affinity.hpp"
#include "bench/protocol.hpp"
#include "bench/stopwatch.hpp"
#include "gyre/http/head_parser.hpp"
#include "gyre/http/server.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/task/run.hpp"
#include "gyre/task/thread_channel.hpp"

namespace gyre::bench {
namespace {

// As wrk sends it.
const std::string plain_request =
    "GET /plaintext HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nAccept: text/plain\r\n\r\n";
const std::string browser_request =
    "GET /index.html?a=b HTTP/1.1\r\nHost: www.example.com\r\nUser-Agent: Mozilla/5.0 (X11; Linux "
    "x86_64; rv:109.0) Gecko/20100101 Firefox/115.0\r\nAccept: text/html,application/xhtml+xml,"
    "application/xml;q=0.9,*/*;q=0.8\r\nAccept-Language: en-US,en;q=0.5\r\nAccept-Encoding: gzip, "
    "deflate, br\r\nConnection: keep-alive\r\nCookie: session=0123456789abcdef0123456789abcdef\r\n"
    "If-None-Match: \"0123456789abcdef\"\r\nCache-Control: max-age=0\r\n\r\n";

http::UnixSeconds some_time() {
    return 784111777;
}

void add_routes(http::Server& server) {
    server.get("/plaintext", [](http::Request&, http::Response& response) -> Future<void> {
        response.type("text/plain").send("Hello, World!");
        co_return;
    });
}

void measure_parser(Run& run) {
    const auto measure = [&run](const char* name, const std::string& text) {
        http::RequestParser parser;
        run.report(name, ns_per_operation(run.span_ns(), [&] {
                       parser.reset();
                       if (parser.parse(text) != http::ParseState::complete) std::abort();
                   }));
    };
    measure("http_parse_plain", plain_request);
    measure("http_parse_browser", browser_request);
}

// Sixteen requests a read, so many reads.
class EndlessStream final : public net::ByteStream {
public:
    explicit EndlessStream(std::uint64_t read_count) : left_count_(read_count) {
        for (int i = 0; i < 16; ++i) text_ += plain_request;
    }
    Future<std::size_t> receive(Bytes into) override {
        if (left_count_ == 0 || into.size() < text_.size()) co_return 0;
        --left_count_;
        std::memcpy(into.data(), text_.data(), text_.size());
        co_return text_.size();
    }
    Future<void> send(std::span<ConstBytes> pieces) override {
        for (const ConstBytes piece : pieces) sent_bytes += piece.size();
        co_return;
    }
    Future<void> finish() override { co_return; }

    std::uint64_t sent_bytes = 0;

private:
    std::uint64_t left_count_;
    std::string text_;
};

void measure_without_network(Run& run) {
    sim::VirtualClock clock;
    sim::SimPlatform platform{clock};
    const std::uint64_t read_count = run.is_quick() ? 2'000 : 20'000;
    for (int i = 0; i < 5; ++i) {
        http::Server server({.wall_time = &some_time});
        add_routes(server);
        EndlessStream stream(read_count);
        const Stopwatch watch;
        const auto result =
            gyre::run(platform, [&]() -> Future<void> { co_await server.serve_connection(stream); },
                      {.handles_signals = false});
        if (!result.has_value() || server.counts().requests != read_count * 16) std::abort();
        run.report("http_answer", watch.elapsed_ns() / static_cast<double>(read_count * 16));
    }
}

double thread_time_ns() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// A server on a thread of its own, and what its thread has used.
class ServerThread {
public:
    ServerThread() : thread_([this] { serve(); }) {
        while (port_.load() == 0) std::this_thread::yield();
    }
    ~ServerThread() {
        stop_.close();
        thread_.join();
    }
    [[nodiscard]] std::uint16_t port() const noexcept { return port_.load(); }
    // Asked for by a message to the loop, so that it is told by the thread itself.
    [[nodiscard]] double used_ns() {
        static_cast<void>(ask_.try_send(1));
        for (;;) {
            if (const auto told = tell_.try_receive()) return *told;
            std::this_thread::yield();
        }
    }

private:
    void serve() {
        const PinnedThread pinned(0);
        platform::SystemClock clock;
        auto platform = platform::make_platform(clock);
        if (!platform) std::abort();
        static_cast<void>(gyre::run(**platform, [this](Scope& root) { return app(root); },
                                    {.handles_signals = false}));
    }
    Future<void> app(Scope& root) {
        http::Server server({.wall_time = &some_time});
        add_routes(server);
        net::Listener listener = co_await net::listen(Address::loopback());
        const std::string at = listener.local_address().value().to_string();
        auto serving =
            root.spawn([&](net::Listener given) { return server.serve(std::move(given)); },
                       std::move(listener));
        auto telling = root.spawn([this]() -> Future<void> {
            for (;;) {
                const auto asked = co_await ask_.receive();
                if (!asked) co_return;
                static_cast<void>(tell_.try_send(thread_time_ns()));
            }
        });
        port_.store(static_cast<std::uint16_t>(std::stoi(at.substr(at.rfind(':') + 1))));
        static_cast<void>(co_await stop_.receive());
        server.stop();
        ask_.close();
        co_await std::move(serving);
        co_await std::move(telling);
    }

    std::atomic<std::uint16_t> port_ = 0;
    ThreadChannel<int> ask_{2};
    ThreadChannel<double> tell_{2};
    ThreadChannel<int> stop_{2};
    std::thread thread_;
};

int connect_to(std::uint16_t port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) std::abort();
    const int one = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

void send_all(int fd, const std::string& text) {
    if (::send(fd, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) std::abort();
}

void read_exactly(int fd, std::size_t size) {
    char buffer[16384];
    while (size > 0) {
        const ssize_t came = ::recv(fd, buffer, std::min(size, sizeof buffer), 0);
        if (came <= 0) std::abort();
        size -= static_cast<std::size_t>(came);
    }
}

void measure_over_tcp(Run& run, const char* name, int depth) {
    const PinnedThread pinned(0);
    ServerThread server;
    std::string text;
    for (int i = 0; i < depth; ++i) text += plain_request;
    std::vector<int> connections;
    for (int i = 0; i < 64; ++i) connections.push_back(connect_to(server.port()));
    // The size of an answer, from the first.
    char buffer[4096];
    send_all(connections[0], plain_request);
    const ssize_t first = ::recv(connections[0], buffer, sizeof buffer, 0);
    if (first <= 0) std::abort();
    const std::size_t answer_bytes =
        static_cast<std::size_t>(first) * static_cast<std::size_t>(depth);
    const auto round = [&] {
        for (const int fd : connections) send_all(fd, text);
        for (const int fd : connections) read_exactly(fd, answer_bytes);
    };
    const int round_count = run.is_quick() ? 50 : 400;
    for (int i = 0; i < 20; ++i) round();
    for (int pass = 0; pass < 5; ++pass) {
        const double before = server.used_ns();
        for (int i = 0; i < round_count; ++i) round();
        const double used = server.used_ns() - before;
        run.report(name, used / (64.0 * round_count * depth));
    }
    for (const int fd : connections) ::close(fd);
}

void measure_plain(Run& run) {
    measure_over_tcp(run, "http_plain", 1);
}
void measure_pipelined(Run& run) {
    measure_over_tcp(run, "http_pipelined", 16);
}

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(argument_count, arguments,
                       {{{{"http_parse_plain", "http_parse_browser"}, &measure_parser},
                         {{"http_answer"}, &measure_without_network},
                         {{"http_plain"}, &measure_plain},
                         {{"http_pipelined"}, &measure_pipelined}}});
}
