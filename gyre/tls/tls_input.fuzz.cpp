// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the input of an engine. The first byte selects the scenario:
//
//     0  the rest is the input of a new server        2  of a server after a handshake
//     1  the rest is the input of a new client        3  of a client after a handshake
//     4  a handshake with some bytes of both sides changed, then a message: the rest is triples
//        of a position (two bytes, counted over all bytes sent) and a change
//
// For any input an engine proceeds, wants more or fails with a TlsError, and never returns data
// that the peer did not write.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gyre/base/assert.hpp"
#include "gyre/tls/certificates.test.hpp"
#include "gyre/tls/context.hpp"
#include "gyre/tls/internal/engine.hpp"

namespace {

using namespace gyre;
using namespace gyre::tls;

// Generated once: a key takes longer than an input.
struct World {
    Authority authority;
    Context client{ClientOptions{.authorities = authority.pem(), .protocols = {"http/1.1"}}};
    Context server{ServerOptions{.certificates = {authority.issue("server")},
                                 .client_certificates = ClientCertificates::asked,
                                 .authorities = authority.pem(),
                                 .protocols = {"http/1.1"}}};
};

// One side of a connection.
struct Side {
    Engine engine;
    std::string read = {};
    bool is_established = false;
    bool has_failed = false;
    bool has_ended = false;  // the peer sent close_notify

    // Proceeds as far as its input allows.
    void go_on() {
        if (has_failed || has_ended) return;
        try {
            if (!is_established) is_established = engine.handshake() == Wants::nothing;
            if (!is_established) return;
            std::array<std::byte, 1000> buffer{};
            for (;;) {
                const Step step = engine.read(buffer);
                has_ended = step.size == 0 && step.wants == Wants::nothing;
                if (step.size == 0) return;
                read += text_of(ConstBytes(buffer).first(step.size));
            }
        } catch (const TlsError&) {
            has_failed = true;
        }
    }
    void hear(std::string_view bytes) {
        for (std::size_t at = 0; at < bytes.size() && !has_failed && !has_ended; at += 1000) {
            engine.give_input(bytes_of(bytes.substr(at, 1000)));
            go_on();
            static_cast<void>(take_output());
        }
        engine.end_input();
        go_on();
    }
    std::string take_output() {
        std::string all;
        for (ConstBytes piece = engine.output(); !piece.empty(); piece = engine.output()) {
            all += text_of(piece);
            engine.output_sent(piece.size());
        }
        return all;
    }
};

// Changes the bytes sent, at the positions that the input gives.
class Changes {
public:
    explicit Changes(std::string_view triples) : triples_(triples) {}
    void apply(std::string& said) {
        for (std::size_t at = 0; at + 3 <= triples_.size(); at += 3) {
            const auto byte = [&](std::size_t i) {
                return static_cast<std::uint8_t>(triples_[at + i]);
            };
            const std::size_t place = byte(0) * std::size_t{256} + byte(1);
            if (place < said_bytes_ || place >= said_bytes_ + said.size()) continue;
            said[place - said_bytes_] =
                static_cast<char>(said[place - said_bytes_] ^ triples_[at + 2]);
        }
        said_bytes_ += said.size();
    }

private:
    std::string_view triples_;
    std::size_t said_bytes_ = 0;
};

void talk(Side& from, Side& to, Changes& changes) {
    std::string said = from.take_output();
    changes.apply(said);
    for (std::size_t at = 0; at < said.size() && !to.has_failed && !to.has_ended; at += 1000) {
        to.engine.give_input(bytes_of(std::string_view(said).substr(at, 1000)));
        to.go_on();
    }
}

void shake_hands(Side& client, Side& server, Changes& changes) {
    client.go_on();
    for (int turn = 0; turn < 3; ++turn) {
        talk(client, server, changes);
        talk(server, client, changes);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
    if (size_bytes == 0) return -1;
    static World world;
    const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size_bytes - 1);
    const unsigned mode = data[0] % 5;
    Side client{.engine = Engine(world.client, "example.test")};
    Side server{.engine = Engine(world.server)};
    Side& hearer = mode % 2 == 0 ? server : client;
    if (mode < 4) {
        Changes none({});
        if (mode >= 2) shake_hands(client, server, none);
        GYRE_ASSERT(mode < 2 || (client.is_established && server.is_established),
                    "an honest handshake");
        if (mode == 1) client.go_on();
        hearer.hear(rest);
        GYRE_ASSERT(hearer.read.empty(), "nobody wrote anything");
        GYRE_ASSERT(!hearer.has_ended, "nobody said farewell");
        GYRE_ASSERT(hearer.has_failed, "so the end is an error");
        return 0;
    }
    Changes changes(rest);
    shake_hands(client, server, changes);
    static constexpr std::string_view word = "a word";
    if (client.is_established && !client.has_failed) {
        static_cast<void>(client.engine.write(bytes_of(word)));
        talk(client, server, changes);
    }
    GYRE_ASSERT(server.read == word || (server.read.empty() && rest.size() >= 3),
                "only written data is read, and all of it if no byte was changed");
    GYRE_ASSERT(client.read.empty(), "the server wrote nothing");
    return 0;
}
