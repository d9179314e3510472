// SPDX-License-Identifier: Apache-2.0
// HttpClientOps: the effect voyd.std.http.client. Redirects are followed here, not by the client: the module says
// how, and each address needs its permission. The scheduler's thread; it outlives the handlers.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "gyre/effect/context.hpp"
#include "gyre/http/client.hpp"
#include "gyre/task/core/future.hpp"
#include "lang/wasm/http/internal/http_values.hpp"

namespace gyre::wasm {

class HttpClientOps {
public:
    HttpClientOps(NetPermissions permissions, std::unique_ptr<http::Connector> connector,
                  std::size_t body_max_bytes);

    Future<effect::Answer> request(effect::Arguments arguments);

private:
    struct Wanted;
    [[nodiscard]] static Wanted read_request(const effect::Arguments& arguments);
    Future<http::ClientResponse> follow(Wanted wanted);

    const NetPermissions permissions_;
    http::Client client_;
};

}  // namespace gyre::wasm
