// SPDX-License-Identifier: Apache-2.0
// The defaults of TLS: ciphers with forward secrecy and authenticated encryption, and little memory
// for a peer that is silent.
#include <gtest/gtest.h>

#include <string>

#include "gyre/tls/internal/engines.test.hpp"
#include "gyre/tls/internal/openssl.hpp"

namespace gyre::tls {
namespace {

class EngineLimits : public Engines {
protected:
    // The version and cipher that a client of TLS 1.2 with these ciphers gets; empty: refused.
    static std::string cipher_of(ServerOptions options, const char* ciphers) {
        Context context(std::move(options));
        Engine server(context);
        const OwnedContext own(SSL_CTX_new(TLS_client_method()));
        EXPECT_EQ(SSL_CTX_set_max_proto_version(own.get(), TLS1_2_VERSION), 1);
        EXPECT_EQ(SSL_CTX_set_cipher_list(own.get(), ciphers), 1);
        const OwnedSsl client(SSL_new(own.get()));
        BIO* const input = BIO_new(BIO_s_mem());
        BIO* const output = BIO_new(BIO_s_mem());
        SSL_set_bio(client.get(), input, output);
        SSL_set_connect_state(client.get());
        std::optional<TlsError> failure;
        for (int turn = 0; turn < 4; ++turn) {
            if (SSL_do_handshake(client.get()) == 1 && !failure) {
                return SSL_get_cipher_name(client.get());
            }
            std::string bytes(20'000, '\0');
            const int size = BIO_read(output, bytes.data(), static_cast<int>(bytes.size()));
            if (size > 0) {
                server.give_input(
                    bytes_of(std::string_view(bytes).substr(0, static_cast<std::size_t>(size))));
            }
            static_cast<void>(shake(server, failure));
            const std::string answer = take_output(server);
            if (!answer.empty()) BIO_write(input, answer.data(), static_cast<int>(answer.size()));
        }
        ERR_clear_error();
        return "";
    }
    static constexpr const char* old_ciphers =
        "ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES128-SHA:AES128-SHA:AES128-GCM-SHA256";
};

TEST_F(EngineLimits, clients_with_old_ciphers_alone_are_refused) {
    EXPECT_EQ(cipher_of(serving(), old_ciphers), "");
}

TEST_F(EngineLimits, clients_with_old_ciphers_are_accepted_if_the_options_say_so) {
    ServerOptions options = serving();
    options.allows_old_ciphers = true;
    EXPECT_NE(cipher_of(std::move(options), old_ciphers), "");
}

TEST_F(EngineLimits, clients_of_tls_1_2_get_forward_secrecy_and_authenticated_encryption) {
    const std::string cipher = cipher_of(serving(), "ALL");
    EXPECT_TRUE(cipher.starts_with("ECDHE-")) << cipher;
    EXPECT_TRUE(cipher.find("GCM") != std::string::npos ||
                cipher.find("CHACHA20") != std::string::npos)
        << cipher;
}

TEST_F(EngineLimits, a_server_that_hears_nothing_holds_one_small_buffer) {
    Context context(serving());
    Engine server(context);
    EXPECT_EQ(server.handshake(), Wants::input);
    const Bytes room = server.input_room();
    EXPECT_GE(room.size(), 512U);
    EXPECT_LE(server.held_bytes(), std::size_t{16} << 10U);
    server.end_input();
    EXPECT_THROW(static_cast<void>(server.handshake()), TlsError) << "a silent end is a failure";
}

TEST_F(EngineLimits, the_input_buffer_grows_when_it_was_filled) {
    Context context(serving());
    Context trusted(trusting());
    Engine server(context);
    Engine client(trusted, "example.test");
    const std::size_t first_bytes = server.input_room().size();
    EXPECT_FALSE(shake_hands(client, server).server);
    EXPECT_GT(server.held_bytes(), first_bytes);
    EXPECT_EQ(client.write(bytes_of(std::string(10'000, 'x'))).size, 10'000U);
    const std::string sent = take_output(client);
    server.give_input(bytes_of(std::string_view(sent)));
    EXPECT_EQ(read_all(server).size(), 10'000U);
    EXPECT_EQ(server.input_room().size(), Engine::input_bytes_max);
}

}  // namespace
}  // namespace gyre::tls
