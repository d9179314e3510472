// SPDX-License-Identifier: Apache-2.0
// HttpServer: binds when it is made, and serves each request by a function of the program.
#include "lang/vela/run/http/internal/http_things.hpp"

#include <charconv>
#include <exception>
#include <system_error>

#include "gyre/base/failure.hpp"
#include "gyre/http/url.hpp"
#include "lang/vela/run/internal/json_text.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::vm {
namespace {

// "127.0.0.1:8080", "localhost:0".
std::optional<Address> address_of(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    std::string host(text.substr(0, colon));
    const std::string_view digits = text.substr(colon + 1);
    std::uint16_t port = 0;
    const auto read = std::from_chars(digits.begin(), digits.end(), port);
    if (read.ec != std::errc() || read.ptr != digits.end()) return std::nullopt;
    if (host == "localhost") host = "127.0.0.1";
    std::array<std::uint8_t, 4> bytes{};
    const char* at = host.data();
    const char* const end = at + host.size();
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const auto part = std::from_chars(at, end, bytes[i]);
        if (part.ec != std::errc()) return std::nullopt;
        at = part.ptr;
        if (i + 1 < bytes.size() && (at == end || *at++ != '.')) return std::nullopt;
    }
    if (at != end) return std::nullopt;
    return Address::ipv4(bytes, port);
}

Word table_of_query(Vm& vm, std::string_view query) {
    auto* table = vm.heap.make<Table>(Kind::map);
    while (!query.empty()) {
        const std::string_view pair = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), pair.size() + 1));
        const std::string name(pair.substr(0, pair.find('=')));
        const auto value = http::query_value(pair, name);
        if (!name.empty()) table->set(vm.heap.text(name), vm.heap.text(value.value_or("")));
    }
    return table;
}

Word request_of(Vm& vm, const http::Request& from, std::string body) {
    auto& request = as<Instance>(vm.create(*vm.standard_type("Request")), Kind::instance);
    auto* path = vm.heap.make<RoutePath>(std::string(from.path()));
    path->params = vm.heap.make<Table>(Kind::map);
    auto* headers = vm.heap.make<Table>(Kind::map);
    for (const http::Field& field : from.head().fields) {
        std::string name(field.name);
        for (char& c : name) {
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
        }
        headers->set(vm.heap.text(std::move(name)), vm.heap.text(std::string(field.value)));
    }
    vm.set_field(request, "method", vm.heap.text(std::string(http::name_of(from.method()))));
    vm.set_field(request, "path", path);
    vm.set_field(request, "params", path->params);
    vm.set_field(request, "query", table_of_query(vm, from.query()));
    vm.set_field(request, "headers", headers);
    vm.set_field(request, "body", vm.heap.text(std::move(body)));
    return &request;
}

void answer_head(Vm& vm, http::Response& to, Instance& response) {
    to.status(static_cast<int>(number_of(vm.field(response, "status"))));
    const Word headers = vm.field(response, "headers");
    if (is_table(headers)) {
        for (const Table::Entry& entry : static_cast<Table*>(headers.thing())->entries) {
            if (!entry.key.is_missing()) to.field(text_of(entry.key), text_of(entry.value));
        }
    }
}

// The pieces of a stream, each when the peer has taken the one before. An error of the stream
// closes the connection.
gyre::Future<void> write_pieces(Vm* vm, http::Response* to, Stream* pieces) {
    for (;;) {
        const Settled next = co_await vm->tasks->outcome_of(*vm->tasks->next(*pieces));
        if (next.is_error) throw Failure(printed(next.value));
        if (!vm->has_value(next.value)) break;
        const std::string piece = text_of(as<Variant>(next.value, Kind::variant).payload()[0]);
        if (!piece.empty()) co_await to->write(piece);
    }
    if (!to->has_begun()) to->send("");
}

