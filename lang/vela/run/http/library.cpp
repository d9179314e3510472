// SPDX-License-Identifier: Apache-2.0
// The functions of system:http.
#include <exception>

#include "lang/vela/run/http/internal/http_things.hpp"
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
        std::string lower = name;
        for (char& c : lower) {
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
        }
        headers->set(vm.heap.text(std::move(lower)), vm.heap.text(value));
    }
    vm.set_field(as<Instance>(made, Kind::instance), "headers", headers);
    return made;
}

gyre::Future<void> fetch(Vm* vm, ClientThing* client, http::ClientRequest request,
                         Deferred* future) {
    std::string failure;
    try {
        http::ClientResponse response = co_await client->client.fetch(std::move(request));
        vm->tasks->settle(*future, FutureState::fulfilled, response_of(*vm, response));
    } catch (const Cancelled&) {
        throw;
    } catch (const std::exception& error) {
        failure = error.what();
    }
    if (!failure.empty()) {
        vm->tasks->settle(*future, FutureState::rejected, vm->error("NetworkError", failure));
    }
}

Word start_fetch(Vm& vm, Args args, const char* method) {
    auto* client = static_cast<ClientThing*>(&as<HostThing>(args[0], Kind::host));
    std::string body = args.size() > 2 ? text_of(args[2]) : std::string();
    auto work = [client, method, url = text_of(args[1]), body = std::move(body)](
                    Vm& of, Deferred& future) mutable {
        http::ClientRequest request(method, std::move(url), std::move(body));
        return fetch(&of, client, std::move(request), &future);
    };
    return vm.tasks->make_work("fetch", std::move(work), args);
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
        made["HttpClient.post"] = [](Vm& vm, Args args) { return start_fetch(vm, args, "POST"); };
        made["Response.json"] = response_json;
        made["Response.text"] = [](Vm& vm, Args args) {
            return make_response(vm, 200, text_of(args[0]), "text/plain");
        };
        made["Response.notFound"] = [](Vm& vm, Args) {
            return make_response(vm, 404, "Not Found", "text/plain");
        };
        made["Response.status"] = response_status;
        return made;
    }();
    return table;
}

class HttpLibrary final : public NativeLibrary {
public:
    [[nodiscard]] NativeCall find(std::string_view name) const override {
        const auto found = natives().find(name);
        return found == natives().end() ? nullptr : found->second;
    }
    [[nodiscard]] Word create(Vm& vm, const TypeInfo& type) const override {
        if (type.name.text == "HttpServer") return vm.heap.make<ServerThing>(&type);
        if (type.name.text == "HttpClient") return vm.heap.make<ClientThing>(&type);
        return {};
    }
    [[nodiscard]] Word field(Vm& vm, const FieldInfo& field, Word object) const override {
        if (!is_kind(object, Kind::host) || field.name.text != "port") return {};
        if (field.owner->name.text != "HttpServer") return {};
        return vm.heap.number(server_of(object).port);
    }
};

}  // namespace
}  // namespace vm

const vm::NativeLibrary* http_library() {
    static const vm::HttpLibrary library;
    return &library;
}

}  // namespace gyre::vela
