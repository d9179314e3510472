// SPDX-License-Identifier: Apache-2.0
// TLS for gyre serve and gyre fetch, in https.cpp. In a build without gyre/tls, without_tls.cpp
// refuses both.
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
    std::string authority_file;  // empty: the system's
    bool verifies = true;
    CertificateAndKey certificate;  // for servers that ask for one
};
[[nodiscard]] std::unique_ptr<http::Connector> make_connector(const Trust& trust);

// Over `plain`, with authorities as PEM text; empty: the system's.
[[nodiscard]] std::unique_ptr<http::Connector> make_connector_of(
    const std::string& authorities, std::unique_ptr<http::Connector> plain);
// With a certificate and its key as PEM text. The result outlives the server.
[[nodiscard]] std::shared_ptr<void> encrypt_with(http::Server& server,
                                                 const std::string& certificate,
                                                 const std::string& key);

// TLS of one server, on the server's thread; lives as long as the server.
class ServerEncryption {
public:
    virtual ~ServerEncryption() = default;
    // Reads the files again, for new connections. Throws if they are invalid; then the old ones
    // stay in use. The key is from make_ticket_key, the same for the servers of all threads.
    virtual void reload(std::vector<std::byte> ticket_key) = 0;
};
// Adds TLS to a server. Any thread may call it.
using Encrypt = std::function<std::unique_ptr<ServerEncryption>(http::Server&)>;

struct ServerFiles {
    std::vector<CertificateAndKey> certificates;  // chosen by server name; the first is the default
    std::string client_authority_file;            // empty: clients need no certificate
    bool allows_old_ciphers = false;
};
// Throws if the files are invalid.
[[nodiscard]] Encrypt make_encryption(const ServerFiles& files);
[[nodiscard]] std::vector<std::byte> make_ticket_key();

}  // namespace gyre::cli
