// SPDX-License-Identifier: Apache-2.0
// https: where http's seams and TLS meet. What is made here belongs to the loop's thread of its
// client or server.
//
//     http::Client client({}, tls::https_connector());
//
//     tls::Context context(tls::ServerOptions{.certificates = {{{chain}, {key}}}});
//     http::Server server;
//     tls::encrypt(server, context);
#pragma once

#include <memory>

#include "gyre/http/client.hpp"
#include "gyre/http/server.hpp"
#include "gyre/tls/context.hpp"

namespace gyre::tls {

// For both schemes; `plain` makes the connections below. The options are looked at with the first
// https address. Where no protocols are given, "http/1.1" is offered.
[[nodiscard]] std::unique_ptr<http::Connector> https_connector(
    ClientOptions options = {}, std::unique_ptr<http::Connector> plain = http::plain_connector());

// All that the server accepts is encrypted. The context, of a server, outlives it; what it reloads
// is for the connections to come.
void encrypt(http::Server& server, Context& context);

}  // namespace gyre::tls
