// SPDX-License-Identifier: Apache-2.0
// TLS streams over sockets, on each platform.
#include "gyre/tls/connection.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <optional>
#include <string>

#include "gyre/net/net_world.test.hpp"
#include "gyre/task/combine/all.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/tls/certificates.test.hpp"
#include "gyre/tls/context.hpp"
#include "gyre/tls/internal/engine.hpp"
#include "tests/support/platforms.hpp"

namespace gyre::tls {
namespace {

using namespace std::chrono_literals;

struct Pair {
    std::unique_ptr<Connection> near;
    std::unique_ptr<Connection> far;
};

class TlsOn : public net::NetWorld {
protected:
    static Authority& authority() {
        static Authority one;
        return one;
    }
    Future<Pair> make_pair() {
        auto [near, far] = co_await net::connection_pair();
        auto [client, server] =
            co_await all(connect(client_, std::move(near), std::string("example.test")),
                         accept(server_, std::move(far)));
        co_return Pair{std::move(client), std::move(server)};
    }
    static Future<void> say(Connection& to, std::string_view text) {
        ConstBytes piece = bytes_of(text);
        co_await to.write(piece);
    }
    // Reads until the end.
    static Future<std::string> hear(Connection& from) {
        std::string all;
        std::array<std::byte, 10'000> buffer{};
        for (;;) {
            const std::size_t size = co_await from.read(buffer);
            if (size == 0) co_return all;
            all += text_of(ConstBytes(buffer).first(size));
        }
    }

    static Future<std::optional<TlsError::Kind>> failure_of(
        Future<std::unique_ptr<Connection>> made) {
        try {
            static_cast<void>(co_await std::move(made));
        } catch (const TlsError& error) {
            co_return error.kind();
        }
        co_return std::nullopt;
    }

    Context client_{ClientOptions{.authorities = authority().pem()}};
    Context server_{ServerOptions{.certificates = {authority().issue("server")}}};
};
GYRE_ON_PLATFORMS(TlsOn, gyre::test::every_platform);

std::string numbered_bytes(std::size_t size) {
    std::string all(size, ' ');
    for (std::size_t i = 0; i < size; ++i) all[i] = static_cast<char>(i * 7 + (i >> 9U));
    return all;
}

TEST_P(TlsOn, this_platform_large_data_goes_both_ways_at_once) {
    const std::string data = numbered_bytes(1'000'000);
    run([&]() -> Future<void> {
        Pair pair = co_await make_pair();
        auto talk = [&](Connection& to) -> Future<void> {
            co_await say(to, data);
            co_await to.finish();
        };
        auto [sent_near, sent_far, at_near, at_far] =
            co_await all(talk(*pair.near), talk(*pair.far), hear(*pair.near), hear(*pair.far));
        EXPECT_TRUE(at_near == data);
        EXPECT_TRUE(at_far == data);
        co_await pair.near->aclose();
        co_await pair.far->aclose();
    });
    EXPECT_EQ(client_.session_count(), 1U);
}

TEST_P(TlsOn, this_platform_a_second_connection_goes_on_with_the_session) {
    run([&]() -> Future<void> {
        for (const bool is_second : {false, true}) {
            Pair pair = co_await make_pair();
            EXPECT_EQ(pair.near->is_resumed(), is_second);
            EXPECT_EQ(pair.far->is_resumed(), is_second);
            co_await say(*pair.far, "hello");
            co_await pair.far->aclose();
            const std::string heard = co_await hear(*pair.near);
            EXPECT_EQ(heard, "hello");
            co_await pair.near->aclose();
        }
    });
}

TEST_P(TlsOn, this_platform_an_end_without_a_farewell_is_an_error) {
    run([&]() -> Future<void> {
        Pair pair = co_await make_pair();
        co_await say(*pair.far, "half");
        pair.far.reset();
        std::array<std::byte, 4> buffer{};
        const std::size_t size = co_await pair.near->read(buffer);
        EXPECT_EQ(size, 4U);
        const auto end = co_await try_(pair.near->read(buffer));
        EXPECT_EQ(end.error(), Error(std::errc::connection_aborted));
    });
}

TEST_P(TlsOn, this_platform_both_sides_hear_why_a_handshake_failed) {
    run([&]() -> Future<void> {
        auto [near, far] = co_await net::connection_pair();
        auto [at_client, at_server] =
            co_await all(failure_of(connect(client_, std::move(near), std::string("other.test"))),
                         failure_of(accept(server_, std::move(far))));
        EXPECT_EQ(at_client, TlsError::Kind::certificate);
        EXPECT_EQ(at_server, TlsError::Kind::refused);
    });
}

TEST_P(TlsOn, this_platform_a_handshake_with_a_silent_peer_ends_with_its_time) {
    const int before = descriptor_count();
    run([&]() -> Future<void> {
        auto [near, far] = co_await net::connection_pair();
        auto shaken = connect(client_, std::move(near), std::string("example.test"));
        const auto made = co_await try_(timeout(std::move(shaken), 10ms));
        EXPECT_EQ(made.error(), Error(std::errc::timed_out));
    });
    EXPECT_EQ(descriptor_count(), before);
}

TEST_P(TlsOn, this_platform_a_read_that_was_cancelled_has_lost_nothing) {
    run([&]() -> Future<void> {
        Pair pair = co_await make_pair();
        std::array<std::byte, 8> buffer{};
        const auto early = co_await try_(timeout(pair.near->read(buffer), 1ms));
        EXPECT_EQ(early.error(), Error(std::errc::timed_out));
        co_await say(*pair.far, "late");
        const std::size_t size = co_await pair.near->read(buffer);
        EXPECT_EQ(text_of(ConstBytes(buffer).first(size)), "late");
    });
}

// The peer is blocked on its own write and reads nothing until its bytes are read.
TEST_P(TlsOn, this_platform_what_a_cancelled_write_left_goes_out_while_something_is_read) {
    const std::string data = numbered_bytes(8'000'000);
    run([&]() -> Future<void> {
        Pair pair = co_await make_pair();
        ConstBytes rest = bytes_of(data);
        const auto sent =
            co_await try_(timeout(pair.near->write_pieces(std::span(&rest, 1)), 20ms));
        EXPECT_EQ(sent.error(), Error(std::errc::timed_out));
        const std::size_t taken = data.size() - rest.size();
        EXPECT_FALSE(pair.near->engine().output().empty());
        auto answer = [&]() -> Future<std::string> {
            co_await say(*pair.far, data);
            std::string all;
            std::array<std::byte, 10'000> buffer{};
            while (all.size() < taken) {
                const std::size_t size = co_await pair.far->read(buffer);
                all += text_of(ConstBytes(buffer).first(size));
            }
            co_await pair.far->aclose();
            co_return all;
        };
        auto [at_far, at_near] = co_await all(answer(), hear(*pair.near));
        EXPECT_TRUE(at_near == data);
        EXPECT_TRUE(at_far == data.substr(0, taken));
        co_await pair.near->aclose();
    });
}

}  // namespace
}  // namespace gyre::tls
