// SPDX-License-Identifier: Apache-2.0
// Encryption for gyre serve and gyre fetch: https.cpp, or without_tls.cpp where gyre/tls was not
// built, which says so.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gyre/http/client.hpp"
#include "gyre/http/server.hpp"

namespace gyre::cli {

struct Trust {
    std::string authority_file;  // none: the system's
    bool verifies = true;
};
[[nodiscard]] std::unique_ptr<http::Connector> make_connector(const Trust& trust);

// Puts TLS under a server, on its thread, and gives what must live as long as the server. May be
// called by several threads.
using Encrypt = std::function<std::shared_ptr<void>(http::Server&)>;
// Throws where the files cannot be used.
[[nodiscard]] Encrypt make_encryption(const std::string& certificate_file,
                                      const std::string& key_file);

}  // namespace gyre::cli
