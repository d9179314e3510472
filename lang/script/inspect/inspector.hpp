// SPDX-License-Identifier: Apache-2.0
// Inspector: a server of the Chrome DevTools protocol for one script, at a port of 127.0.0.1. Clients find the
// script at /json/list; its path is a random id, and a request whose Host is not this machine is refused. It
// has a thread and a loop of its own, since the script's thread stands still while it is paused.
//
//     script::Inspector inspector({.port = 9229, .id = id, .title = "app.js", .url = "file:///app.js"});
//     std::thread server([&] { gyre::run(*platform, [&](Scope&) { return inspector.serve(tell); }); });
//     inspector.attach(program);                          // false: the engine has no debugger
//     const int status = program.run(loop);
//     inspector.detach();
//     server.join();
//
// Thread: `serve` that of its loop; all else the script's.
// Lifetime: made after the script, and destroyed before it, when `serve` has returned.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "gyre/task/core/future.hpp"

namespace gyre::script {

class Script;

struct InspectorOptions {
    std::uint16_t port = 9229;  // 0: a free one
    std::string id = {};        // who knows it may do what the script may
    std::string title = {};
    std::string url = {};
};

class Inspector {
public:
    explicit Inspector(InspectorOptions options);
    ~Inspector();
    Inspector(const Inspector&) = delete;
    Inspector& operator=(const Inspector&) = delete;

    // Tells the address once it listens: "ws://127.0.0.1:9229/ID". Throws what listening throws. Returns
    // after `detach`.
    [[nodiscard]] Future<void> serve(std::function<void(std::string)> tell_address);

    // Before the script starts. False: its engine has no debugger.
    [[nodiscard]] bool attach(Script& script);
    // Waits until a client lets the script run; it pauses before its first line then.
    void wait_for_client();
    // The script has ended: so do the connections, and `serve`.
    void detach();

private:
    struct Parts;
    const std::unique_ptr<Parts> parts_;
};

}  // namespace gyre::script
