// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/http/http_effects.hpp"

#include <utility>

#include "lang/wasm/http/internal/http_client_ops.hpp"
#include "lang/wasm/http/internal/http_servers.hpp"

namespace gyre::wasm {

using effect::Arguments;
using effect::Context;

namespace {

constexpr std::string_view client_effect = "voyd.std.http.client";
constexpr std::string_view server_effect = "voyd.std.http.server";

bool is_client_op(const effect::OpInfo& op) noexcept {
    return op.effect == client_effect && op.op == "request";
}

}  // namespace

HttpEffects::HttpEffects(HttpOptions options)
    : servers_(std::make_unique<HttpServers>(
          ServersOptions{.permissions = NetPermissions(options.allowed),
                         .body_max_bytes = options.body_max_bytes,
                         .servers_per_run_max = options.servers_per_run_max})) {
    client_ = std::make_unique<HttpClientOps>(NetPermissions(options.allowed),
                                              std::move(options.connector), options.body_max_bytes);
}
HttpEffects::~HttpEffects() = default;

bool HttpEffects::has(const effect::OpInfo& op) noexcept {
    return is_client_op(op) || (op.effect == server_effect && HttpServers::find(op.op) != nullptr);
}

std::size_t HttpEffects::server_count() const noexcept {
    return servers_->size();
}

void HttpEffects::add_to(effect::Handlers& handlers, const Program& program) {
    for (const effect::OpInfo& op : program.ops()) {
        if (!has(op) || handlers.find(op) != nullptr) continue;
        if (is_client_op(op)) {
            handlers.on(op.effect, op.op, op.signature,
                        [client = client_.get()](Context&, Arguments arguments) {
                            return client->request(std::move(arguments));
                        });
            continue;
        }
        const HttpServers::Op server_op = HttpServers::find(op.op);
        handlers.on(op.effect, op.op, op.signature,
                    [servers = servers_.get(), server_op](Context& context, Arguments arguments) {
                        return (servers->*server_op)(context, std::move(arguments));
                    });
    }
}

}  // namespace gyre::wasm
