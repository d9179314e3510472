// SPDX-License-Identifier: Apache-2.0
// bench_http: our rows of the group http that no network is needed for; bench/http_load.py has the
// others. Called by bench/run.py; see protocol.hpp. What counts is the thread's own time, in the
// best of many short slices: nothing here waits.
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "bench/protocol.hpp"
#include "gyre/http/internal/head_parser.hpp"
#include "gyre/http/server.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/task/core/run.hpp"

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

double own_time_ns() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

void measure_parser(Run& run) {
    const auto measure = [&run](const char* name, const std::string& text) {
        http::RequestParser parser;
        constexpr int slice = 1024;
        for (double used_ns = 0; used_ns < run.span_ns();) {
            const double before = own_time_ns();
            for (int i = 0; i < slice; ++i) {
                parser.reset();
                if (parser.parse(text) != http::ParseState::complete) std::abort();
            }
            const double slice_ns = own_time_ns() - before;
            used_ns += slice_ns;
            run.report(name, slice_ns / slice);
        }
    };
    measure("http_parse_plain", plain_request);
    measure("http_parse_browser", browser_request);
}

// Sixteen requests at a time, as far as there is room, so often; takes every answer.
class RepeatingStream final : public net::ByteStream {
public:
    explicit RepeatingStream(std::uint64_t burst_count) : left_count_(burst_count) {
        for (int i = 0; i < 16; ++i) burst_ += plain_request;
    }
    Future<std::size_t> do_read(Bytes into) override {
        if (given_ == burst_.size() || left_count_ == 0) co_return 0;
        const std::size_t size = std::min(into.size(), burst_.size() - given_);
        std::memcpy(into.data(), burst_.data() + given_, size);
        given_ += size;
        if (given_ == burst_.size() && --left_count_ > 0) given_ = 0;
        co_return size;
    }
    Future<void> do_write_pieces(std::span<ConstBytes> pieces) override {
        for (const ConstBytes piece : pieces) sent_bytes += piece.size();
        co_return;
    }
    Future<void> do_finish() override { co_return; }

    std::uint64_t sent_bytes = 0;

private:
    std::uint64_t left_count_;
    std::string burst_;
    std::size_t given_ = 0;
};

void measure_without_network(Run& run) {
    sim::VirtualClock clock;
    sim::SimPlatform platform{clock};
    constexpr std::uint64_t burst_count = 500;
    for (int i = 0; i < (run.is_quick() ? 20 : 100); ++i) {
        http::Server server({.wall_time = &some_time});
        add_routes(server);
        RepeatingStream stream(burst_count);
        const double before = own_time_ns();
        const auto result =
            gyre::run(platform, [&]() -> Future<void> { co_await server.serve_connection(stream); },
                      {.handles_signals = false});
        const double used = own_time_ns() - before;
        if (!result.has_value() || server.counts().requests != burst_count * 16) std::abort();
        run.report("http_answer", used / static_cast<double>(burst_count * 16));
    }
}

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(argument_count, arguments,
                       {{{{"http_parse_plain", "http_parse_browser"}, &measure_parser},
                         {{"http_answer"}, &measure_without_network}}});
}
