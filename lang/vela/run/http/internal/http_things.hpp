// SPDX-License-Identifier: Apache-2.0
// The objects of system:http: a server and a client, on gyre's own. One thread: that of the machine.
#pragma once

#include <optional>
#include <string>

#include "gyre/http/client.hpp"
#include "gyre/http/server.hpp"
#include "lang/vela/run/internal/heap.hpp"
#include "lang/vela/run/internal/native_library.hpp"
#include "lang/vela/run/internal/native_routine.hpp"
#include "lang/vela/run/internal/tasks.hpp"

namespace gyre::vela::vm {

struct ServerThing final : HostThing {
    using HostThing::HostThing;
    void trace(Marker& marker) override { marker.mark(handler); }
    // Throws a NetworkError of the program.
    void bind(Vm& vm, const std::string& address);
    [[nodiscard]] gyre::Future<void> serve(Vm& vm);
    [[nodiscard]] gyre::Future<void> handle(Vm& vm, http::Request& request,
                                            http::Response& response);

    Word handler;
    std::uint16_t port = 0;
    std::optional<net::Listener> listener;
    http::Server server;
};

struct ClientThing final : HostThing {
    using HostThing::HostThing;
    http::Client client;
};

}  // namespace gyre::vela::vm
