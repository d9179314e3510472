// SPDX-License-Identifier: Apache-2.0
// The natives of node:tls, called without a script: a handshake in memory, texts and bytes, the limit
// of what waits for the program, the end, and what is no TLS.
#include "lang/script/internal/tls_natives.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lang/script/made_call.test.hpp"

namespace gyre::script {
namespace {

using test::Bytes;
using test::Given;
using test::MadeCall;

struct Ran {
    char state = '?';
    std::size_t plain = 0;
    std::size_t wire = 0;
    std::string error;
};

struct TlsWorld {
    NativeStates states;

    template <void (*native)(NativeStates&, NativeCall&)>
    MadeCall call(std::vector<Given> arguments) {
        MadeCall made(std::move(arguments));
        native(states, made);
        return made;
    }
    // Without certificates, which no default allows.
    double context(bool is_server, const std::string& ciphers = "AECDH-AES128-SHA:@SECLEVEL=0") {
        const MadeCall made =
            call<&tls::context>({is_server ? 1.0 : 0.0, "", "", "", "", ciphers, "", 12.0, 12.0});
        failure = made.failure;
        return made.given_number.value_or(-1);
    }
    double open(bool is_server) {
        return call<&tls::open>(
                   {context(is_server), is_server ? 1.0 : 0.0, "a.example", "", 0.0, 0.0})
            .given_number.value_or(-1);
    }
    Ran run(double connection) {
        Ran made = run_once(connection);
        if (made.state != '3') return made;
        static_cast<void>(call<&tls::use>({connection, 0.0}));  // Stays with its context.
        return run_once(connection);
    }
    Ran run_once(double connection) {
        const std::string text = call<&tls::run>({connection}).given_text.value_or("? 0 0 ");
        Ran made;
        made.state = text.front();
        std::size_t at = 2;
        made.plain = std::stoul(text.substr(at));
        at = text.find(' ', at) + 1;
        made.wire = std::stoul(text.substr(at));
        made.error = text.substr(text.find(' ', at) + 1);
        return made;
    }
    Bytes take(double connection, std::size_t size, bool of_wire) {
        Bytes into(size);
        static_cast<void>(call<&tls::take>({connection, &into, of_wire ? 1.0 : 0.0}));
        return into;
    }
    void feed(double connection, Bytes bytes) {
        static_cast<void>(call<&tls::feed>({connection, &bytes}));
    }
    // All that one has for the network, to the other.
    void carry(double from, double to) { feed(to, take(from, run(from).wire, true)); }
    void pair() {
        client = open(false);
        server = open(true);
        for (int i = 0; i < 4; ++i) {
            carry(client, server);
            carry(server, client);
        }
    }
    std::string read(double connection) {
        const Bytes got = take(connection, run(connection).plain, false);
        return {reinterpret_cast<const char*>(got.data()), got.size()};
    }

    double client = 0;
    double server = 0;
    std::string failure;
};

bool has_tls() {
    return TlsWorld().context(false) > 0;
}
#define NEEDS_TLS() \
    if (!has_tls()) GTEST_SKIP() << "this build has no OpenSSL"

TEST(TlsNatives, shake_hands_and_carry_texts_and_bytes) {
    NEEDS_TLS();
    TlsWorld world;
    world.pair();
    EXPECT_EQ(world.run(world.client).state, '1');
    EXPECT_EQ(world.run(world.server).state, '1');
    EXPECT_EQ(world.call<&tls::info>({world.server, "name"}).given_text, "a.example");
    Bytes bytes = {std::byte{0}, std::byte{200}};
    EXPECT_EQ(world.call<&tls::write>({world.client, &bytes, 0.0}).given_number, 1);
    EXPECT_EQ(world.call<&tls::write>({world.client, "\xc3\xa9", 0.0}).given_number, 1);
    EXPECT_EQ(world.call<&tls::write>({world.client, "\xc3\xa9", 1.0}).given_number, 1);
    world.carry(world.client, world.server);
    EXPECT_EQ(world.read(world.server), std::string("\0\xc8\xc3\xa9\xe9", 5));
}

TEST(TlsNatives, tell_the_end_that_the_peer_has_written) {
    NEEDS_TLS();
    TlsWorld world;
    world.pair();
    static_cast<void>(world.call<&tls::end>({world.client}));
    world.carry(world.client, world.server);
    const Ran ran = world.run(world.server);
    EXPECT_EQ(ran.state, '2');
    EXPECT_EQ(ran.error, "");
}

TEST(TlsNatives, decrypt_no_more_than_may_wait_for_the_program) {
    NEEDS_TLS();
    TlsWorld world;
    world.pair();
    Bytes piece(std::size_t{16} << 10u, std::byte{'x'});
    constexpr std::size_t count = 64;
    for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(world.call<&tls::write>({world.client, &piece, 0.0}).given_number, 1);
    }
    world.carry(world.client, world.server);
    const std::size_t first = world.run(world.server).plain;
    EXPECT_GT(first, 0u);
    EXPECT_LE(first, (std::size_t{256} << 10u) + piece.size());
    std::size_t got = 0;
    for (std::string text = world.read(world.server); !text.empty();
         text = world.read(world.server)) {
        got += text.size();
    }
    EXPECT_EQ(got, count * piece.size());
}

TEST(TlsNatives, name_the_error_of_what_is_no_tls) {
    NEEDS_TLS();
    TlsWorld world;
    const double server = world.open(true);
    world.feed(server, Bytes(64, std::byte{'G'}));
    const Ran ran = world.run(server);
    EXPECT_EQ(ran.state, '0');
    EXPECT_TRUE(ran.error.starts_with("OPENSSL\n")) << ran.error;
    EXPECT_EQ(world.run(server).error, ran.error);
}

TEST(TlsNatives, a_context_that_cannot_be_made_throws) {
    NEEDS_TLS();
    TlsWorld world;
    EXPECT_EQ(world.context(false, "NO-SUCH-CIPHER"), -1);
    EXPECT_TRUE(world.failure.starts_with("Error: OPENSSL\n")) << world.failure;
}

TEST(TlsNatives, calls_with_numbers_of_nothing_do_nothing) {
    TlsWorld world;
    Bytes bytes(4);
    EXPECT_FALSE(world.call<&tls::open>({7.0, 0.0, "", "", 0.0, 0.0}).given_number.has_value());
    EXPECT_FALSE(world.call<&tls::run>({7.0}).given_text.has_value());
    EXPECT_FALSE(world.call<&tls::write>({7.0, &bytes, 0.0}).given_number.has_value());
    EXPECT_FALSE(world.call<&tls::info>({7.0, "peer"}).given_text.has_value());
    world.feed(7, bytes);
    EXPECT_EQ(world.take(7, 4, true), Bytes(4));
}

}  // namespace
}  // namespace gyre::script
