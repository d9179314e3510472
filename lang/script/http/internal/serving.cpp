// SPDX-License-Identifier: Apache-2.0
#include "lang/script/http/internal/serving.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "gyre/base/failure.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/net/resolver.hpp"
#include "gyre/task/core/cancel.hpp"
#include "gyre/task/core/scope.hpp"
#include "lang/script/http/internal/answer.hpp"

namespace gyre::script {
namespace {

std::string body_of(NativeCall& call, std::size_t place) {
    const std::span<std::byte> bytes = call.bytes(place);
    if (!bytes.empty()) return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    return call.text(place);
}

http::ServerOptions server_options(http::UnixSeconds (*wall_time)(), double handler_ms) {
    http::ServerOptions made{.wall_time = wall_time};
    made.timeouts.handler = std::chrono::milliseconds(static_cast<std::int64_t>(handler_ms));
    return made;
}

}  // namespace

void Serving::start(NativeCall& call) {
    const double id = call.number(0);
    auto& place = servers_[id];
    place.reset(new Server{id, http::Server(server_options(wall_time_, call.number(3)))});
    Server* const server = place.get();
    server->server.not_found([this, server](http::Request& request, http::Response& response) {
        return answer(*server, request, response);
    });
    script_.hold();
    const auto port = static_cast<std::uint16_t>(call.number(2));
    static_cast<void>(executor_.root().spawn(serve(*server, call.text(1), port)));
}

Future<void> Serving::serve(Server& server, std::string host, std::uint16_t port) {
    Answer answer(script_, server.id);
    std::exception_ptr error;
    try {
        const std::string place = host + ":" + std::to_string(port);
        const Permissions* permissions = script_.system().permissions();
        if (permissions != nullptr && !permissions->allows_host(host, port)) {
            throw Failure("the address " + place + " is not permitted: --allow net=" + place);
        }
        net::Resolver resolver;
        const std::vector<Address> addresses = co_await resolver.resolve(host, port);
        net::Listener listener = co_await net::listen(addresses.front());
        const Result<Address> local = listener.local_address();
        script_.post_event(server.id, local ? local->port() : port,
                           "L" + (local ? local->to_string() : place));
        const http::ShutdownReport report = co_await server.server.serve(std::move(listener));
        answer.number = static_cast<double>(report.cut.size());
        answer.text = "C";
    } catch (const Cancelled&) {
        throw;
    } catch (...) {
        error = std::current_exception();
    }
    if (error != nullptr) {
        answer.fail(std::move(error));
        answer.text.insert(0, "E");
    }
}

void Serving::stop(NativeCall& call) {
    const auto found = servers_.find(call.number(0));
    if (found != servers_.end()) found->second->server.stop();
}

// ---- A request ----

Future<void> Serving::answer(Server& server, http::Request& request, http::Response& response) {
    // Leaves the table however the task ends; what the script waits for fails then.
    struct Entry {
        Serving& serving;
        Server& server;
        const double number;
        Exchange exchange = {};
        bool is_done = false;
        ~Entry() {
            serving.exchanges_.erase(number);
            for (const Order& order : exchange.orders) {
                if (order.done_id != 0) serving.script_.post_done(order.done_id, -EPIPE, {});
            }
            if (!is_done) serving.script_.post_event(server.id, number, "A");
        }
    };
    Entry entry{*this, server, ++last_request_};
    exchanges_[entry.number] = &entry.exchange;
    response.status(200);
    std::string head = "R";
    head.append(request.head().method_name).push_back('\0');
    head.append(request.target()).push_back('\0');
    head += text_of(request.head().fields);
    script_.post_event(server.id, entry.number, std::move(head));
    bool is_done = false;
    while (!is_done) {
        while (entry.exchange.orders.empty()) {
            entry.exchange.has_order.reset();
            co_await entry.exchange.has_order.wait();
        }
        is_done = co_await carry_out(entry.exchange.orders.front(), request, response);
        entry.exchange.orders.pop_front();
    }
    entry.is_done = true;
}

void Serving::set_head(http::Response& response, const Order& order) const {
    response.status(order.status);
    for (const auto& [name, value] : fields_of(order.fields)) response.field(name, value);
}

// True: the response is whole.
Future<bool> Serving::carry_out(Order& order, http::Request& request, http::Response& response) {
    using Kind = Order::Kind;
    switch (order.kind) {
        case Kind::send:
            set_head(response, order);
            response.send(std::move(order.body));
            co_return true;
        case Kind::begin:
            set_head(response, order);
            if (order.length >= 0) response.length(static_cast<std::uint64_t>(order.length));
            co_await response.write({});
            co_return false;
        case Kind::write:
            co_await response.write(order.body);
            script_.post_done(std::exchange(order.done_id, 0), 0, {});
            co_return false;
        case Kind::end:
            script_.post_done(std::exchange(order.done_id, 0), 0, {});
            co_return true;
        case Kind::read: {
            const std::string_view piece = co_await request.read();
            if (!piece.empty()) read_[order.done_id] = piece;
            script_.post_done(std::exchange(order.done_id, 0), static_cast<double>(piece.size()),
                              {});
            co_return false;
        }
        case Kind::cut:
            break;
    }
    throw Failure("the script broke the response off");
}

void Serving::give(double request, Order order) {
    const auto found = exchanges_.find(request);
    if (found == exchanges_.end()) {
        if (order.done_id != 0) script_.post_done(order.done_id, -EPIPE, {});
        return;
    }
    found->second->orders.push_back(std::move(order));
    found->second->has_order.set();
}

void Serving::send(NativeCall& call) {
    give(call.number(0), {.kind = Order::Kind::send,
                          .status = static_cast<int>(call.number(1)),
                          .fields = call.text(2),
                          .body = body_of(call, 3)});
}

void Serving::begin(NativeCall& call) {
    give(call.number(0), {.kind = Order::Kind::begin,
                          .status = static_cast<int>(call.number(1)),
                          .length = call.number(3),
                          .fields = call.text(2)});
}

void Serving::write(NativeCall& call) {
    std::string body = call.count() > 2 ? body_of(call, 2) : std::string();
    const auto kind = body.empty() ? Order::Kind::end : Order::Kind::write;
    script_.hold();
    give(call.number(1), {.kind = kind, .done_id = call.number(0), .body = std::move(body)});
}

void Serving::read(NativeCall& call) {
    script_.hold();
    give(call.number(1), {.kind = Order::Kind::read, .done_id = call.number(0)});
}

void Serving::take(NativeCall& call) {
    const auto found = read_.find(call.number(0));
    if (found == read_.end()) return;
    const std::span<std::byte> into = call.bytes(1);
    const std::size_t size = std::min(into.size(), found->second.size());
    if (size > 0) std::memcpy(into.data(), found->second.data(), size);
    read_.erase(found);
}

void Serving::cut(NativeCall& call) {
    give(call.number(0), {.kind = Order::Kind::cut});
}

}  // namespace gyre::script
