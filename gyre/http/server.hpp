// SPDX-License-Identifier: Apache-2.0
// Server: HTTP/1.1 over any net::ByteStream. Routes, middlewares, limits, times, and an end that
// drops nothing which was begun. It belongs to one loop; several loops have a server each, with
// listeners that share a port. It outlives `serve`.
//
//     http::Server server;
//     server.get("/users/:id", [](http::Request& request, http::Response& response)
//         -> Future<void> {
//         response.send("user " + std::string(request.param("id")));
//         co_return;
//     });
//     co_await server.serve(co_await net::listen(Address::loopback(8080)));
//
// What a handler throws is answered with 500 and logged; where the answer had begun, the connection
// is cut, so that nobody takes the half for the whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/http/request.hpp"
#include "gyre/http/response.hpp"
#include "gyre/http/server_options.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/task/event.hpp"
#include "gyre/task/scope.hpp"

namespace gyre::http {

class Connection;
struct ConnectionLinks;
class Server;

using Handler = std::move_only_function<Future<void>(Request&, Response&)>;

// What stands behind a middleware: call it once, or not at all.
class Next {
public:
    Next(Server& server, std::size_t place, Request& request, Response& response) noexcept
        : server_(server), place_(place), request_(request), response_(response) {}
    [[nodiscard]] Future<void> operator()() const;

private:
    Server& server_;
    std::size_t place_;
    Request& request_;
    Response& response_;
};
// What stands between a connection that was accepted and HTTP, such as encryption.
using Wrapping = std::move_only_function<Future<std::unique_ptr<net::ByteStream>>(net::Stream)>;
using Middleware = std::move_only_function<Future<void>(Request&, Response&, Next)>;

// Told of each request that was answered, with the status; for logs and counts.
struct Served {
    std::string_view method;
    std::string_view target;
    int status;
    std::uint64_t sent_bytes;
    Duration time;
};

// What a shutdown left.
struct ShutdownReport {
    std::size_t finished_count = 0;  // connections that ended by themselves
    std::vector<std::string> cut;    // requests that did not end in time: "GET /slow"
};

// Counts since the start.
struct ServerCounts {
    std::uint64_t connections = 0;
    std::uint64_t requests = 0;
    std::uint64_t refused = 0;    // malformed, or over a limit
    std::uint64_t timed_out = 0;  // connections that a time ended
    std::uint64_t failed = 0;     // handlers that threw
    std::size_t open_connections = 0;
};

class Server {
public:
    explicit Server(ServerOptions options = {});
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // Patterns as in route_table.hpp. Before `serve`.
    Server& route(Method method, std::string_view pattern, Handler handler);
    Server& get(std::string_view pattern, Handler handler) {
        return route(Method::get, pattern, std::move(handler));
    }
    Server& post(std::string_view pattern, Handler handler) {
        return route(Method::post, pattern, std::move(handler));
    }
    // Where no route has the path. It has set the status 404 before.
    Server& not_found(Handler handler);
    // Around every handler, those of `not_found` included; the first added is the outermost.
    Server& use(Middleware middleware);
    // Around every connection that `serve` accepts. It has the time of a head; where it fails, the
    // connection is closed.
    Server& over(Wrapping wrapping);
    Server& on_served(std::move_only_function<void(const Served&)> listener);

    // Accepts and serves until `stop`, or until it is cancelled, which is a `stop` too; ends when
    // the last connection has. Cancel class: did all: it stops, and gives its report.
    [[nodiscard]] Future<ShutdownReport> serve(net::Listener listener);
    // One connection, for whoever has it from elsewhere. Ends with it.
    [[nodiscard]] Future<void> serve_connection(net::ByteStream& stream);

    // Accepts no more; what is in flight, and what has come by now though nobody has looked at it,
    // is answered, with `Connection: close`, for as long as stop_within. Where nothing is served,
    // it is the next `serve` that ends at once. From the loop's thread.
    void stop() noexcept;
    [[nodiscard]] bool is_stopping() const noexcept { return stopping_.is_set(); }
    [[nodiscard]] const ServerOptions& options() const noexcept { return options_; }
    [[nodiscard]] const ServerCounts& counts() const noexcept { return counts_; }

private:
    friend class Connection;
    friend class Next;

    [[nodiscard]] Future<void> accept_all(net::Listener& listener, Scope& scope);
    [[nodiscard]] Future<void> accept_rest(net::Listener& listener, Scope& scope);
    void spawn_accepted(net::Stream stream, Scope& scope);
    [[nodiscard]] Future<void> serve_accepted(net::Stream stream);
    [[nodiscard]] Future<void> serve_wrapped(net::Stream stream);
    [[nodiscard]] Future<std::unique_ptr<net::ByteStream>> wrap(net::Stream stream);
    [[nodiscard]] Future<void> look_at_times();
    [[nodiscard]] Future<void> wait_for_connections();
    [[nodiscard]] Future<ShutdownReport> run(net::Listener listener);
    // The middleware of that place and those behind it, then the handler.
    [[nodiscard]] Future<void> handle_from(std::size_t place, Request& request, Response& response);
    void close_idle() noexcept;
    // How an answer begins: the status line of a 200, and the Date field where there is one. Made
    // once a second; the wall clock is looked at once a turn.
    [[nodiscard]] std::string_view answer_start(Instant now) {
        if (now != start_looked_at_) remake_answer_start(now);
        return answer_start_;
    }
    void remake_answer_start(Instant now);

    ServerOptions options_;
    RouteTable routes_;
    std::vector<Handler> handlers_;
    Handler not_found_;
    std::vector<Middleware> middlewares_;
    Wrapping wrapping_;
    std::set<Task*> wrappings_under_way_;
    std::move_only_function<void(const Served&)> on_served_;
    ServerCounts counts_;
    Queue<Connection, ConnectionLinks> connections_;
    Event stopping_;
    Event has_connections_;
    Event has_none_;
    std::string answer_start_;
    UnixSeconds start_time_ = -1;
    Instant start_looked_at_ = Instant::never();
};

}  // namespace gyre::http
