// SPDX-License-Identifier: Apache-2.0
// The functions of system:http.
#include <memory>
#include <utility>

#include "lang/vela/run/http/internal/http_things.hpp"
#include "lang/vela/run/internal/io_work.hpp"
#include "lang/vela/run/internal/json_text.hpp"
#include "lang/vela/run/run.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela {
namespace vm {
namespace {

using Args = std::span<const Word>;

ServerThing& server_of(Word word) {
    return static_cast<ServerThing&>(as<HostThing>(word, Kind::host));
}

std::string lower_case(std::string_view name) {
    std::string lower(name);
    for (char& c : lower) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    }
    return lower;
}

Word make_response(Vm& vm, std::int64_t status, std::string body, const char* type) {
    auto& response = as<Instance>(vm.create(*vm.standard_type("Response")), Kind::instance);
    auto* headers = vm.heap.make<Table>(Kind::map);
    headers->set(vm.heap.text("content-type"), vm.heap.text(type));
    vm.set_field(response, "status", vm.heap.number(status));
    vm.set_field(response, "body", vm.heap.text(std::move(body)));
    vm.set_field(response, "headers", headers);
    return &response;
}

Word response_json(Vm& vm, Args args) {
    // As a method of a response that came: its body as a value.
    const bool is_response =
        is_kind(args[0], Kind::instance) &&
        static_cast<Instance*>(args[0].thing())->shape->type == vm.standard_type("Response");
    if (is_response) {
        auto& response = *static_cast<Instance*>(args[0].thing());
        return json_result(vm, text_of(vm.field(response, "body")));
    }
    return make_response(vm, 200, json_text(vm, args[0]), "application/json");
}

Word response_status(Vm& vm, Args args) {
    const std::int64_t status = number_of(args[0]);
    if (status < 200 || status > 599) vm.fail("Error", "A status is between 200 and 599");
    return make_response(vm, status, text_of(args[1]), "text/plain");
}

Word response_of(Vm& vm, http::ClientResponse& from) {
    const Word made = make_response(vm, from.status, std::move(from.body), "");
    auto* headers = vm.heap.make<Table>(Kind::map);
    for (const auto& [name, value] : from.fields) {
        headers->set(vm.heap.text(lower_case(name)), vm.heap.text(value));
    }
    vm.set_field(as<Instance>(made, Kind::instance), "headers", headers);
    return made;
}

Word network_error(Vm& vm, const WorkFailure& failure) {
    return vm.error("NetworkError", failure.text);
}

Word start_fetch(Vm& vm, Args args, const char* method) {
    auto* client = static_cast<ClientThing*>(&as<HostThing>(args[0], Kind::host));
    std::string body = args.size() > 2 ? text_of(args[2]) : std::string();
    auto work = [client, method, url = text_of(args[1]),
                 body = std::move(body)](Vm& of) -> gyre::Future<Word> {
        http::ClientRequest request(method, url, body);
        http::ClientResponse response = co_await client->client(of).fetch(std::move(request));
        co_return response_of(of, response);
    };
    return start_work(vm, args, "fetch", network_error, std::move(work));
}

// The pieces of a body, as they come. Bytes that are no UTF-8 stay as they are.
NativeRoutine pieces_of(Vm* vm, IncomingThing* from, Word client) {
    const Word holders[] = {from, client};
    for (;;) {
        auto work = [from](Vm& of) -> gyre::Future<Word> {
            const std::string_view piece = co_await from->incoming.read();
            if (piece.empty()) co_return of.none();
            co_return of.some(of.heap.text(std::string(piece)));
        };
        const Word next = start_work(*vm, holders, "read", network_error, std::move(work));
        const Settled settled = co_await static_cast<Deferred*>(next.thing());
        const Word piece = settled.get();
        if (!vm->has_value(piece)) co_return Word::nothing();
        const bool goes_on = co_yield as<Variant>(piece, Kind::variant).payload()[0];
        if (!goes_on) co_return Word::nothing();
    }
}

Word open(Vm& vm, Args args) {
    auto* client = static_cast<ClientThing*>(&as<HostThing>(args[0], Kind::host));
    auto work = [client, url = text_of(args[1])](Vm& of) -> gyre::Future<Word> {
        http::ClientRequest request(url);
        http::Incoming incoming = co_await client->client(of).open(std::move(request));
        auto* headers = of.heap.make<Table>(Kind::map);
        for (const http::Field& field : incoming.head().fields) {
            headers->set(of.heap.text(lower_case(field.name)),
                         of.heap.text(std::string(field.value)));
        }
        auto& made = as<Instance>(of.create(*of.standard_type("StreamedResponse")), Kind::instance);
        of.set_field(made, "status", of.heap.number(incoming.status()));
        of.set_field(made, "headers", headers);
        auto* from = of.heap.make<IncomingThing>(std::move(incoming));
        std::unique_ptr<Routine> routine = pieces_of(&of, from, client).keeping({from, client});
        of.set_field(made, "pieces", of.heap.make<Stream>(std::move(routine)));
        co_return &made;
    };
    return start_work(vm, args, "open", network_error, std::move(work));
}

Word response_stream(Vm& vm, Args args) {
    const bool has_type = args.size() > 1 && !args[1].is_missing();
    const std::string type = has_type ? text_of(args[1]) : "text/plain";
    const Word made = make_response(vm, 200, "", type.c_str());
    vm.set_field(as<Instance>(made, Kind::instance), "pieces", vm.some(args[0]));
    return made;
}

Word listen(Vm& vm, Args args) {
    ServerThing* server = &server_of(args[0]);
    auto work = [server](Vm& of, Deferred& /*future*/) { return server->serve(of); };
    return vm.tasks->make_work("listen", std::move(work), args);
}

const NativeTable& natives() {
    static const NativeTable table = [] {
        NativeTable made;
        made["HttpServer.constructor"] = [](Vm& vm, Args args) {
            server_of(args[0]).bind(vm, text_of(args[1]));
            return Word::nothing();
        };
        made["HttpServer.secure"] = [](Vm& vm, Args args) {
            server_of(args[0]).encrypt(vm, text_of(args[1]), text_of(args[2]));
            return Word::nothing();
        };
        made["HttpServer.onRequest"] = [](Vm&, Args args) {
            server_of(args[0]).handler = args[1];
            return Word::nothing();
        };
        made["HttpServer.listen"] = listen;
        made["HttpServer.close"] = [](Vm&, Args args) {
            server_of(args[0]).server.stop();
            return Word::nothing();
        };
        made["HttpClient.get"] = [](Vm& vm, Args args) { return start_fetch(vm, args, "GET"); };
        made["HttpClient.open"] = open;
        made["HttpClient.trust"] = [](Vm& vm, Args args) {
            static_cast<ClientThing&>(as<HostThing>(args[0], Kind::host))
                .trust(vm, text_of(args[1]));
            return Word::nothing();
        };
        made["HttpClient.post"] = [](Vm& vm, Args args) { return start_fetch(vm, args, "POST"); };
        made["Response.json"] = response_json;
        made["Response.text"] = [](Vm& vm, Args args) {
            return make_response(vm, 200, text_of(args[0]), "text/plain");
        };
        made["Response.notFound"] = [](Vm& vm, Args) {
            return make_response(vm, 404, "Not Found", "text/plain");
        };
        made["Response.status"] = response_status;
        made["Response.stream"] = response_stream;
        return made;
    }();
    return table;
}

class HttpLibrary final : public NativeLibrary {
public:
    explicit HttpLibrary(HttpSupport support) : support_(std::move(support)) {}

    [[nodiscard]] NativeCall find(std::string_view name) const override {
        const auto found = natives().find(name);
        return found == natives().end() ? nullptr : found->second;
    }
    [[nodiscard]] Word create(Vm& vm, const TypeInfo& type) const override {
        if (type.name.text == "HttpServer") return vm.heap.make<ServerThing>(&type, support_);
        if (type.name.text == "HttpClient") return vm.heap.make<ClientThing>(&type, support_);
        return {};
    }
    [[nodiscard]] Word field(Vm& vm, const FieldInfo& field, Word object) const override {
        if (!is_kind(object, Kind::host) || field.name.text != "port") return {};
        if (field.owner->name.text != "HttpServer") return {};
        return vm.heap.number(server_of(object).port);
    }

private:
    const HttpSupport support_;
};

}  // namespace
}  // namespace vm

std::shared_ptr<const vm::NativeLibrary> make_http_library(HttpSupport support) {
    return std::make_shared<vm::HttpLibrary>(std::move(support));
}

}  // namespace gyre::vela
