// SPDX-License-Identifier: Apache-2.0
// DebugServer: accepts the inspector's connections on the loop of its own thread, and passes messages between
// one of them and the queue. One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "gyre/net/buffered.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/task/core/scope.hpp"
#include "lang/script/inspect/inspector.hpp"
#include "lang/script/inspect/internal/debug_queue.hpp"
#include "lang/script/inspect/internal/debug_request.hpp"

namespace gyre::script {

class DebugServer {
public:
    static constexpr std::size_t connection_count_max = 16;
    static constexpr std::size_t head_bytes_max = std::size_t{16} * 1024;
    // A client's request, and its part of the end.
    static constexpr Duration patience = std::chrono::seconds(10);
    static constexpr Duration end_patience = std::chrono::seconds(1);

    DebugServer(DebugQueue& queue, const InspectorOptions& options)
        : queue_(queue), options_(options) {}
    [[nodiscard]] Future<void> serve(std::function<void(std::string)> tell_address);

private:
    [[nodiscard]] Future<void> accept_all(Scope* scope, const net::Listener* listener);
    [[nodiscard]] Future<void> answer(net::Connection stream);
    [[nodiscard]] Future<void> talk(const net::Connection* stream, net::Reader* reader);
    [[nodiscard]] Future<void> read_messages(net::Reader* reader);
    [[nodiscard]] Future<void> write_messages(const net::Connection* stream);

    DebugQueue& queue_;
    const InspectorOptions& options_;
    DebugTarget target_;
};

}  // namespace gyre::script
