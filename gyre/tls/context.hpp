// SPDX-License-Identifier: Apache-2.0
// Context: what the connections of a client or a server have in common: certificates and keys, whom
// to trust, which protocols to offer, sessions to go on with. TLS 1.2 at least. It belongs to one
// loop's thread and outlives its connections; several loops have one each.
//
//     tls::Context client(tls::ClientOptions{});
//     const std::string chain = co_await fs::read_file("cert.pem");
//     const std::string key = co_await fs::read_file("key.pem");
//     tls::Context server(tls::ServerOptions{.certificates = {{{chain}, {key}}}});
//
// It reads no files: certificates and keys are given as text. What is wrong with them throws
// TlsError (pem). The one exception are the authorities of the system, where none are given: those
// OpenSSL finds by itself, as connections ask for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gyre::tls {

class Engine;

// Text in PEM form, and the name of the file that it was read from, for messages.
struct Pem {
    std::string text = {};
    std::string file = {};
};

struct Certificate {
    Pem chain = {};  // the certificate, then those that lead from it to a known authority
    Pem key = {};
};

using UnixSeconds = std::int64_t;

struct ClientOptions {
    // Certificates of those to trust; none: those of the system.
    std::optional<Pem> authorities = std::nullopt;
    // Without it anybody may pretend to be the server.
    bool verifies = true;
    // For servers that ask for one.
    std::optional<Certificate> certificate = std::nullopt;
    // ALPN, the dearest first: "h2", "http/1.1".
    std::vector<std::string> protocols = {};
    // Servers whose last session is kept, for a shorter handshake the next time; 0: none.
    std::size_t session_count_max = 256;
    // By which certificates are judged; without it, the system's.
    UnixSeconds (*wall_time)() = nullptr;
};

enum class ClientCertificates : std::uint8_t {
    none,
    asked,    // who has one shows it, and it must be good
    required  // who has none is refused
};

// Encrypts the sessions that clients keep. Servers that share it go on with each other's.
using TicketKey = std::vector<std::byte>;
[[nodiscard]] TicketKey make_ticket_key();

struct ServerOptions {
    // Chosen by the name that the client asks for and the names in the certificate; the first is
    // for all others.
    std::vector<Certificate> certificates;
    ClientCertificates client_certificates = ClientCertificates::none;
    // Certificates of those to trust with clients; none: those of the system.
    std::optional<Pem> authorities = std::nullopt;
    // ALPN, the dearest first. A client that offers others only is refused.
    std::vector<std::string> protocols = {};
    bool resumes = true;
    // None: one of its own, and a new one with each reload.
    TicketKey ticket_key = {};
    UnixSeconds (*wall_time)() = nullptr;
};

class Context {
public:
    explicit Context(ClientOptions options);
    explicit Context(ServerOptions options);
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    // Takes other options, for the connections to come; those that are there keep what they have.
    // Where they cannot be used it throws, and all stays as it was. A client forgets its sessions,
    // so that nobody goes on with what is no longer trusted; a server that shall do so needs
    // another ticket key, or none.
    void reload(ClientOptions options);
    void reload(ServerOptions options);

    [[nodiscard]] bool is_server() const noexcept;
    // Sessions that are kept, of a client.
    [[nodiscard]] std::size_t session_count() const noexcept;

private:
    friend class Engine;
    class Inside;

    std::unique_ptr<Inside> inside_;
};

}  // namespace gyre::tls
