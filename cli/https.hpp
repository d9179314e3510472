// SPDX-License-Identifier: Apache-2.0
// Encryption for gyre serve and gyre fetch: https.cpp, or without_tls.cpp where gyre/tls was not
// built, which says so.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gyre/http/client.hpp"
#include "gyre/http/server.hpp"

namespace gyre::cli {

// PEM files: a certificate, and its key.
using CertificateAndKey = std::pair<std::string, std::string>;

struct Trust {
    std::string authority_file;  // none: the system's
    bool verifies = true;
    CertificateAndKey certificate;  // for servers that ask for one
};
[[nodiscard]] std::unique_ptr<http::Connector> make_connector(const Trust& trust);

// TLS under one server, on its thread; it lives as long as that.
class ServerEncryption {
public:
    virtual ~ServerEncryption() = default;
    // Reads the files again, for the connections to come; where they cannot be used it throws, and
    // all stays as it was. The key, of make_ticket_key, is the same for the servers of all threads.
    virtual void reload(std::vector<std::byte> ticket_key) = 0;
};
// Puts TLS under a server. May be called by several threads.
using Encrypt = std::function<std::unique_ptr<ServerEncryption>(http::Server&)>;

struct ServerFiles {
    std::vector<CertificateAndKey> certificates;  // chosen by name; the first is for all others
    std::string client_authority_file;            // none: clients need no certificate
};
// Throws where the files cannot be used.
[[nodiscard]] Encrypt make_encryption(const ServerFiles& files);
[[nodiscard]] std::vector<std::byte> make_ticket_key();

}  // namespace gyre::cli
