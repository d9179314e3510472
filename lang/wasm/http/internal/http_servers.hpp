// SPDX-License-Identifier: Apache-2.0
// HttpServers: the effect voyd.std.http.server. A server is an http::Server whose requests wait in a queue until the
// module accepts them; a request is answered by its own connection's task, which takes one order of the module
// after another (pending_request.hpp). The scheduler's thread; it outlives the handlers and the loop's tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string_view>

#include "gyre/effect/context.hpp"
#include "gyre/http/server.hpp"
#include "gyre/task/core/future.hpp"
#include "lang/wasm/http/internal/http_values.hpp"
#include "lang/wasm/http/internal/pending_request.hpp"

namespace gyre::wasm {

struct ServersOptions {
    NetPermissions permissions;
    std::size_t body_max_bytes = 0;
    std::size_t servers_per_run_max = 0;
};

// What the module asks of a server that it starts.
struct ServerConfig {
    std::string host = "127.0.0.1";
    std::uint16_t port = 0;
    std::size_t body_max_bytes = std::size_t{1} << 20u;
    std::size_t pending_count_max = 100;
    Duration response_timeout = std::chrono::seconds(30);
    bool streams_bodies = false;
};

class HttpServers {
public:
    explicit HttpServers(ServersOptions options) : options_(std::move(options)) {}
    ~HttpServers();

    using Op = Future<effect::Answer> (HttpServers::*)(effect::Context&, effect::Arguments);
    // Null: no op of that name.
    [[nodiscard]] static Op find(std::string_view name) noexcept;
    [[nodiscard]] std::size_t size() const noexcept { return servers_.size(); }

private:
    using Answer = effect::Answer;
    using Arguments = effect::Arguments;
    using Context = effect::Context;
    struct Served;
    using ServedPtr = std::shared_ptr<Served>;

    Future<Answer> listen(Context& context, Arguments arguments);
    Future<Answer> accept(Context& context, Arguments arguments);
    Future<Answer> read_request(Context& context, Arguments arguments);
    Future<Answer> respond(Context& context, Arguments arguments);
    Future<Answer> start_response(Context& context, Arguments arguments);
    Future<Answer> write_response(Context& context, Arguments arguments);
    Future<Answer> finish_response(Context& context, Arguments arguments);
    Future<Answer> close(Context& context, Arguments arguments);

    Future<Answer> give_head(Context& context, Arguments arguments, HttpOrder::Kind kind);
    Future<std::int32_t> start_server(Context& context, ServerConfig config);
    // The task of a server.
    static Future<void> serve(ServedPtr served, net::Listener listener);
    Future<void> handle(ServedPtr served, http::Request& request, http::Response& response);
    // Throws a Failure for an id that is closed or of another run.
    [[nodiscard]] ServedPtr server_of(const Context& context, std::int64_t id) const;
    [[nodiscard]] std::shared_ptr<PendingRequest> request_of(const Context& context,
                                                             std::int64_t id) const;
    void close_server(std::int32_t id) noexcept;

    const ServersOptions options_;
    std::map<std::int32_t, ServedPtr> servers_;
    std::map<std::int32_t, std::shared_ptr<PendingRequest>> requests_;
    std::int32_t last_server_ = 0;
    std::int32_t last_request_ = 0;
};

}  // namespace gyre::wasm
