// SPDX-License-Identifier: Apache-2.0
// make_http_library: system:http for Vela programs, with TLS where the program that embeds the
// machine has it.
//
//     const auto http = vela::make_http_library({.connector = my_connector, .encrypt = my_encrypt});
//     const vela::NativeLibraries all = {vela::system_library(), http.get()};
//     co_await vela::run_program(*lowered, host, {}, all);
//
// Thread: made by one thread; programs on any loop use it.
// Lifetime: it outlives every program that uses it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gyre/http/client.hpp"
#include "gyre/http/server.hpp"

namespace gyre::vela {

namespace vm {
class NativeLibrary;
}

// Both are called on the loop of the program that asks, and throw what is wrong. Left out: https is
// refused.
struct HttpSupport {
    // Connects to http and https addresses, over `plain`. `authorities` is PEM text; empty: those
    // of the system.
    std::function<std::unique_ptr<http::Connector>(const std::string& authorities,
                                                   std::unique_ptr<http::Connector> plain)>
        connector = nullptr;
    // Adds TLS to a server, with a certificate and its key as PEM text. The result lives as long as
    // the server.
    std::function<std::shared_ptr<void>(http::Server& server, const std::string& certificate,
                                        const std::string& key)>
        encrypt = nullptr;
};

[[nodiscard]] std::shared_ptr<const vm::NativeLibrary> make_http_library(HttpSupport support);

}  // namespace gyre::vela
