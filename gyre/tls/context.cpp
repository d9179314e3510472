// SPDX-License-Identifier: Apache-2.0
// Configures OpenSSL from the options, and implements its callbacks.
#include "gyre/tls/context.hpp"

#include <openssl/rand.h>

#include <array>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/tls/internal/context_state.hpp"
#include "gyre/tls/internal/pem.hpp"

namespace gyre::tls {
namespace {

constexpr std::size_t ticket_key_bytes = 80;

std::errc code_of(TlsError::Kind kind) noexcept {
    switch (kind) {
        case TlsError::Kind::certificate:
            return std::errc::permission_denied;
        case TlsError::Kind::truncated:
            return std::errc::connection_aborted;
        case TlsError::Kind::pem:
            return std::errc::invalid_argument;
        case TlsError::Kind::refused:
        case TlsError::Kind::protocol:
            break;
    }
    return std::errc::protocol_error;
}

std::vector<unsigned char> alpn_list_of(const std::vector<std::string>& protocols) {
    std::vector<unsigned char> all;
    for (const std::string& protocol : protocols) {
        GYRE_ASSERT(!protocol.empty(), "an ALPN protocol is empty: give its name");
        GYRE_ASSERT(protocol.size() < 256, "an ALPN protocol is longer than 255 bytes: shorten it");
        all.push_back(static_cast<unsigned char>(protocol.size()));
        all.insert(all.end(), protocol.begin(), protocol.end());
    }
    return all;
}

// Of TLS 1.2; those of 1.3 all have forward secrecy and authenticated encryption.
constexpr const char* safe_ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20";

OwnedContext make_context(const SSL_METHOD* method, bool allows_old_ciphers) {
    ERR_clear_error();
    OwnedContext context(SSL_CTX_new(method));
    require(context != nullptr);
    require(SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) == 1);
    if (!allows_old_ciphers) {
        require(SSL_CTX_set_cipher_list(context.get(), safe_ciphers) == 1);
    }
    SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    // Not SSL_MODE_RELEASE_BUFFERS: it allocates for each record, and an idle connection touches
    // little of the kept buffers anyway.
    SSL_CTX_set_mode(context.get(),
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    return context;
}

void set_authorities(SSL_CTX& context, const std::optional<Pem>& authorities) {
    if (authorities) {
        trust(context, *authorities);
    } else {
        trust_system(context);
    }
}

// Requests client certificates.
void ask_clients(SSL_CTX& context, const ServerOptions& options) {
    if (options.client_certificates == ClientCertificates::none) return;
    set_authorities(context, options.authorities);
    if (options.authorities) announce_authorities(context, *options.authorities);
    const bool is_required = options.client_certificates == ClientCertificates::required;
    SSL_CTX_set_verify(
        &context, SSL_VERIFY_PEER | (is_required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), nullptr);
}

// Only clients keep sessions, as tickets: a server holds no memory for them.
void set_sessions(SSL_CTX& context, const ServerOptions& options) {
    SSL_CTX_set_session_cache_mode(&context, SSL_SESS_CACHE_OFF);
    static constexpr std::array<unsigned char, 4> id{'g', 'y', 'r', 'e'};
    require(SSL_CTX_set_session_id_context(&context, id.data(), id.size()) == 1);
    if (!options.resumes) {
        SSL_CTX_set_options(&context, SSL_OP_NO_TICKET);
        require(SSL_CTX_set_num_tickets(&context, 0) == 1);
    } else if (!options.ticket_key.empty()) {
        TicketKey key = options.ticket_key;
        GYRE_ASSERT(key.size() == ticket_key_bytes, "a ticket key is made by make_ticket_key");
        require(SSL_CTX_set_tlsext_ticket_keys(&context, key.data(),
                                               static_cast<long>(key.size())) == 1);
    }
}

}  // namespace

TlsError::TlsError(Kind kind, std::string text)
    : SystemFailure(code_of(kind), std::move(text)), kind_(kind) {}

TicketKey make_ticket_key() {
    TicketKey key(ticket_key_bytes);
    require(RAND_bytes(reinterpret_cast<unsigned char*>(key.data()),
                       static_cast<int>(key.size())) == 1);
    return key;
}

void Context::State::use(ClientOptions options) {
    Protocols protocols = alpn_list_of(options.protocols);
    contexts_ = load_client(options, protocols);
    protocols_ = std::move(protocols);
    options.authorities.reset();
    options.certificate.reset();
    options_ = std::move(options);
    sessions_.clear();
}

void Context::State::use(ServerOptions options) {
    Protocols protocols = alpn_list_of(options.protocols);
    contexts_ = load_server(options, protocols);
    protocols_ = std::move(protocols);
    options.authorities.reset();
    options.certificates.clear();
    options.ticket_key.clear();
    options_ = std::move(options);
}

std::vector<OwnedContext> Context::State::load_client(const ClientOptions& options,
                                                      const Protocols& protocols) {
    std::vector<OwnedContext> all;
    SSL_CTX& context =
        *all.emplace_back(make_context(TLS_client_method(), options.allows_old_ciphers));
    if (options.verifies) {
        set_authorities(context, options.authorities);
        SSL_CTX_set_verify(&context, SSL_VERIFY_PEER, nullptr);
    }
    if (options.certificate) use_certificate(context, *options.certificate);
    if (!protocols.empty()) {
        require(SSL_CTX_set_alpn_protos(&context, protocols.data(),
                                        static_cast<unsigned>(protocols.size())) == 0);
    }
    if (options.session_count_max > 0) {
        SSL_CTX_set_app_data(&context, this);
        SSL_CTX_set_session_cache_mode(&context,
                                       SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
        SSL_CTX_sess_set_new_cb(&context, &State::on_session);
    }
    return all;
}

std::vector<OwnedContext> Context::State::load_server(const ServerOptions& options,
                                                      const Protocols& protocols) {
    if (options.certificates.empty()) {
        throw TlsError(TlsError::Kind::pem, "a server needs a certificate");
    }
    std::vector<OwnedContext> all;
    for (const Certificate& certificate : options.certificates) {
        SSL_CTX& context =
            *all.emplace_back(make_context(TLS_server_method(), options.allows_old_ciphers));
        use_certificate(context, certificate);
        ask_clients(context, options);
        set_sessions(context, options);
        if (!protocols.empty()) SSL_CTX_set_alpn_select_cb(&context, &State::on_protocols, this);
        SSL_CTX_set_tlsext_servername_callback(&context, &State::on_name);
        SSL_CTX_set_tlsext_servername_arg(&context, this);
    }
    return all;
}

OwnedSsl Context::State::make_connection(const std::string& name) {
    ERR_clear_error();
    OwnedSsl connection(SSL_new(contexts_.front().get()));
    require(connection != nullptr);
    const auto wall_time = std::visit([](const auto& given) { return given.wall_time; }, options_);
    if (wall_time != nullptr) {
        X509_VERIFY_PARAM_set_time(SSL_get0_param(connection.get()), wall_time());
    }
    if (const auto* client = std::get_if<ClientOptions>(&options_)) {
        prepare_client(*connection, *client, name);
        SSL_set_connect_state(connection.get());
    } else {
        SSL_set_accept_state(connection.get());
    }
    return connection;
}

void Context::State::prepare_client(SSL& connection, const ClientOptions& options,
                                    const std::string& name) {
    GYRE_ASSERT(!name.empty(), "a client names the server that it wants to talk to");
    // A numeric address is verified against the certificate, but not sent as SNI.
    const bool is_address =
        X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(&connection), name.c_str()) == 1;
    ERR_clear_error();
    if (!is_address) {
        SSL_set_hostflags(&connection, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
        if ((options.verifies && SSL_set1_host(&connection, name.c_str()) != 1) ||
            SSL_set_tlsext_host_name(&connection, name.c_str()) != 1) {
            ERR_clear_error();
            throw TlsError(TlsError::Kind::protocol, "no name of a server: " + name);
        }
    }
    SSL_set_app_data(&connection, const_cast<std::string*>(&name));
    const auto kept = sessions_.find(name);
    if (kept == sessions_.end()) return;
    // A ticket is used once: reuse would let an observer link two connections of one client.
    if (SSL_SESSION_is_resumable(kept->second.get()) == 1) {
        require(SSL_set_session(&connection, kept->second.get()) == 1);
    }
    sessions_.erase(kept);
}

int Context::State::on_session(SSL* connection, SSL_SESSION* session) noexcept {
    SSL_CTX* const context = SSL_get_SSL_CTX(connection);
    auto& state = *static_cast<State*>(SSL_CTX_get_app_data(context));
    if (context != state.contexts_.front().get()) return 0;  // A session from before a reload.
    const auto& name = *static_cast<const std::string*>(SSL_get_app_data(connection));
    auto& sessions = state.sessions_;
    const std::size_t count_max = std::get<ClientOptions>(state.options_).session_count_max;
    if (sessions.size() >= count_max && !sessions.contains(name)) sessions.erase(sessions.begin());
    sessions.insert_or_assign(name, OwnedSession(session));
    return 1;
}

int Context::State::on_name(SSL* connection, int* /*alert*/, void* state) noexcept {
    const char* const name = SSL_get_servername(connection, TLSEXT_NAMETYPE_host_name);
    if (name == nullptr) return SSL_TLSEXT_ERR_OK;
    for (const OwnedContext& context : static_cast<State*>(state)->contexts_) {
        X509* const certificate = SSL_CTX_get0_certificate(context.get());
        if (X509_check_host(certificate, name, 0, 0, nullptr) != 1) continue;
        SSL_set_SSL_CTX(connection, context.get());
        break;
    }
    return SSL_TLSEXT_ERR_OK;
}

int Context::State::on_protocols(SSL* /*connection*/, const unsigned char** out,
                                 unsigned char* out_size, const unsigned char* in, unsigned in_size,
                                 void* state) noexcept {
    const auto& own = static_cast<State*>(state)->protocols_;
    unsigned char* chosen = nullptr;
    const int how = SSL_select_next_proto(&chosen, out_size, own.data(),
                                          static_cast<unsigned>(own.size()), in, in_size);
    *out = chosen;
    return how == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

Context::Context(ClientOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Context::Context(ServerOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Context::~Context() = default;

void Context::reload(ClientOptions options) {
    GYRE_ASSERT(!is_server(), "a server's context takes options of a server");
    state_->use(std::move(options));
}

void Context::reload(ServerOptions options) {
    GYRE_ASSERT(is_server(), "a client's context takes options of a client");
    state_->use(std::move(options));
}

bool Context::is_server() const noexcept {
    return state_->is_server();
}

std::size_t Context::session_count() const noexcept {
    return state_->session_count();
}

}  // namespace gyre::tls
