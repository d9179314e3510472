// SPDX-License-Identifier: Apache-2.0
// The part of the table (see rows.cpp) for encrypted streams. Where it is cancelled, a program goes
// on in a shield and looks whether anything is lost.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

#include "gyre/task/combine/shield.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/tls/certificates.test.hpp"
#include "gyre/tls/connection.hpp"
#include "tests/task_cancel/kit.hpp"

namespace gyre::task_cancel {
namespace {

using namespace std::chrono_literals;

// Made once: keys are dear, and runs are many.
tls::Authority& authority() {
    static tls::Authority one;
    return one;
}
tls::Context& client_context() {
    static tls::Context one(tls::ClientOptions{.authorities = authority().pem()});
    return one;
}
tls::Context& server_context() {
    static tls::Context one(tls::ServerOptions{.certificates = {authority().issue("server")}});
    return one;
}

// The other side, in the hands of a helper: it takes the connection, gives it to the helper's body,
// and ends where the victim does.
template <class F>
Future<net::Connection> meet(Stage& stage, F body) {
    auto [near, far] = co_await net::connection_pair();
    auto& other = stage.make<net::Connection>(std::move(far));
    stage.helper([&other, body]() -> Future<void> {
        try {
            const auto stream = co_await tls::accept(server_context(), std::move(other));
            co_await body(*stream);
        } catch (const std::system_error&) {
            co_return;
        }
    });
    co_return std::move(near);
}

Future<void> shakes_hands(Stage& stage) {
    auto said = [](tls::Connection& stream) -> Future<void> { co_await stream.aclose(); };
    net::Connection below = co_await meet(stage, said);
    auto stream = co_await tls::connect(client_context(), std::move(below), "example.test");
    co_await stream->aclose();
}

// The victim's stream; its handshake is not what is cancelled.
Future<std::unique_ptr<tls::Connection>> met(Stage& stage, Future<void> (*body)(tls::Connection&)) {
    net::Connection below = co_await meet(stage, body);
    co_return co_await tls::connect(client_context(), std::move(below), "example.test");
}

Future<void> say_slowly(tls::Connection& stream) {
    for (const char* part : {"abcd", "ef"}) {
        co_await sleep(1ms);
        ConstBytes piece = bytes_of(part);
        co_await stream.write(piece);
    }
    co_await stream.aclose();
}

Future<void> read_all(tls::Connection& stream, std::string& got) {
    std::array<std::byte, 2> buffer{};
    for (;;) {
        const std::size_t size = co_await stream.read(buffer);
        if (size == 0) co_return;
        got += text_of(ConstBytes(buffer).first(size));
    }
}

Future<void> reads_encrypted(Stage& stage) {
    auto stream = co_await shield(met(stage, &say_slowly));
    std::string got;
    std::exception_ptr cancelled;
    try {
        co_await read_all(*stream, got);
    } catch (const Cancelled&) {
        cancelled = std::current_exception();
    }
    if (cancelled != nullptr) co_await shield(read_all(*stream, got));
    EXPECT_EQ(got, "abcdef");
    if (cancelled != nullptr) std::rethrow_exception(cancelled);
}

constexpr std::size_t sent_bytes = 90'000;

// Counts what comes, late, and answers with whether that was all.
Future<void> count_late(tls::Connection& stream) {
    static std::array<std::byte, 20'000> buffer{};
    std::size_t count = 0;
    co_await sleep(1ms);
    for (;;) {
        const std::size_t size = co_await stream.read(buffer);
        if (size == 0) break;
        count += size;
    }
    ConstBytes piece = bytes_of(count == sent_bytes ? "all" : "not");
    co_await stream.write(piece);
    co_await stream.aclose();
}

Future<void> write_rest(tls::Connection& stream, ConstBytes& rest) {
    co_await stream.write_pieces(std::span(&rest, 1));
    co_await stream.finish();
}

Future<void> writes_encrypted(Stage& stage) {
    static const std::string data(sent_bytes, 'x');
    auto stream = co_await shield(met(stage, &count_late));
    ConstBytes rest = bytes_of(data);
    std::exception_ptr cancelled;
    try {
        co_await write_rest(*stream, rest);
    } catch (const Cancelled&) {
        cancelled = std::current_exception();
    }
    if (cancelled != nullptr) co_await shield(write_rest(*stream, rest));
    std::string answer;
    co_await shield(read_all(*stream, answer));
    EXPECT_EQ(answer, "all");
    if (cancelled != nullptr) std::rethrow_exception(cancelled);
    co_await stream->aclose();
}

}  // namespace

std::vector<Program> tls_rows() {
    return {
        {"shakes_hands", {"connect", "accept"}, shakes_hands},
        {"reads_encrypted", {"Connection"}, reads_encrypted},
        {"writes_encrypted", {"Connection"}, writes_encrypted},
    };
}

}  // namespace gyre::task_cancel
