// SPDX-License-Identifier: Apache-2.0
// Context::State: the OpenSSL objects made from the options, and the cached sessions of a client.
// An Engine gets its connection from it. Lives as long as its Context, on the same thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "gyre/tls/context.hpp"
#include "gyre/tls/internal/openssl.hpp"

namespace gyre::tls {

class Context::State {
public:
    explicit State(ClientOptions options) { use(std::move(options)); }
    explicit State(ServerOptions options) { use(std::move(options)); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    // Throws and changes nothing if the options are unusable.
    void use(ClientOptions options);
    void use(ServerOptions options);
    // Before its handshake. `name` is the server's, of a client; it outlives the connection.
    [[nodiscard]] OwnedSsl make_connection(const std::string& name);

    [[nodiscard]] bool is_server() const noexcept {
        return std::holds_alternative<ServerOptions>(options_);
    }
    [[nodiscard]] std::size_t session_count() const noexcept { return sessions_.size(); }

private:
    using Protocols = std::vector<unsigned char>;  // in the form of the ALPN extension

    [[nodiscard]] std::vector<OwnedContext> load_client(const ClientOptions& options,
                                                        const Protocols& protocols);
    [[nodiscard]] std::vector<OwnedContext> load_server(const ServerOptions& options,
                                                        const Protocols& protocols);
    void prepare_client(SSL& connection, const ClientOptions& options, const std::string& name);
    // The callbacks of OpenSSL: a client has a new session; a server selects by SNI and by ALPN.
    static int on_session(SSL* connection, SSL_SESSION* session) noexcept;
    static int on_name(SSL* connection, int* alert, void* state) noexcept;
    static int on_protocols(SSL* connection, const unsigned char** out, unsigned char* out_size,
                            const unsigned char* in, unsigned in_size, void* state) noexcept;

    std::variant<ClientOptions, ServerOptions>
        options_;  // without certificates and keys: OpenSSL has them
    Protocols protocols_;
    std::vector<OwnedContext> contexts_;                         // one a certificate
    std::map<std::string, OwnedSession, std::less<>> sessions_;  // by the server's name
};

}  // namespace gyre::tls
