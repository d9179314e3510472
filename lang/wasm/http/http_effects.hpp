// SPDX-License-Identifier: Apache-2.0
// HttpEffects: handlers for the effects voyd.std.http.client and voyd.std.http.server on the loop of the
// scheduler. A module reaches the addresses that are permitted, and no others: also behind a redirect.
//
//     HttpEffects network({.allowed = {"net=api.example.org:443", "net=127.0.0.1:8080"}});
//     network.add_to(handlers, *program);       // for the ops that have no handler yet
//
// Thread: the scheduler's.
// Lifetime: it outlives the handlers that it adds, their runs and the loop's tasks. The servers of a run close
// when it ends.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "gyre/effect/handlers.hpp"
#include "gyre/http/client.hpp"
#include "lang/wasm/program.hpp"

namespace gyre::wasm {

struct HttpOptions {
    // `net=HOST:PORT`, or `net=HOST:*` for every port: where a module may connect to, and where it may listen.
    std::vector<std::string> allowed = {};
    // Null: TCP without TLS.
    std::unique_ptr<http::Connector> connector = nullptr;
    // Of the body of a response to the client, and of a request to a server whose bodies are not streamed. A
    // module may ask for less.
    std::size_t body_max_bytes = std::size_t{8} << 20u;
    std::size_t servers_per_run_max = 16;
};

class HttpClientOps;
class HttpServers;

class HttpEffects {
public:
    explicit HttpEffects(HttpOptions options = {});
    ~HttpEffects();
    HttpEffects(const HttpEffects&) = delete;
    HttpEffects& operator=(const HttpEffects&) = delete;

    // Adds a handler for each op of the program that is one of HTTP and has none.
    void add_to(effect::Handlers& handlers, const Program& program);
    // Whether it handles the op. Each of them needs a permission.
    [[nodiscard]] static bool has(const effect::OpInfo& op) noexcept;
    // Servers that listen.
    [[nodiscard]] std::size_t server_count() const noexcept;

private:
    std::unique_ptr<HttpClientOps> client_;
    std::unique_ptr<HttpServers> servers_;
};

}  // namespace gyre::wasm
