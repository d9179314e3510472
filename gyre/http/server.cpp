// SPDX-License-Identifier: Apache-2.0
// Accepting, timeouts, shutdown, and dispatch of a request to its handler.
#include "gyre/http/server.hpp"

#include <optional>
#include <system_error>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/base/detail/scope_exit.hpp"
#include "gyre/base/log.hpp"
#include "gyre/http/internal/head_writer.hpp"
#include "gyre/http/internal/route_table.hpp"
#include "gyre/http/internal/server_connection.hpp"
#include "gyre/http/message.hpp"
#include "gyre/task/combine/shield.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task.hpp"

namespace gyre::http {
namespace {

Future<void> say_not_found(Request& /*request*/, Response& response) {
    response.type("text/plain").send("404 Not Found\n");
    co_return;
}

// The response to a connection beyond connection_count_max.
Future<void> turn_away(net::ByteStream& stream) {
    static constexpr std::string_view text = "503 Service Unavailable: too many connections\n";
    std::string out;
    HeadWriter(out)
        .status(503)
        .field("Content-Type", "text/plain")
        .length(text.size())
        .field("Connection", "close")
        .end();
    out += text;
    co_await stream.write(bytes_of(out));
    co_await stream.finish();
}

}  // namespace

Server::Server(ServerOptions options)
    : options_(options), routes_(std::make_unique<RouteTable>()), not_found_(&say_not_found) {
    GYRE_ASSERT(options_.timeouts.step > Duration(0),
                "timeouts.step is 0: the check of timeouts would never wait");
    has_none_.set();
}

Server::~Server() {
    GYRE_ASSERT(connections_.empty(),
                "a Server is destroyed while it serves: stop it and await `serve` first");
}

Server& Server::route(Method method, std::string_view pattern, Handler handler) {
    GYRE_ASSERT(handler != nullptr, "a route got an empty handler: pass a function");
    routes_->add(method, pattern);
    handlers_.push_back(std::move(handler));
    GYRE_ASSERT(routes_->size() == handlers_.size(), "a route was added without its handler");
    return *this;
}

Server& Server::not_found(Handler handler) {
    GYRE_ASSERT(handler != nullptr, "not_found got an empty handler: pass a function");
    not_found_ = std::move(handler);
    return *this;
}

Server& Server::use(Middleware middleware) {
    GYRE_ASSERT(middleware != nullptr, "use() got an empty middleware: pass a function");
    middlewares_.push_back(std::move(middleware));
    return *this;
}

Server& Server::over(Wrapping wrapping) {
    wrapping_ = std::move(wrapping);
    return *this;
}

Server& Server::on_served(std::move_only_function<void(const Served&)> listener) {
    on_served_ = std::move(listener);
    return *this;
}

Future<ShutdownReport> Server::serve(net::Listener listener) {
    std::optional<ShutdownReport> report;
    auto body = [this, &listener, &report](Scope& scope) -> Future<void> {
        // The cancel does not pass the shield: this task turns it into a stop.
        auto watcher = scope.spawn([this]() -> Future<void> {
            try {
                co_await stopping_.wait();
            } catch (const Cancelled&) {
                stop();
                throw;
            }
        });
        report = co_await shield(run(std::move(listener)));
    };
    try {
        co_await with_scope(std::move(body), {.name = "http server"});
    } catch (const Cancelled&) {
        // The shutdown is complete; without a report, the cancel came before the first accept.
        if (!report) report.emplace();
    }
    co_return std::move(*report);
}

Future<ShutdownReport> Server::run(net::Listener listener) {
    ShutdownReport report;
    auto body = [this, &listener, &report](Scope& scope) -> Future<void> {
        auto times = scope.spawn([this] { return check_timeouts(); });
        auto accepting =
            scope.spawn([this, &listener, &scope] { return accept_all(listener, scope); });
        co_await stopping_.wait();
        const std::uint64_t earlier_count = counts_.connections - counts_.open_connections;
        close_idle();
        for (Task* task : tasks_wrapping_) task->cancel("the server stops");
        accepting.cancel("the server stops");
        co_await accept_rest(listener, scope);
        listener.close();
        try {
            co_await timeout(wait_for_connections(), options_.stop_within);
        } catch (const TimeoutError&) {
            connections_.for_each([&report](ServerConnection& connection) {
                const std::string request = connection.in_flight();
                report.cut.push_back(request.empty() ? "a connection" : request);
                connection.cut();
            });
        }
        report.finished_count = counts_.connections - earlier_count - report.cut.size();
        times.cancel("the server has stopped");
    };
    co_await with_scope(std::move(body), {.name = "http connections"});
    stopping_.reset();
    co_return report;
}

Future<void> Server::accept_all(net::Listener& listener, Scope& scope) {
    for (;;) {
        net::Connection stream;
        try {
            stream = co_await listener.accept();
        } catch (const std::system_error& error) {
            if (is_stopping()) co_return;
            // The peer closed while it was in the backlog.
            if (error.code() == std::errc::connection_aborted) continue;
            throw;
        }
        spawn_accepted(std::move(stream), scope);
    }
}

// Connections in the backlog may hold requests that were sent before the server stopped.
Future<void> Server::accept_rest(net::Listener& listener, Scope& scope) {
    for (std::size_t left = options_.connection_count_max; left > 0; --left) {
        net::Connection stream;
        try {
            stream = co_await timeout(listener.accept(), Duration(0));
        } catch (const std::system_error&) {
            co_return;
        }
        spawn_accepted(std::move(stream), scope);
    }
}

void Server::spawn_accepted(net::Connection stream, Scope& scope) {
    scope.spawn([this](net::Connection accepted) { return serve_accepted(std::move(accepted)); },
                std::move(stream));
}

Future<void> Server::serve_accepted(net::Connection stream) {
    static_cast<void>(stream.set_no_delay(true));  // Unix sockets do not support it.
    if (wrapping_ != nullptr) {
        co_await serve_wrapped(std::move(stream));
        co_return;
    }
    if (counts_.open_connections < options_.connection_count_max) {
        co_await serve_connection(stream);
        co_return;
    }
    ++counts_.refused;
    try {
        co_await timeout(turn_away(stream), std::chrono::seconds(1));
    } catch (const std::system_error&) {
        co_return;
    }
}

Future<void> Server::serve_wrapped(net::Connection stream) {
    if (counts_.open_connections + tasks_wrapping_.size() >= options_.connection_count_max) {
        ++counts_.refused;  // No 503: it would have to be wrapped first.
        co_return;
    }
    if (is_stopping()) co_return;
    const std::unique_ptr<net::ByteStream> wrapped = co_await wrap(std::move(stream));
    if (wrapped != nullptr) co_await serve_connection(*wrapped);
}

// Null if the wrapping fails: the peer may have closed, or sent no TLS.
Future<std::unique_ptr<net::ByteStream>> Server::wrap(net::Connection stream) {
    Task& task = co_await this_task();
    tasks_wrapping_.insert(&task);
    const ScopeExit leave([this, &task] { tasks_wrapping_.erase(&task); });
    try {
        co_return co_await timeout(wrapping_(std::move(stream)), options_.timeouts.head);
    } catch (const std::system_error& error) {
        log(LogLevel::debug, "http: the handshake of a connection failed: %s", error.what());
        ++counts_.refused;
    }
    co_return nullptr;
}

Future<void> Server::serve_connection(net::ByteStream& stream) {
    Task& task = co_await this_task();
    ServerConnection connection(*this, stream, task);
    connections_.push_back(connection);
    ++counts_.connections;
    ++counts_.open_connections;
    has_none_.reset();
    has_connections_.set();
    const ScopeExit leave([this, &connection] {
        connection.unlink();
        GYRE_ASSERT(counts_.open_connections > 0, "a connection left that never entered");
        --counts_.open_connections;
        if (!connections_.empty()) return;
        has_connections_.reset();
        has_none_.set();
    });
    co_await connection.serve();
}

Future<void> Server::check_timeouts() {
    const Task& task = co_await this_task();
    for (;;) {
        co_await has_connections_.wait();
        co_await sleep(options_.timeouts.step);
        const Instant now = task.executor().now();
        connections_.for_each([now](ServerConnection& connection) {
            if (connection.deadline() <= now) connection.expire();
        });
    }
}

Future<void> Server::wait_for_connections() {
    co_await has_none_.wait();
}

void Server::stop() noexcept {
    stopping_.set();
}

void Server::close_idle() noexcept {
    connections_.for_each([](ServerConnection& connection) { connection.stop_idle(); });
}

void Server::remake_answer_start(Instant now) {
    start_checked_at_ = now;
    const UnixSeconds time = options_.wall_time == nullptr ? 0 : options_.wall_time();
    if (time == start_time_) return;
    start_time_ = time;
    answer_start_ = ok_status_line;
    if (options_.wall_time != nullptr) append_all(answer_start_, "Date: ", date_text(time), "\r\n");
}

Future<void> Server::handle_from(std::size_t place, Request& request, Response& response) {
    GYRE_ASSERT(place <= middlewares_.size(), "a Next leads behind the last middleware");
    if (place < middlewares_.size()) {
        return middlewares_[place](request, response, Next(*this, place + 1, request, response));
    }
    switch (request.route_.kind) {
        case RouteMatch::Kind::found:
            GYRE_DEBUG_ASSERT(request.route_.route < handlers_.size(), "a route has no handler");
            return handlers_[request.route_.route](request, response);
        case RouteMatch::Kind::no_method:
            response.status(405).field("Allow", request.route_.allowed);
            response.type("text/plain").send("405 Method Not Allowed\n");
            return ready();
        case RouteMatch::Kind::no_path:
            break;
    }
    response.status(404);
    return not_found_(request, response);
}

Future<void> Next::operator()() const {
    return server_.handle_from(place_, request_, response_);
}

}  // namespace gyre::http
