// SPDX-License-Identifier: Apache-2.0
#include "lang/script/inspect/inspector.hpp"

#include <utility>

#include "lang/script/inspect/internal/debug_queue.hpp"
#include "lang/script/inspect/internal/debug_server.hpp"
#include "lang/script/script.hpp"

namespace gyre::script {

struct Inspector::Parts {
    explicit Parts(InspectorOptions given) : options(std::move(given)), server(queue, options) {}

    const InspectorOptions options;
    DebugQueue queue;
    DebugServer server;
    std::unique_ptr<Debugger> debugger;
};

Inspector::Inspector(InspectorOptions options)
    : parts_(std::make_unique<Parts>(std::move(options))) {}

Inspector::~Inspector() {
    detach();
}

Future<void> Inspector::serve(std::function<void(std::string)> tell_address) {
    return parts_->server.serve(std::move(tell_address));
}

bool Inspector::attach(Script& script) {
    parts_->debugger = script.engine().open_debugger(parts_->queue);
    if (parts_->debugger == nullptr) return false;
    parts_->queue.set_bell([debugger = parts_->debugger.get()] { debugger->ring(); });
    return true;
}

void Inspector::wait_for_client() {
    parts_->debugger->wait_for_client();
}

void Inspector::detach() {
    parts_->queue.set_bell({});
    if (parts_->debugger != nullptr) parts_->debugger->tell_end();
    parts_->debugger.reset();
    parts_->queue.end();
}

}  // namespace gyre::script
