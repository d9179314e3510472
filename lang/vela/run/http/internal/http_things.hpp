// SPDX-License-Identifier: Apache-2.0
// The objects of system:http: a server and a client, on gyre's own. One thread: that of the machine.
#pragma once

#include <optional>
#include <string>

#include "gyre/http/client.hpp"
#include "gyre/http/server.hpp"
#include "gyre/io/permissions.hpp"
#include "lang/vela/run/http/http_support.hpp"
#include "lang/vela/run/internal/heap.hpp"
#include "lang/vela/run/internal/native_library.hpp"
#include "lang/vela/run/internal/native_routine.hpp"
#include "lang/vela/run/internal/tasks.hpp"

namespace gyre::vela::vm {

struct ServerThing final : HostThing {
    ServerThing(const TypeInfo* of, const HttpSupport& with) : HostThing(of), support(with) {}
    void trace(Marker& marker) override { marker.mark(handler); }
    // Throws a NetworkError of the program.
    void bind(Vm& vm, const std::string& address);
    // With a certificate and its key as PEM text; likewise.
    void encrypt(Vm& vm, const std::string& certificate, const std::string& key);
    [[nodiscard]] gyre::Future<void> serve(Vm& vm);
    [[nodiscard]] gyre::Future<void> handle(Vm& vm, http::Request& request,
                                            http::Response& response);

    const HttpSupport& support;
    Word handler;
    std::uint16_t port = 0;
    std::optional<net::Listener> listener;
    std::shared_ptr<void> encryption;  // outlives the server
    http::Server server;
};

struct ClientThing final : HostThing {
    ClientThing(const TypeInfo* of, const HttpSupport& with) : HostThing(of), support(with) {}
    // Made with the first request, in the sandbox of the program.
    [[nodiscard]] http::Client& client(Vm& vm);
    // Servers whose certificates these authorities have signed, beside none else. Before the first
    // request.
    void trust(Vm& vm, std::string pem);

    const HttpSupport& support;
    std::string authorities;
    std::optional<http::Client> made;
};

// A response whose body is read piece by piece.
struct IncomingThing final : HostThing {
    explicit IncomingThing(http::Incoming of) : HostThing(nullptr), incoming(std::move(of)) {}
    http::Incoming incoming;
};

// Refuses the place unless the program may reach it; throws a Failure.
void check_permitted(const Permissions* permissions, const std::string& host, std::uint16_t port);

}  // namespace gyre::vela::vm
