// SPDX-License-Identifier: Apache-2.0
#include "lang/script/internal/tls_natives.hpp"

#include <array>
#include <string>
#include <string_view>

#include "lang/script/internal/certificates.hpp"

#ifdef GYRE_HAS_OPENSSL

#    include <openssl/bio.h>
#    include <openssl/err.h>
#    include <openssl/pem.h>
#    include <openssl/ssl.h>
#    include <openssl/x509v3.h>

namespace gyre::script::tls {
namespace {

template <auto free>
struct FreeBy {
    void operator()(auto* thing) const { free(thing); }
};
template <class Kind, auto free>
using Own = std::unique_ptr<Kind, FreeBy<free>>;
using OwnBio = Own<BIO, &BIO_free>;
using OwnCertificate = Own<X509, &X509_free>;

constexpr std::size_t context_bytes = std::size_t{64} << 10u;
constexpr std::size_t connection_bytes = std::size_t{48} << 10u;
// Of plaintext that the program has not taken; more stays encrypted.
constexpr std::size_t plain_bytes_max = std::size_t{256} << 10u;

// "OPENSSL code library reason" of the first error.
std::string error_text() {
    const unsigned long code = ERR_get_error();
    ERR_clear_error();
    const char* const library = ERR_lib_error_string(code);
    const char* const reason = ERR_reason_error_string(code);
    std::array<char, 16> number{};
    static_cast<void>(std::snprintf(number.data(), number.size(), "%08lX", code));
    return std::string("OPENSSL\n") + number.data() + "\n" + (library ? library : "") + "\n" +
           (reason ? reason : "unknown error");
}

class TlsContext final : public NativeStates::State {
public:
    Own<SSL_CTX, &SSL_CTX_free> ssl;
};

class TlsConnection final : public NativeStates::State {
public:
    Own<SSL, &SSL_free> ssl;
    BIO* input = nullptr;  // both belong to ssl
    BIO* output = nullptr;
    std::string plain;
    std::string protocols;  // as ALPN has them on the wire
    std::string error;
    bool has_ended = false;
    bool asks_for_context = false;
    bool has_context = false;
    bool is_server = false;
};

OwnBio reader(const std::string& text) {
    return OwnBio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

int give_passphrase(char* into, int size, int /*is_writing*/, void* text) {
    const auto* const passphrase = static_cast<const std::string*>(text);
    if (static_cast<int>(passphrase->size()) > size) return 0;
    passphrase->copy(into, passphrase->size());
    return static_cast<int>(passphrase->size());
}

bool use_certificates(SSL_CTX* context, const std::string& text) {
    const OwnBio from = reader(text);
    const OwnCertificate first(PEM_read_bio_X509_AUX(from.get(), nullptr, nullptr, nullptr));
    if (!first || SSL_CTX_use_certificate(context, first.get()) != 1) return false;
    while (X509* const next = PEM_read_bio_X509(from.get(), nullptr, nullptr, nullptr)) {
        if (SSL_CTX_add0_chain_cert(context, next) != 1) {
            X509_free(next);
            return false;
        }
    }
    ERR_clear_error();  // of the end
    return true;
}

bool use_key(SSL_CTX* context, const std::string& text, std::string& passphrase) {
    const OwnBio from = reader(text);
    const Own<EVP_PKEY, &EVP_PKEY_free> key(
        PEM_read_bio_PrivateKey(from.get(), nullptr, &give_passphrase, &passphrase));
    return key != nullptr && SSL_CTX_use_PrivateKey(context, key.get()) == 1;
}

bool trust(SSL_CTX* context, const std::string& text) {
    if (text.empty()) return SSL_CTX_set_default_verify_paths(context) == 1;
    const OwnBio from = reader(text);
    X509_STORE* const store = SSL_CTX_get_cert_store(context);
    int count = 0;
    for (;; ++count) {
        const OwnCertificate next(PEM_read_bio_X509_AUX(from.get(), nullptr, nullptr, nullptr));
        if (!next) break;
        X509_STORE_add_cert(store, next.get());
        SSL_CTX_add_client_CA(context, next.get());
    }
    if (count > 0) ERR_clear_error();
    return true;  // Node takes authorities that are none, and trusts nobody then.
}

int version_of(double number) {
    constexpr std::array versions = {TLS1_VERSION, TLS1_1_VERSION, TLS1_2_VERSION, TLS1_3_VERSION};
    const int index = static_cast<int>(number) - 10;
    return index >= 0 && index < 4 ? versions[static_cast<std::size_t>(index)] : 0;
}

int accept_any(int /*is_fine*/, X509_STORE_CTX* /*store*/) {
    return 1;  // The library looks at the result behind the handshake.
}

// On a server: the handshake waits until the program has chosen a context.
int ask_for_context(SSL* ssl, void* /*nothing*/) {
    auto* const self = static_cast<TlsConnection*>(SSL_get_app_data(ssl));
    if (!self->is_server || self->has_context) return 1;
    self->asks_for_context = true;
    return -1;
}

int choose_protocol(SSL* ssl, const unsigned char** chosen, unsigned char* size,
                    const unsigned char* offered, unsigned offered_size, void* /*nothing*/) {
    const auto* const self = static_cast<TlsConnection*>(SSL_get_app_data(ssl));
    if (self->protocols.empty()) return SSL_TLSEXT_ERR_NOACK;
    unsigned char* found = nullptr;
    const int result = SSL_select_next_proto(
        &found, size, reinterpret_cast<const unsigned char*>(self->protocols.data()),
        static_cast<unsigned>(self->protocols.size()), offered, offered_size);
    *chosen = found;
    return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

std::string wire_form(std::string_view names) {
    std::string made;
    while (!names.empty()) {
        const std::string_view name = names.substr(0, names.find(','));
        made += static_cast<char>(name.size());
        made += name;
        names.remove_prefix(std::min(names.size(), name.size() + 1));
    }
    return made;
}

bool configure(SSL_CTX* context, NativeCall& call) {
    const std::string certificates = call.text(1);
    const std::string key = call.text(2);
    std::string passphrase = call.text(3);
    const std::string ciphers = call.text(5);
    const std::string suites = call.text(6);
    const int least = version_of(call.number(7));
    const int greatest = version_of(call.number(8));
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_AUTO_RETRY);
    SSL_CTX_set_cert_cb(context, &ask_for_context, nullptr);
    SSL_CTX_set_alpn_select_cb(context, &choose_protocol, nullptr);
    constexpr std::string_view session_name = "gyre";
    SSL_CTX_set_session_id_context(context,
                                   reinterpret_cast<const unsigned char*>(session_name.data()),
                                   static_cast<unsigned>(session_name.size()));
    if (SSL_CTX_set_min_proto_version(context, least == 0 ? TLS1_2_VERSION : least) != 1)
        return false;
    if (greatest != 0 && SSL_CTX_set_max_proto_version(context, greatest) != 1) return false;
    if (!ciphers.empty() && SSL_CTX_set_cipher_list(context, ciphers.c_str()) != 1) return false;
    if (!suites.empty() && SSL_CTX_set_ciphersuites(context, suites.c_str()) != 1) return false;
    if (!certificates.empty() && !use_certificates(context, certificates)) return false;
    if (!key.empty() && !use_key(context, key, passphrase)) return false;
    return trust(context, call.text(4));
}

void read_plain(TlsConnection& self) {
    std::array<char, 16384> buffer;
    while (self.plain.size() < plain_bytes_max) {
        const int size = SSL_read(self.ssl.get(), buffer.data(), static_cast<int>(buffer.size()));
        if (size > 0) {
            self.plain.append(buffer.data(), static_cast<std::size_t>(size));
            continue;
        }
        const int why = SSL_get_error(self.ssl.get(), size);
        if (why == SSL_ERROR_ZERO_RETURN) self.has_ended = true;
        if (why == SSL_ERROR_SSL || why == SSL_ERROR_SYSCALL) self.error = error_text();
        return;
    }
}

void shake_hands(TlsConnection& self) {
    const int done = SSL_do_handshake(self.ssl.get());
    if (done == 1) return;
    const int why = SSL_get_error(self.ssl.get(), done);
    if (why == SSL_ERROR_SSL || why == SSL_ERROR_SYSCALL) self.error = error_text();
}

std::string latin1_of(std::string_view utf8) {
    std::string made;
    for (std::size_t i = 0; i < utf8.size(); ++i) {
        const auto byte = static_cast<unsigned char>(utf8[i]);
        const bool is_pair = byte >= 0x80 && i + 1 < utf8.size();
        made += is_pair ? static_cast<char>(((byte & 0x03U) << 6U) |
                                            (static_cast<unsigned char>(utf8[i + 1]) & 0x3FU))
                        : utf8[i];
        if (is_pair) ++i;
    }
    return made;
}

std::string chain_text(SSL* ssl) {
    const OwnCertificate peer(SSL_get1_peer_certificate(ssl));
    if (!peer) return {};
    std::string text = certificate::text_of(peer.get());
    // With the authority that verified it, where one did.
    const STACK_OF(X509)* const verified = SSL_get0_verified_chain(ssl);
    const STACK_OF(X509)* const chain =
        verified != nullptr ? verified : SSL_get_peer_cert_chain(ssl);
    for (int i = 0; chain != nullptr && i < sk_X509_num(chain); ++i) {
        X509* const one = sk_X509_value(chain, i);
        if (X509_cmp(one, peer.get()) != 0) text += certificate::text_of(one);
    }
    return text;
}

std::string fact(const TlsConnection& self, std::string_view what) {
    SSL* const ssl = self.ssl.get();
    if (what == "version") return SSL_get_version(ssl);
    if (what == "reused") return SSL_session_reused(ssl) == 1 ? "1" : "";
    if (what == "verified") {
        const long result = SSL_get_verify_result(ssl);
        return result == X509_V_OK
                   ? std::string()
                   : std::to_string(result) + " " + X509_verify_cert_error_string(result);
    }
    if (what == "name") {
        const char* const name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
        return name == nullptr ? "" : name;
    }
    if (what == "protocol") {
        const unsigned char* name = nullptr;
        unsigned size = 0;
        SSL_get0_alpn_selected(ssl, &name, &size);
        return name == nullptr ? std::string()
                               : std::string(reinterpret_cast<const char*>(name), size);
    }
    if (what == "cipher") {
        const SSL_CIPHER* const cipher = SSL_get_current_cipher(ssl);
        return cipher == nullptr
                   ? std::string()
                   : std::string(SSL_CIPHER_get_name(cipher)) + "\n" +
                         SSL_CIPHER_standard_name(cipher) + "\n" + SSL_CIPHER_get_version(cipher);
    }
    if (what == "peer") return chain_text(ssl);
    X509* const own = SSL_get_certificate(ssl);
    return own == nullptr ? std::string() : certificate::text_of(own);
}

}  // namespace

void context(NativeStates& states, NativeCall& call) {
    ERR_clear_error();
    auto made = std::make_unique<TlsContext>();
    made->ssl.reset(SSL_CTX_new(TLS_method()));
    if (!made->ssl || !configure(made->ssl.get(), call)) return call.fail("Error", error_text());
    states.add(call, std::move(made), context_bytes);
}

void open(NativeStates& states, NativeCall& call) {
    const auto* const context = states.find<TlsContext>(call.number(0));
    if (context == nullptr) return;
    auto made = std::make_unique<TlsConnection>();
    made->is_server = call.truth(1);
    made->ssl.reset(SSL_new(context->ssl.get()));
    made->input = BIO_new(BIO_s_mem());
    made->output = BIO_new(BIO_s_mem());
    if (!made->ssl || made->input == nullptr || made->output == nullptr) {
        return call.fail("Error", error_text());
    }
    SSL* const ssl = made->ssl.get();
    BIO_set_mem_eof_return(made->input, -1);
    SSL_set_bio(ssl, made->input, made->output);
    SSL_set_app_data(ssl, made.get());
    made->protocols = wire_form(call.text(3));
    if (made->is_server) {
        const int asks = call.truth(4) ? SSL_VERIFY_PEER : SSL_VERIFY_NONE;
        const int requires_one = call.truth(5) ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0;
        SSL_set_verify(ssl, asks == SSL_VERIFY_NONE ? asks : asks | requires_one, &accept_any);
        SSL_set_accept_state(ssl);
    } else {
        const std::string name = call.text(2);
        if (!name.empty()) SSL_set_tlsext_host_name(ssl, name.c_str());
        if (!made->protocols.empty()) {
            SSL_set_alpn_protos(ssl, reinterpret_cast<const unsigned char*>(made->protocols.data()),
                                static_cast<unsigned>(made->protocols.size()));
        }
        SSL_set_verify(ssl, SSL_VERIFY_PEER, &accept_any);
        SSL_set_connect_state(ssl);
    }
    states.add(call, std::move(made), connection_bytes);
}

void feed(NativeStates& states, NativeCall& call) {
    auto* const self = states.find<TlsConnection>(call.number(0));
    if (self == nullptr) return;
    const std::span<std::byte> bytes = call.bytes(1);
    BIO_write(self->input, bytes.data(), static_cast<int>(bytes.size()));
}

void run(NativeStates& states, NativeCall& call) {
    auto* const self = states.find<TlsConnection>(call.number(0));
    if (self == nullptr) return;
    ERR_clear_error();
    self->asks_for_context = false;
    if (self->error.empty() && SSL_is_init_finished(self->ssl.get()) == 0) shake_hands(*self);
    const bool is_open = SSL_is_init_finished(self->ssl.get()) == 1;
    if (self->error.empty() && is_open && !self->has_ended) read_plain(*self);
    const char* const state = self->has_ended          ? "2"
                              : self->asks_for_context ? "3"
                              : is_open                ? "1"
                                                       : "0";
    call.give_text(std::string(state) + " " + std::to_string(self->plain.size()) + " " +
                   std::to_string(BIO_ctrl_pending(self->output)) + " " + self->error);
}

void take(NativeStates& states, NativeCall& call) {
    auto* const self = states.find<TlsConnection>(call.number(0));
    if (self == nullptr) return;
    const std::span<std::byte> into = call.bytes(1);
    if (call.truth(2)) {
        BIO_read(self->output, into.data(), static_cast<int>(into.size()));
        return;
    }
    const std::size_t size = std::min(into.size(), self->plain.size());
    self->plain.copy(reinterpret_cast<char*>(into.data()), size);
    self->plain.erase(0, size);
}

void write(NativeStates& states, NativeCall& call) {
    auto* const self = states.find<TlsConnection>(call.number(0));
    if (self == nullptr) return;
    ERR_clear_error();
    const std::span<std::byte> bytes = call.bytes(1);
    const std::string text = !bytes.empty()  ? std::string()
                             : call.truth(2) ? latin1_of(call.text(1))
                                             : call.text(1);
    const void* const data = bytes.empty() ? static_cast<const void*>(text.data()) : bytes.data();
    const std::size_t size = bytes.empty() ? text.size() : bytes.size();
    std::size_t written = 0;
    call.give_truth(SSL_write_ex(self->ssl.get(), data, size, &written) == 1);
}

void end(NativeStates& states, NativeCall& call) {
    auto* const self = states.find<TlsConnection>(call.number(0));
    if (self == nullptr) return;
    ERR_clear_error();
    SSL_shutdown(self->ssl.get());
}

void use(NativeStates& states, NativeCall& call) {
    auto* const self = states.find<TlsConnection>(call.number(0));
    if (self == nullptr) return;
    self->has_context = true;
    const auto* const context = states.find<TlsContext>(call.number(1));
    if (context != nullptr) SSL_set_SSL_CTX(self->ssl.get(), context->ssl.get());
}

void info(NativeStates& states, NativeCall& call) {
    const auto* const self = states.find<TlsConnection>(call.number(0));
    if (self != nullptr) call.give_text(fact(*self, call.text(1)));
}

}  // namespace gyre::script::tls

#else

namespace gyre::script::tls {

void context(NativeStates& /*states*/, NativeCall& /*call*/) {}
void open(NativeStates& /*states*/, NativeCall& /*call*/) {}
void feed(NativeStates& /*states*/, NativeCall& /*call*/) {}
void run(NativeStates& /*states*/, NativeCall& /*call*/) {}
void take(NativeStates& /*states*/, NativeCall& /*call*/) {}
void write(NativeStates& /*states*/, NativeCall& /*call*/) {}
void end(NativeStates& /*states*/, NativeCall& /*call*/) {}
void use(NativeStates& /*states*/, NativeCall& /*call*/) {}
void info(NativeStates& /*states*/, NativeCall& /*call*/) {}

}  // namespace gyre::script::tls

#endif
