// SPDX-License-Identifier: Apache-2.0
// Accepting, timeouts, shutdown, and dispatch of a request to its handler.
#include "gyre/http/server.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/base/detail/free_memory.hpp"
#include "gyre/base/detail/scope_exit.hpp"
#include "gyre/base/log.hpp"
#include "gyre/http/internal/crowd.hpp"
#include "gyre/http/internal/head_writer.hpp"
#include "gyre/http/internal/parked_connection.hpp"
#include "gyre/http/internal/route_table.hpp"
#include "gyre/http/internal/server_connection.hpp"
#include "gyre/http/message.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/kernel/platform.hpp"
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

// After the last connection that was accepted: a handshake that had begun when the server stopped
// may take this long.
constexpr Duration handshake_time = std::chrono::milliseconds(100);
// If further connections cannot be kept from completing.
constexpr Duration no_handshake_time = std::chrono::milliseconds(1);
// What a connection is charged for while it is wrapped.
constexpr std::size_t wrapping_bytes = ServerConnection::own_bytes + (std::size_t{16} << 10U);

// The response to a connection beyond connection_count_max or memory_bytes_max.
Future<void> turn_away(net::ByteStream& stream, std::string_view why) {
    const std::string text = "503 Service Unavailable: " + std::string(why) + "\n";
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

Server::Serving::Serving(Server& server) noexcept : server_(&server) {
    ++server_->serving_count_;
    server_->has_none_.reset();
}

Server::Serving::Serving(Serving&& other) noexcept
    : server_(std::exchange(other.server_, nullptr)), is_open_(other.is_open_) {}

Server::Serving::~Serving() {
    if (server_ == nullptr) return;
    if (is_open_) {
        GYRE_ASSERT(server_->counts_.open_connections > 0, "a connection left that never entered");
        --server_->counts_.open_connections;
    }
    if (--server_->serving_count_ == 0) server_->has_none_.set();
}

void Server::Serving::open() noexcept {
    if (std::exchange(is_open_, true)) return;
    ++server_->counts_.connections;
    ++server_->counts_.open_connections;
}

Server::~Server() {
    GYRE_ASSERT(connections_.empty() && parked_.empty(),
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
    std::exception_ptr failure;  // of the listener
    auto body = [this, &listener, &report, &failure](Scope& scope) -> Future<void> {
        auto times = scope.spawn([this] { return check_timeouts(); });
        auto accepting = scope.spawn([this, &listener, &scope, &failure]() -> Future<void> {
            try {
                co_await accept_all(listener, scope);
            } catch (const std::system_error&) {
                failure = std::current_exception();
                stop();
            }
        });
        learn_memory_limit(co_await this_task());
        co_await stopping_.wait();
        const Result<void> ended = listener.end_listening();
        const std::uint64_t earlier_count = counts_.connections - counts_.open_connections;
        close_idle();
        co_await wait_for_quiet(ended ? handshake_time : no_handshake_time);
        accepting.cancel("the server stops");
        try {
            co_await accepting;
        } catch (const Cancelled&) {  // As it was asked to.
        }
        listener.close();
        const Duration first = std::min(options_.first_request_within, options_.stop_within);
        bool has_ended = co_await ends_within(first);
        if (!has_ended) {
            for (Task* task : tasks_wrapping_) task->cancel("the server stops");
            has_ended = co_await ends_within(options_.stop_within - first);
        }
        if (!has_ended) {
            connections_.for_each([&report](ServerConnection& connection) {
                const std::string request = connection.in_flight();
                report.cut.push_back(request.empty() ? "a connection" : request);
                connection.cut();
            });
        }
        report.finished_count = counts_.connections - earlier_count - report.cut.size();
        times.cancel("the server has stopped");
    };
    // They are gone by then, unless this coroutine is destroyed with its executor.
    const ScopeExit drop([this] { drop_parked(); });
    // A connection that fails ends alone.
    co_await with_scope(std::move(body), {.name = "http connections", .cancels_on_failure = false});
    stopping_.reset();
    if (failure != nullptr) std::rethrow_exception(failure);
    co_return report;
}

Future<void> Server::accept_all(net::Listener& listener, Scope& scope) {
    for (;;) {
        net::Connection stream;
        try {
            stream = co_await listener.accept();
        } catch (const std::system_error& error) {
            // The peer closed while it was in the backlog.
            if (error.code() == std::errc::connection_aborted) continue;
            if (is_stopping()) co_return;
            throw;
        } catch (const std::bad_alloc&) {
            count_over_memory();
            continue;
        }
        ++accepted_count_;
        spawn_accepted(Accepted(std::move(stream), Serving(*this), scope));
    }
}

// Connections in the backlog are open for their clients, and may hold requests: they are accepted
// until none came for a while.
Future<void> Server::wait_for_quiet(Duration quiet_time) {
    for (;;) {
        const std::uint64_t before = accepted_count_;
        co_await sleep(quiet_time);
        if (accepted_count_ == before) co_return;
    }
}

Future<bool> Server::ends_within(Duration time) {
    try {
        co_await timeout(wait_for_connections(), time);
    } catch (const TimeoutError&) {
        co_return false;
    }
    co_return true;
}

// A connection that cannot be made for lack of memory is closed; the server goes on.
void Server::spawn_accepted(Accepted accepted) {
    Scope& scope = *accepted.scope;
    try {
        scope.spawn([this](Accepted taken) { return serve_accepted(std::move(taken)); },
                    std::move(accepted));
    } catch (const std::bad_alloc&) {
        count_over_memory();
    }
}

// A new connection, or one that was parked.
Future<void> Server::serve_accepted(Accepted accepted) {
    const bool is_new = !accepted.serving.is_open();
    // Unix sockets do not support it.
    if (is_new) static_cast<void>(accepted.stream.set_no_delay(true));
    if (is_new && wrapping_ != nullptr) {
        co_await serve_wrapped(std::move(accepted.stream));
        co_return;
    }
    const bool has_memory =
        counts_.memory_bytes + ServerConnection::own_bytes <= options_.memory_bytes_max;
    const bool has_room = !is_new || counts_.open_connections < options_.connection_count_max;
    if (has_room && has_memory) {
        accepted.serving.open();
        co_await serve_stream(accepted.stream, &accepted);
        if (accepted.is_to_park) park(std::move(accepted));
        co_return;
    }
    ++counts_.refused;
    if (!has_memory) ++counts_.over_memory;
    const std::string_view why = has_memory ? "too many connections" : "memory_over_limit";
    try {
        co_await timeout(turn_away(accepted.stream, why), std::chrono::seconds(1));
    } catch (const std::system_error&) {
        co_return;
    }
}

Future<void> Server::serve_wrapped(net::Connection stream) {
    if (counts_.open_connections + tasks_wrapping_.size() >= options_.connection_count_max) {
        ++counts_.refused;  // No 503: it would have to be wrapped first.
        co_return;
    }
    std::size_t charged_bytes = 0;
    if (!charge(charged_bytes, wrapping_bytes)) {
        count_over_memory();
        co_return;
    }
    std::unique_ptr<net::ByteStream> wrapped;
    {
        const ScopeExit uncharge([this, &charged_bytes] { charge_always(charged_bytes, 0); });
        wrapped = co_await wrap(std::move(stream));
    }
    if (wrapped != nullptr) co_await serve_connection(*wrapped);
}

// Null if the wrapping fails: the peer may have closed, or sent no TLS.
Future<std::unique_ptr<net::ByteStream>> Server::wrap(net::Connection stream) {
    Task& task = co_await this_task();
    tasks_wrapping_.insert(&task);
    has_connections_.set();
    const ScopeExit leave([this, &task] {
        tasks_wrapping_.erase(&task);
        note_connections();
    });
    std::exception_ptr failure;
    try {
        co_return co_await timeout(wrapping_(std::move(stream)), options_.timeouts.handshake);
    } catch (const std::system_error& error) {
        log(LogLevel::debug, "http: the handshake of a connection failed: %s", error.what());
    } catch (...) {
        failure = std::current_exception();
    }
    ++counts_.refused;
    if (failure != nullptr) std::rethrow_exception(failure);
    co_return nullptr;
}

Future<void> Server::serve_connection(net::ByteStream& stream) {
    Serving serving(*this);
    serving.open();
    co_await serve_stream(stream, nullptr);
}

Future<void> Server::serve_stream(net::ByteStream& stream, Accepted* accepted) {
    Task& task = co_await this_task();
    learn_memory_limit(task);
    ServerConnection connection(*this, stream, task, accepted);
    connections_.push_back(connection);
    has_connections_.set();
    const ScopeExit leave([this, &connection] {
        connection.unlink();
        note_connections();
    });
    co_await connection.serve();
}

Future<void> Server::check_timeouts() {
    const Task& task = co_await this_task();
    Crowd crowd;
    for (;;) {
        co_await has_connections_.wait();
        co_await sleep(options_.timeouts.step);
        if (crowd.has_left(serving_count_ - counts_.parked_connections)) give_back_free_memory();
        park_or_expire(task.executor().now());
    }
}

Future<void> Server::wait_for_connections() {
    co_await has_none_.wait();
}

void Server::stop() noexcept {
    stopping_.set();
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
