// SPDX-License-Identifier: Apache-2.0
// https for gyre serve and gyre fetch.
#include "cli/https.hpp"

#include "gyre/tls/http/https.hpp"

namespace gyre::cli {
namespace {

class OwnContext final : public ServerEncryption {
public:
    OwnContext(const tls::ServerOptions& options, http::Server& server) : context_(options) {
        tls::encrypt(server, context_);
    }
    void reload(std::vector<std::byte> ticket_key) override {
        context_.reload(std::move(ticket_key));
    }

private:
    tls::Context context_;
};

}  // namespace

std::unique_ptr<http::Connector> make_connector(const Trust& trust) {
    return tls::https_connector(
        {.authority_file = trust.authority_file,
         .verifies = trust.verifies,
         .certificate = {trust.certificate.first, trust.certificate.second}});
}

Encrypt make_encryption(const ServerFiles& files) {
    // One key for the tickets of all threads: a client comes back to any of them.
    tls::ServerOptions options{.certificates = {},
                               .authority_file = files.client_authority_file,
                               .protocols = {"http/1.1"},
                               .ticket_key = make_ticket_key()};
    for (const auto& [certificate, key] : files.certificates) {
        options.certificates.push_back({certificate, key});
    }
    if (!files.client_authority_file.empty()) {
        options.client_certificates = tls::ClientCertificates::required;
    }
    const tls::Context tried(options);  // Before anything is served.
    return
        [options](http::Server& server) { return std::make_unique<OwnContext>(options, server); };
}

std::vector<std::byte> make_ticket_key() {
    return tls::make_ticket_key();
}

}  // namespace gyre::cli
