// SPDX-License-Identifier: Apache-2.0
// Context: what the connections of a client or a server have in common: certificates and keys, whom
// to trust, which protocols to offer, sessions to go on with. TLS 1.2 at least. It belongs to one
// loop's thread and outlives its connections; several loops have one each.
//
//     tls::Context client(tls::ClientOptions{});
//     tls::Context server(tls::ServerOptions{.certificates = {{"cert.pem", "key.pem"}}});
//
// Files are read when it is made, and again by `reload`: with blocking calls, so that a server does
// both before its loop runs or at a quiet moment. What is wrong with them throws TlsError (files).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gyre::tls {

class Engine;

// PEM files. The certificate is followed by those that lead from it to a known authority.
struct CertificateFiles {
    std::string certificate;
    std::string key;
};

using UnixSeconds = std::int64_t;

struct ClientOptions {
    // Authorities to trust; none: those of the system.
    std::string authority_file = {};
    // Without it anybody may pretend to be the server.
    bool verifies = true;
    // For servers that ask for one.
    CertificateFiles certificate = {};
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
    std::vector<CertificateFiles> certificates;
    ClientCertificates client_certificates = ClientCertificates::none;
    // Authorities to trust with clients; none: those of the system.
    std::string authority_file = {};
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

    // Reads the files again, for the connections to come; those that are there keep what they have.
    // Where a file is bad it throws, and all stays as it was. Sessions are forgotten, so that
    // nobody goes on with what is no longer trusted. A server that was given a ticket key needs
    // another one for that.
    void reload();
    void reload(TicketKey ticket_key);

    [[nodiscard]] bool is_server() const noexcept;
    // Sessions that are kept, of a client.
    [[nodiscard]] std::size_t session_count() const noexcept;

private:
    friend class Engine;
    class Inside;

    std::unique_ptr<Inside> inside_;
};

}  // namespace gyre::tls
