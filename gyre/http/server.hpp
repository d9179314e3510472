// SPDX-License-Identifier: Apache-2.0
// Server: an HTTP/1.1 server over any net::ByteStream: routes, middleware, limits, timeouts, and a
// graceful shutdown.
//
//     http::Server server;
//     server.get("/users/:id", [](auto& request, auto& response) -> Future<void> {
//         response.send("user " + std::string(request.param("id")));
//         co_return;
//     });
//     co_await server.serve(co_await net::listen(Address::loopback(8080)));
//
// Thread: one loop's thread. For several loops use one server each, whose listeners share a port.
// Lifetime: outlives the futures of `serve` and `serve_connection`.
// Cancel: cancelling `serve` is a `stop`: it returns its report. So SIGINT and SIGTERM, which cancel
// the tasks of `run`, end a server normally, and a main that awaits it returns its value: exit
// status 0.
//
// An exception of a handler is logged and answered with 500; if the response had begun, the
// connection is closed, so that the client sees an incomplete response.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/http/refusal.hpp"
#include "gyre/http/request.hpp"
#include "gyre/http/response.hpp"
#include "gyre/kernel/clock.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/sync/event.hpp"

namespace gyre::http {

class ParkedConnection;
class ServerConnection;
struct ConnectionLinks;
struct ParkedLinks;
class Server;

struct Timeouts {
    // From the first byte of a head to its last; then 408.
    Duration head = std::chrono::seconds(10);
    // Of the wrapping of a connection, such as a TLS handshake; the connection is then closed.
    Duration handshake = std::chrono::seconds(5);
    // The sum of all waits of a handler for the body; then 408.
    Duration body = std::chrono::seconds(60);
    // Between two requests; the connection is then closed.
    Duration idle = std::chrono::seconds(60);
    // From the end of the head to the begin of the response; then 503.
    Duration handler = std::chrono::seconds(30);
    // Of each write to the socket; the connection is then closed.
    Duration write = std::chrono::seconds(30);
    // How often the timeouts are checked, so their resolution.
    Duration step = std::chrono::milliseconds(100);
};

struct ServerOptions {
    Limits limits = {};
    Timeouts timeouts = {};
    // Further connections get a 503 and are closed.
    std::size_t connection_count_max = 10'000;
    // Per connection; the last response has `Connection: close`.
    std::size_t request_count_max = 1'000'000;
    // The memory of all connections together: heads, bodies read as a whole, responses, buffers, TLS.
    // A message that would exceed it is answered with 503 (Refusal::memory_over_limit), and so is a
    // further connection. 0: half of the memory that the process may use
    // (Environment::memory_bytes); servers on several loops divide it.
    std::size_t memory_bytes_max = 0;
    // A body that the handler did not read is skipped up to this size, to keep the connection.
    std::size_t unread_body_bytes_max = std::size_t{64} << 10U;
    // Responses of pipelined requests are gathered up to this size before a write.
    std::size_t send_buffer_bytes = std::size_t{64} << 10U;
    // How long a shutdown waits for requests in flight. Less than RunOptions::stop_within: after a
    // signal, `serve` has to return before `run` ends the process.
    Duration stop_within = std::chrono::seconds(8);
    // In a shutdown: how long a connection that has sent no request yet may still send its first.
    Duration first_request_within = std::chrono::seconds(1);
    // The clock of the Date field; null: no Date field.
    UnixSeconds (*wall_time)() = nullptr;
};

using Handler = std::move_only_function<Future<void>(Request&, Response&)>;

// The rest of the chain behind a middleware; call it once, or not at all.
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
// Wraps an accepted connection, for example into TLS, before HTTP is spoken.
using Wrapping = std::move_only_function<Future<std::unique_ptr<net::ByteStream>>(net::Connection)>;
using Middleware = std::move_only_function<Future<void>(Request&, Response&, Next)>;

// One request that was answered; for access logs and metrics.
struct Served {
    std::string_view method;
    std::string_view target;
    int status;
    std::uint64_t sent_bytes;
    Duration time;
};

// The result of a shutdown.
struct ShutdownReport {
    std::size_t finished_count = 0;  // connections that ended in time
    std::vector<std::string> cut;    // requests that were cancelled: "GET /slow"
};

// Counts since the start.
struct ServerCounts {
    std::uint64_t connections = 0;
    std::uint64_t requests = 0;
    std::uint64_t refused = 0;    // malformed, or over a limit
    std::uint64_t timed_out = 0;  // connections closed by a timeout
    std::uint64_t failed = 0;     // handlers that threw
    // Messages and connections refused because of memory_bytes_max, or for lack of memory.
    std::uint64_t over_memory = 0;
    std::size_t memory_bytes = 0;  // charged against memory_bytes_max
    std::size_t open_connections = 0;
    // Of the open ones: those that wait for a request without a task and without buffers.
    std::size_t parked_connections = 0;
};

class Server {
public:
    explicit Server(ServerOptions options = {});
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // Call before `serve`. A pattern has segments: a word matches itself, `:name` any one segment
    // that is not empty, `*name` at the end the rest of the path. A word takes precedence over
    // `:name`, that over `*name`. Throws Failure for a malformed pattern, or one that
    // is registered already. A HEAD uses the route of GET unless it has its own.
    Server& route(Method method, std::string_view pattern, Handler handler);
    Server& get(std::string_view pattern, Handler handler) {
        return route(Method::get, pattern, std::move(handler));
    }
    Server& post(std::string_view pattern, Handler handler) {
        return route(Method::post, pattern, std::move(handler));
    }
    // Handles paths without a route. The status is 404 unless it sets another.
    Server& not_found(Handler handler);
    // Wraps every handler, `not_found` included; the first one added is the outermost.
    Server& use(Middleware middleware);
    // Wraps every connection that `serve` accepts, within timeouts.handshake; if it throws, the
    // connection is closed.
    Server& over(Wrapping wrapping);
    Server& on_served(std::move_only_function<void(const Served&)> listener);

