// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/http/internal/http_servers.hpp"

#include <algorithm>
#include <utility>

#include "gyre/base/detail/scope_exit.hpp"
#include "gyre/base/failure.hpp"
#include "gyre/base/log.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/net/resolver.hpp"
#include "gyre/task/core/cancel.hpp"
#include "gyre/task/core/executor.hpp"
#include "lang/wasm/detail/records.hpp"

namespace gyre::wasm {

using effect::Answer;
using effect::Arguments;
using effect::Context;
using effect::resume;
using effect::tail;
using effect::Value;

namespace {

// A module that ends lets its last responses go out.
constexpr Duration server_stop_within = std::chrono::seconds(2);
// The time of a response is counted here, from order to order.
constexpr Duration no_handler_timeout = std::chrono::hours(24 * 365);

Value empty_record() {
    return Value(Value::Record{});
}
// Of accept_raw when it fails.
Value no_request() {
    return record({{"request_id", 0},
                   {"method", "GET"},
                   {"path", "/"},
                   {"headers", Value(Value::List{})},
                   {"body", Value(Value::Blob{})},
                   {"body_streaming", false}});
}
Value chunk_value(std::string_view bytes, bool is_last) {
    return record({{"chunk", Value(blob_of(bytes))}, {"done", is_last}});
}

std::int64_t id_of(const Arguments& arguments) {
    return argument(arguments, Value::Kind::integer).integer();
}

ServerConfig read_config(const Value& from, std::size_t body_max_bytes) {
    ServerConfig config;
    const std::int64_t port = integer_field(from, "port");
    if (port < 0 || port > UINT16_MAX) {
        throw Failure("there is no port " + std::to_string(port));
    }
    config.port = static_cast<std::uint16_t>(port);
    const Value* host = optional_field(from, "host", Value::Kind::text);
    if (host != nullptr && !host->text().empty()) config.host = host->text();
    const auto size = [&from](const char* name, std::size_t otherwise) {
        const auto given = optional_integer(from, name);
        return given ? static_cast<std::size_t>(std::max<std::int64_t>(*given, 0)) : otherwise;
    };
    config.body_max_bytes = std::min(size("max_body_bytes", config.body_max_bytes), body_max_bytes);
    config.pending_count_max = size("max_pending_requests", config.pending_count_max);
    if (const auto limit_ms = optional_integer(from, "response_timeout_millis")) {
        config.response_timeout = std::chrono::milliseconds(std::max<std::int64_t>(*limit_ms, 1));
    }
    const Value* streams = optional_field(from, "stream_request_bodies", Value::Kind::boolean);
    config.streams_bodies = streams != nullptr && streams->boolean();
    return config;
}

http::ServerOptions server_options(const ServerConfig& config) {
    http::ServerOptions options;
    options.limits.body_bytes_max = config.body_max_bytes;
    options.timeouts.handler = no_handler_timeout;
    options.stop_within = server_stop_within;
    return options;
}

ResponseHead read_head(const Value& response) {
    const std::int64_t status = integer_field(response, "status");
    ResponseHead head;
    head.status = static_cast<int>(std::clamp<std::int64_t>(status, 0, 1'000));
    head.headers = read_headers(field(response, "headers", Value::Kind::list));
    return head;
}

}  // namespace

struct HttpServers::Served {
    struct Queued {
        std::shared_ptr<PendingRequest> request;
        Value value;
    };
    Served(std::int32_t of_id, effect::RunId of_run, ServerConfig given)
        : id(of_id), run(of_run), config(std::move(given)), server(server_options(config)) {}

    const std::int32_t id;
    const effect::RunId run;
    const ServerConfig config;
    http::Server server;
    std::deque<Queued> queue;    // not yet accepted
    std::size_t open_count = 0;  // requests without a whole response
    Event changed;
    bool is_closed = false;
};

HttpServers::~HttpServers() {
    while (!servers_.empty()) close_server(servers_.begin()->first);
}

HttpServers::Op HttpServers::find(std::string_view name) noexcept {
    struct Named {
        std::string_view name;
        Op op;
    };
    static constexpr Named ops[] = {
        {"listen_raw", &HttpServers::listen},
        {"accept_raw", &HttpServers::accept},
        {"read_request_raw", &HttpServers::read_request},
        {"respond_raw", &HttpServers::respond},
        {"start_response_raw", &HttpServers::start_response},
        {"write_response_raw", &HttpServers::write_response},
        {"finish_response_raw", &HttpServers::finish_response},
        {"close_raw", &HttpServers::close},
    };
    const auto found = std::ranges::find(ops, name, &Named::name);
    return found == std::end(ops) ? nullptr : found->op;
}

HttpServers::ServedPtr HttpServers::server_of(const Context& context, std::int64_t id) const {
    const auto found = servers_.find(static_cast<std::int32_t>(id));
    if (found == servers_.end() || found->second->run != context.run_id()) {
        throw Failure("http server " + std::to_string(id) + " is closed or unknown");
    }
    return found->second;
}
std::shared_ptr<PendingRequest> HttpServers::request_of(const Context& context,
                                                        std::int64_t id) const {
    const auto found = requests_.find(static_cast<std::int32_t>(id));
    if (found == requests_.end() || found->second->run() != context.run_id()) {
        throw Failure("request " + std::to_string(id) + " is closed or unknown");
    }
    return found->second;
}

// A server that fails is closed: the module hears of it when it accepts.
Future<void> HttpServers::serve(ServedPtr served, net::Listener listener) {
    try {
        static_cast<void>(co_await served->server.serve(std::move(listener)));
    } catch (const std::system_error& error) {
        log(LogLevel::warn, "the server of a module has failed: %s", error.what());
    }
    served->is_closed = true;
    served->changed.set();
}

Future<std::int32_t> HttpServers::start_server(Context& context, ServerConfig config) {
    options_.permissions.check(config.host, config.port);
    const auto is_of_run = [&](const auto& one) { return one.second->run == context.run_id(); };
    const auto count = static_cast<std::size_t>(std::ranges::count_if(servers_, is_of_run));
    if (count >= options_.servers_per_run_max) {
        throw Failure("a run has at most servers_per_run_max (" +
                      std::to_string(options_.servers_per_run_max) + ") servers");
    }
    net::Resolver resolver;
    const std::string host = config.host;
    const std::uint16_t port = config.port;
    const std::vector<Address> addresses = co_await resolver.resolve(host, port);
    net::Listener listener = co_await net::listen(addresses.front());
    const std::int32_t id = ++last_server_;
    auto served = std::make_shared<Served>(id, context.run_id(), std::move(config));
    served->server.not_found(
        [this, weak = std::weak_ptr(served)](http::Request& request, http::Response& response) {
            return handle(weak.lock(), request, response);
        });
    servers_.emplace(id, served);
    context.executor().root().spawn(&HttpServers::serve, served, std::move(listener));
    context.on_end([this, id] { close_server(id); });
    co_return id;
}

void HttpServers::close_server(std::int32_t id) noexcept {
    const auto found = servers_.find(id);
    if (found == servers_.end()) return;
    const ServedPtr served = found->second;
    servers_.erase(found);
    served->is_closed = true;
    served->queue.clear();
    served->changed.set();
    for (const auto& [number, request] : requests_) {
        if (request->server() == id) request->close();
    }
    served->server.stop();
}

// The task of a connection. It has ended before its server has, which the task of the server keeps.
Future<void> HttpServers::handle(ServedPtr served, http::Request& request,
                                 http::Response& response) {
    const bool is_full = served->open_count >= served->config.pending_count_max;
    if (served->is_closed || is_full) {
        response.status(503).type("text/plain");
        response.send(is_full ? "server pending request limit reached" : "server is closed");
        co_return;
    }
    ++served->open_count;
    const ScopeExit leave([&] { --served->open_count; });
    const bool is_streamed = served->config.streams_bodies;
    std::string body;
    if (!is_streamed)
        body = co_await request.text();  // One that is too large is answered with 413.
    const std::int32_t id = ++last_request_;
    const PendingRequest::Owner owner{.server = served->id, .run = served->run};
    const auto pending = std::make_shared<PendingRequest>(id, owner, request, response);
    requests_.emplace(id, pending);
    const ScopeExit forget([&] {
        pending->end();
        requests_.erase(id);
        std::erase_if(served->queue, [&](const auto& one) { return one.request == pending; });
    });
    served->queue.push_back({pending, pending->to_value(body, is_streamed)});
    served->changed.set();
    if (served->is_closed) pending->close();
    co_await pending->answer(served->config.response_timeout);
}

Future<Answer> HttpServers::listen(Context& context, Arguments arguments) {
    try {
        ServerConfig config =
            read_config(argument(arguments, Value::Kind::record), options_.body_max_bytes);
        const std::int32_t id = co_await start_server(context, std::move(config));
        co_return tail(http_result(id));
    } catch (const Cancelled&) {
        throw;
    } catch (const std::exception& error) {
        co_return tail(http_failure(HttpCode::failed, error.what(), 0));
    }
}

Future<Answer> HttpServers::accept(Context& context, Arguments arguments) {
    try {
        const std::int64_t id = id_of(arguments);
        const ServedPtr served = server_of(context, id);
        while (served->queue.empty() && !served->is_closed) {
            served->changed.reset();
            co_await served->changed.wait();
        }
        if (served->is_closed) throw Failure("http server " + std::to_string(id) + " closed");
        Value value = std::move(served->queue.front().value);
        served->queue.pop_front();
        co_return resume(http_result(std::move(value)));
    } catch (const Cancelled&) {
        throw;
    } catch (const std::exception& error) {
        co_return resume(http_failure(HttpCode::failed, error.what(), no_request()));
    }
}

namespace {

// Waits until the order was carried out. Throws a Failure if the request is over.
Future<void> carried_out(std::shared_ptr<PendingRequest> request,
                         std::shared_ptr<HttpOrder> order) {
    if (!request->give(order)) {
        throw Failure("request " + std::to_string(request->id()) + " is closed or unknown");
    }
    co_await order->ended.wait();
}

Value result_of_order(const HttpOrder& order) {
    if (order.code == HttpCode::fine) return http_result(empty_record());
    return http_failure(order.code, order.failure, empty_record());
}

}  // namespace

Future<Answer> HttpServers::read_request(Context& context, Arguments arguments) {
    try {
        const auto order = std::make_shared<HttpOrder>(HttpOrder::Kind::read);
        co_await carried_out(request_of(context, id_of(arguments)), order);
        if (order->code == HttpCode::fine) {
            co_return resume(http_result(chunk_value(order->bytes, order->is_last)));
        }
        co_return resume(http_failure(order->code, order->failure, chunk_value("", true)));
    } catch (const Cancelled&) {
        throw;
    } catch (const std::exception& error) {
        co_return resume(http_failure(HttpCode::failed, error.what(), chunk_value("", true)));
    }
}

Future<Answer> HttpServers::respond(Context& context, Arguments arguments) {
    return give_head(context, std::move(arguments), HttpOrder::Kind::respond);
}
Future<Answer> HttpServers::start_response(Context& context, Arguments arguments) {
    return give_head(context, std::move(arguments), HttpOrder::Kind::start);
}
Future<Answer> HttpServers::give_head(Context& context, Arguments arguments, HttpOrder::Kind kind) {
    try {
        const Value& from = argument(arguments, Value::Kind::record);
        const Value& response = field(from, "response", Value::Kind::record);
        const auto order = std::make_shared<HttpOrder>(kind);
        order->head = read_head(response);
        if (kind == HttpOrder::Kind::respond) order->bytes = bytes_field(response, "body");
        co_await carried_out(request_of(context, integer_field(from, "request_id")), order);
        co_return tail(result_of_order(*order));
    } catch (const Cancelled&) {
        throw;
    } catch (const std::exception& error) {
        co_return tail(http_failure(HttpCode::failed, error.what(), empty_record()));
    }
}

Future<Answer> HttpServers::write_response(Context& context, Arguments arguments) {
    try {
        const Value& from = argument(arguments, Value::Kind::record);
        const auto order = std::make_shared<HttpOrder>(HttpOrder::Kind::write);
        order->bytes = bytes_field(from, "chunk");
        co_await carried_out(request_of(context, integer_field(from, "request_id")), order);
        co_return tail(result_of_order(*order));
    } catch (const Cancelled&) {
        throw;
    } catch (const std::exception& error) {
        co_return tail(http_failure(HttpCode::failed, error.what(), empty_record()));
    }
}

Future<Answer> HttpServers::finish_response(Context& context, Arguments arguments) {
    try {
        const auto order = std::make_shared<HttpOrder>(HttpOrder::Kind::finish);
        co_await carried_out(request_of(context, id_of(arguments)), order);
        co_return resume(result_of_order(*order));
    } catch (const Cancelled&) {
        throw;
    } catch (const std::exception& error) {
        co_return resume(http_failure(HttpCode::failed, error.what(), empty_record()));
    }
}

// A server that is not there is closed already.
Future<Answer> HttpServers::close(Context& context, Arguments arguments) {
    const auto found = servers_.find(static_cast<std::int32_t>(id_of(arguments)));
    const bool is_own = found != servers_.end() && found->second->run == context.run_id();
    if (is_own) close_server(found->first);
    co_return tail(http_result(empty_record()));
}

}  // namespace gyre::wasm
