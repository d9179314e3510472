// SPDX-License-Identifier: Apache-2.0
// For tests: two engines, connected without a loop.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>

#include "gyre/tls/certificates.test.hpp"
#include "gyre/tls/context.hpp"
#include "gyre/tls/internal/engine.hpp"

namespace gyre::tls {

inline constexpr const char* any_name =
    "DNS:example.test,DNS:other.test,DNS:a.test,DNS:b.test,DNS:c.test,DNS:d.test";

// The output for the network.
inline std::string take_output(Engine& from) {
    std::string all;
    for (ConstBytes piece = from.output(); !piece.empty(); piece = from.output()) {
        all += text_of(piece);
        from.output_sent(piece.size());
    }
    return all;
}

struct Ends {
    std::optional<TlsError> client = std::nullopt;
    std::optional<TlsError> server = std::nullopt;
};

// One step of one side; returns whether its handshake is done.
inline bool shake(Engine& engine, std::optional<TlsError>& failure) {
    if (failure) return true;
    try {
        return engine.handshake() == Wants::nothing;
    } catch (const TlsError& error) {
        failure = error;
        return true;
    }
}

// In pieces of at most this size.
inline Ends shake_hands(Engine& client, Engine& server, std::size_t piece_bytes = 4096) {
    Ends ends;
    const auto carry = [piece_bytes](Engine& from, Engine& to, std::optional<TlsError>& failure) {
        const std::string bytes = take_output(from);
        bool is_done = false;
        for (std::size_t at = 0; at < bytes.size(); at += piece_bytes) {
            to.give_input(bytes_of(std::string_view(bytes).substr(at, piece_bytes)));
            is_done = shake(to, failure);
        }
        return is_done;
    };
    static_cast<void>(shake(client, ends.client));
    for (int turn = 0; turn < 4; ++turn) {
        carry(client, server, ends.server);
        carry(server, client, ends.client);
    }
    return ends;
}

inline std::string read_all(Engine& engine) {
    std::string all;
    std::array<std::byte, 100> buffer{};
    for (;;) {
        const Step step = engine.read(buffer);
        if (step.size == 0) return all;
        all += text_of(ConstBytes(buffer).first(step.size));
    }
}

// Moves the output of `from` to the input of `to`.
inline void carry(Engine& from, Engine& to) {
    to.give_input(bytes_of(take_output(from)));
}

class Engines : public testing::Test {
protected:
    static Authority& authority() {
        static Authority one;
        return one;
    }
    static ClientOptions trusting() { return {.authorities = authority().pem()}; }
    static ServerOptions serving(Certificate certificate = authority().issue("server")) {
        return {.certificates = {std::move(certificate)}};
    }
    // The reason why the client refuses a server with this certificate.
    static std::string refusal_of(const Wanted& wanted, ClientOptions options = trusting()) {
        Context client(std::move(options));
        Context server(serving(authority().issue("refused", wanted)));
        Engine near(client, "example.test");
        Engine far(server);
        const Ends ends = shake_hands(near, far);
        if (!ends.client) return "taken";
        EXPECT_EQ(ends.client->kind(), TlsError::Kind::certificate);
        EXPECT_EQ(ends.client->code(), std::errc::permission_denied);
        EXPECT_EQ(ends.server.value().kind(), TlsError::Kind::refused);
        const std::string text = ends.client->what();
        return text.substr(text.find(": ") + 2);
    }
};

}  // namespace gyre::tls