    // Accepts and serves until `stop` or a cancel, then returns when the last connection has ended.
    // Cancel class: did all; it stops gracefully and returns its report.
    [[nodiscard]] Future<ShutdownReport> serve(net::Listener listener);
    // Serves one connection from another source, until it ends.
    [[nodiscard]] Future<void> serve_connection(net::ByteStream& stream);

    // Stops accepting: no further connection completes, those that clients see as open are accepted,
    // and get first_request_within for their first request. Requests in flight, and requests that
    // have arrived but are unread, are still answered, with `Connection: close`, for at most
    // stop_within. If nothing is being served, the
    // next `serve` returns immediately.
    void stop() noexcept;
    [[nodiscard]] bool is_stopping() const noexcept { return stopping_.is_set(); }
    [[nodiscard]] const ServerOptions& options() const noexcept { return options_; }
    [[nodiscard]] const ServerCounts& counts() const noexcept { return counts_; }

private:
    friend class ParkedConnection;
    friend class ServerConnection;
    friend class Next;

    // A connection that is accepted, wrapped, served or parked: `has_none_` waits for all of them.
    class Serving {
    public:
        explicit Serving(Server& server) noexcept;
        Serving(Serving&& other) noexcept;
        ~Serving();
        // Counts it as an open connection from here on; again without effect.
        void open() noexcept;
        [[nodiscard]] bool is_open() const noexcept { return is_open_; }

    private:
        Server* server_;
        bool is_open_ = false;
    };
    struct Accepted;

    [[nodiscard]] Future<void> accept_all(net::Listener& listener, Scope& scope);
    [[nodiscard]] Future<void> wait_for_quiet(Duration quiet_time);
    [[nodiscard]] Future<bool> ends_within(Duration time);
    void spawn_accepted(Accepted accepted);
    [[nodiscard]] Future<void> serve_accepted(Accepted accepted);
    // `accepted` is null for a stream that is no socket of `serve`.
    [[nodiscard]] Future<void> serve_stream(net::ByteStream& stream, Accepted* accepted);
    [[nodiscard]] Future<void> serve_wrapped(net::Connection stream);
    [[nodiscard]] Future<std::unique_ptr<net::ByteStream>> wrap(net::Connection stream);
    [[nodiscard]] Future<void> check_timeouts();
    [[nodiscard]] Future<void> wait_for_connections();
    [[nodiscard]] Future<ShutdownReport> run(net::Listener listener);
    // Runs the middlewares from this index on, then the handler.
    [[nodiscard]] Future<void> handle_from(std::size_t place, Request& request, Response& response);
    void close_idle() noexcept;
    // The connection waits for its next request.
    void on_idle(ServerConnection& connection) noexcept;
    void park(Accepted accepted);
    void park_or_expire(Instant now) noexcept;
    void drop_parked() noexcept;
    // After a connection was served or parked no longer.
    void note_connections() noexcept;
    void learn_memory_limit(const Task& task);
    // Replaces the memory that a connection is charged for. False: more, and over memory_bytes_max;
    // nothing has changed then.
    [[nodiscard]] bool charge(std::size_t& charged, std::size_t wanted) noexcept;
    void charge_always(std::size_t& charged, std::size_t wanted) noexcept;
    // For a connection that is not accepted for lack of memory.
    void count_over_memory() noexcept;
    // The cached begin of a response: the status line of a 200 and the Date field. Rebuilt once a
    // second; the wall clock is read once a turn.
    [[nodiscard]] std::string_view answer_start(Instant now) {
        if (now != start_checked_at_) remake_answer_start(now);
        return answer_start_;
    }
    void remake_answer_start(Instant now);

    ServerOptions options_;
    std::unique_ptr<RouteTable> routes_;
    std::vector<Handler> handlers_;
    Handler not_found_;
    std::vector<Middleware> middlewares_;
    Wrapping wrapping_;
    std::set<Task*> tasks_wrapping_;
    std::move_only_function<void(const Served&)> on_served_;
    ServerCounts counts_;
    Queue<ServerConnection, ConnectionLinks> connections_;  // with a task; see on_idle
    Queue<ParkedConnection, ParkedLinks> parked_;           // by their deadlines
    std::uint64_t accepted_count_ = 0;
    std::size_t serving_count_ = 0;
    Event stopping_;
    Event has_connections_;
    Event has_none_;
    std::string answer_start_;
    UnixSeconds start_time_ = -1;
    Instant start_checked_at_ = Instant::never();
};

}  // namespace gyre::http
