// SPDX-License-Identifier: Apache-2.0
// https_connector, encrypt: HTTPS for http::Client and http::Server, with gyre::tls.
//
//     http::Client client({}, tls::https_connector());
//
//     tls::Context context(tls::ServerOptions{.certificates = {{{chain}, {key}}}});
//     http::Server server;
//     tls::encrypt(server, context);
//
// Thread: the loop's thread of the client or the server.
// Lifetime: the context outlives the server.
#pragma once

#include <memory>

#include "gyre/http/client.hpp"
#include "gyre/http/server.hpp"
#include "gyre/tls/context.hpp"

namespace gyre::tls {

// Connects to http and https addresses; `plain` opens the TCP connections. The options are used
// with the first https request. If options.protocols is empty, "http/1.1" is offered.
[[nodiscard]] std::unique_ptr<http::Connector> https_connector(
    ClientOptions options = {}, std::unique_ptr<http::Connector> plain = http::plain_connector());

// Encrypts every connection that the server accepts. `context` must be a server's; a reload of it
// applies to new connections.
void encrypt(http::Server& server, Context& context);

}  // namespace gyre::tls
