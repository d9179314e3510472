// SPDX-License-Identifier: Apache-2.0
// https for gyre serve and gyre fetch.
#include "cli/https.hpp"

#include "gyre/tls/http/https.hpp"

namespace gyre::cli {

std::unique_ptr<http::Connector> make_connector(const Trust& trust) {
    return tls::https_connector(
        {.authority_file = trust.authority_file, .verifies = trust.verifies});
}

Encrypt make_encryption(const std::string& certificate_file, const std::string& key_file) {
    // One key for the tickets of all threads: a client comes back to any of them.
    const tls::ServerOptions options{.certificates = {{certificate_file, key_file}},
                                     .protocols = {"http/1.1"},
                                     .ticket_key = tls::make_ticket_key()};
    const tls::Context tried(options);  // Before anything is served.
    return [options](http::Server& server) {
        auto context = std::make_shared<tls::Context>(options);
        tls::encrypt(server, *context);
        return context;
    };
}

}  // namespace gyre::cli
