// SPDX-License-Identifier: Apache-2.0
// Context: the configuration that the TLS connections of a client or a server share: certificates
// and keys, trusted authorities, protocols, cached sessions. TLS 1.2 or later, with forward secrecy
// and authenticated encryption. With TlsError.
//
//     tls::Context client(tls::ClientOptions{});
//     const std::string chain = co_await fs::read_file("cert.pem");
//     const std::string key = co_await fs::read_file("key.pem");
//     tls::Context server(tls::ServerOptions{.certificates = {{{chain}, {key}}}});
//
// Thread: one loop's thread; several loops have one each.
// Lifetime: outlives its connections.
//
// It reads no files: certificates and keys are given as PEM text, and unusable text throws TlsError
// (pem). Exception: if no authorities are given, OpenSSL reads the system's during handshakes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "gyre/base/failure.hpp"

namespace gyre::tls {

class Engine;

// A failure of TLS itself; errors of the stream below are thrown as they are. It is a system error,
// so `try_` returns it as an Error.
class TlsError : public SystemFailure {
public:
    enum class Kind : std::uint8_t {
        certificate,  // the peer's certificate is not valid; permission_denied
        refused,      // the peer refused our certificate or parameters; protocol_error
        protocol,     // the input is not TLS, or was tampered with; protocol_error
        truncated,    // the stream ended without a close_notify; connection_aborted
        pem           // the text of a certificate or key is unusable; invalid_argument
    };
    TlsError(Kind kind, std::string text);
    [[nodiscard]] Kind kind() const noexcept { return kind_; }

private:
    Kind kind_;
};

// PEM text, and the path of the file that it was read from, for error messages.
struct Pem {
    std::string text = {};
    std::string file = {};
};

struct Certificate {
    Pem chain = {};  // the certificate first, then the intermediates
    Pem key = {};
};

using UnixSeconds = std::int64_t;

struct ClientOptions {
    // The trusted authorities; none: the system's.
    std::optional<Pem> authorities = std::nullopt;
    // Verifies the certificate of the server. Without it the server is not authenticated.
    bool verifies = true;
    // The client certificate, for servers that request one.
    std::optional<Certificate> certificate = std::nullopt;
    // ALPN, in order of preference: "h2", "http/1.1".
    std::vector<std::string> protocols = {};
    // Also offers ciphers without forward secrecy and with CBC, for old servers.
    bool allows_old_ciphers = false;
    // Sessions are cached for resumption, one per server; 0: no resumption.
    std::size_t session_count_max = 256;
    // The clock for the validity of certificates; null: the system's.
    UnixSeconds (*wall_time)() = nullptr;
};

enum class ClientCertificates : std::uint8_t {
    none,
    asked,    // requested; verified if the client sends one
    required  // clients without one are refused
};

// Encrypts session tickets. Servers that share a key can resume each other's sessions.
using TicketKey = std::vector<std::byte>;
[[nodiscard]] TicketKey make_ticket_key();

struct ServerOptions {
    // Selected by the server name (SNI) of the client; the first one is the default.
    std::vector<Certificate> certificates;
    ClientCertificates client_certificates = ClientCertificates::none;
    // The authorities trusted for client certificates; none: the system's.
    std::optional<Pem> authorities = std::nullopt;
    // ALPN, in order of preference. A client that offers only others is refused.
    std::vector<std::string> protocols = {};
    bool resumes = true;
    // Also accepts ciphers without forward secrecy and with CBC, for old clients.
    bool allows_old_ciphers = false;
    // Empty: a random key, renewed with each reload.
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

    // Replaces the options, for new connections; existing ones keep theirs. If the options are
    // unusable, it throws and nothing changes. A client drops its cached sessions, so that none
    // resumes what is no longer trusted; a server needs another ticket key for that, or none.
    void reload(ClientOptions options);
    void reload(ServerOptions options);

    [[nodiscard]] bool is_server() const noexcept;
    // The cached sessions of a client.
    [[nodiscard]] std::size_t session_count() const noexcept;

private:
    friend class Engine;
    class State;

    std::unique_ptr<State> state_;
};

}  // namespace gyre::tls