// If the peer goes away, the stream is closed: its clean-ups run.
gyre::Future<void> answer_pieces(Vm* vm, http::Response* to, Stream* pieces) {
    std::exception_ptr failure;
    try {
        co_await write_pieces(vm, to, pieces);
    } catch (...) {
        failure = std::current_exception();
    }
    if (!failure) co_return;
    if (!vm->tasks->is_ended()) vm->tasks->start(*vm->tasks->close(*pieces));
    std::rethrow_exception(failure);
}

void answer_failure(Vm& vm, http::Response& to, const http::Request& request, Word error) {
    vm.host.report(concat("unhandled error in request ", http::name_of(request.method()), " ",
                          request.path(), ": ", printed(error)));
    to.status(500).type("text/plain").send("Internal Server Error");
}

}  // namespace

void ServerThing::bind(Vm& vm, const std::string& address) {
    const auto at = address_of(address);
    if (!at) vm.fail("NetworkError", concat("not an address: \"", address, "\""));
    try {
        check_permitted(vm.host.permissions(), address.substr(0, address.rfind(':')), at->port());
    } catch (const Failure& refused) {
        vm.fail("NetworkError", refused.what());
    }
    const net::Listen request = net::listen(*at);
    auto bound = net::Listen::Await(vm.tasks->promise(), request).outcome();
    if (!bound) {
        vm.fail("NetworkError",
                concat("cannot listen at ", address, ": ", bound.error().message()));
    }
    const auto local = bound->local_address();
    port = local ? local->port() : at->port();
    listener.emplace(std::move(*bound));
}

void ServerThing::encrypt(Vm& vm, const std::string& certificate, const std::string& key) {
    if (!support.encrypt) vm.fail("NetworkError", "this build has no TLS");
    try {
        encryption = support.encrypt(server, certificate, key);
    } catch (const std::exception& error) {
        vm.fail("NetworkError", error.what());
    }
}

gyre::Future<void> ServerThing::handle(Vm& vm, http::Request& request, http::Response& response) {
    std::string body = co_await request.text();
    Word outcome;
    bool is_failure = false;
    try {
        const Word made = request_of(vm, request, std::move(body));
        outcome = vm.call(handler, {&made, 1});
    } catch (const Thrown& thrown) {
        outcome = thrown.error;
        is_failure = true;
    } catch (const Ended&) {
        co_return;
    }
    if (!is_failure && (is_kind(outcome, Kind::future) || is_kind(outcome, Kind::task_handle))) {
        const Settled settled =
            co_await vm.tasks->outcome_of(*static_cast<Deferred*>(outcome.thing()));
        outcome = settled.value;
        is_failure = settled.is_error;
    }
    if (is_failure) {
        answer_failure(vm, response, request, outcome);
        co_return;
    }
    auto& made = as<Instance>(outcome, Kind::instance);
    answer_head(vm, response, made);
    const Word pieces = vm.field(made, "pieces");
    if (!vm.has_value(pieces)) {
        response.send(text_of(vm.field(made, "body")));
        co_return;
    }
    Stream& stream = as<Stream>(as<Variant>(pieces, Kind::variant).payload()[0], Kind::stream);
    const KeptAlive kept(*vm.tasks, &stream);
    co_await answer_pieces(&vm, &response, &stream);
}

gyre::Future<void> ServerThing::serve(Vm& vm) {
    if (!listener || handler.is_missing()) vm.fail("Error", "onRequest() comes before listen()");
    const auto on_request = [this, &vm](http::Request& request, http::Response& response) {
        return handle(vm, request, response);
    };
    server.not_found(on_request);
    net::Listener taken = std::move(*listener);
    listener.reset();
    vm.tasks->add_server(*this, [this] { server.stop(); });
    std::exception_ptr failure;
    try {
        static_cast<void>(co_await server.serve(std::move(taken)));
    } catch (...) {
        failure = std::current_exception();
    }
    vm.tasks->remove_server(*this);
    if (failure) std::rethrow_exception(failure);
}

}  // namespace gyre::vela::vm
