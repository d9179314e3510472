// SPDX-License-Identifier: Apache-2.0
// ScriptHttp: gives a script `fetch` and the module gyre:http, on gyre's HTTP client and server.
//
//     script::World world(program, executor);
//     script::ScriptHttp http(program, world);
//
// Thread: the script's.
// Lifetime: made after the World and before the loop; destroyed after the loop and before the World.
//
// In a sandbox (System::permissions) each connection is opened, and each port listened at, only where
// a host is permitted: a redirect leads out no more than a request.
#pragma once

#include <functional>
#include <memory>

#include "gyre/http/client.hpp"
#include "gyre/http/message.hpp"

namespace gyre::script {

class Script;
class World;

using UnixClock = http::UnixSeconds (*)();

struct ScriptHttpOptions {
    // Adds TLS to the connections of `plain`; empty: there is no https.
    std::function<std::unique_ptr<http::Connector>(std::unique_ptr<http::Connector> plain)>
        encrypts = {};
    // Of the Date field of responses; null: they have none.
    UnixClock wall_time = nullptr;
};

class ScriptHttp {
public:
    ScriptHttp(Script& script, World& world, ScriptHttpOptions options = {});
    ~ScriptHttp();
    ScriptHttp(const ScriptHttp&) = delete;
    ScriptHttp& operator=(const ScriptHttp&) = delete;

private:
    struct Parts;
    const std::unique_ptr<Parts> parts_;
};

}  // namespace gyre::script
