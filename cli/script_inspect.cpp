// SPDX-License-Identifier: Apache-2.0
#include "cli/script_inspect.hpp"

#include <array>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <future>
#include <string>
#include <thread>
#include <utility>

#include "cli/script_worker.hpp"
#include "cli/usage.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/platform/thread.hpp"
#include "gyre/task/core/run.hpp"
#include "lang/script/inspect/inspector.hpp"
#include "lang/script/script.hpp"

namespace gyre::cli {
namespace {

// A random UUID (RFC 9562, version 4).
std::string random_id(script::System& system) {
    std::array<std::byte, 16> bytes{};
    if (!system.fill_random(bytes)) throw UsageError("--inspect: the system has no random bytes");
    bytes[6] = (bytes[6] & std::byte{0x0f}) | std::byte{0x40};
    bytes[8] = (bytes[8] & std::byte{0x3f}) | std::byte{0x80};
    std::string id;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        static constexpr char digits[] = "0123456789abcdef";
        if (i == 4 || i == 6 || i == 8 || i == 10) id += '-';
        id += digits[std::to_integer<unsigned>(bytes[i]) >> 4u];
        id += digits[std::to_integer<unsigned>(bytes[i]) & 15u];
    }
    return id;
}

script::InspectorOptions options_of(script::System& system, const RunRequest& request) {
    const bool has_file = request.eval.empty() && request.file != "-";
    script::InspectorOptions options{.port = *request.inspect_port, .id = random_id(system)};
    options.title = has_file ? request.file : "[eval]";
    if (has_file) options.url = "file://" + std::filesystem::absolute(request.file).string();
    return options;
}

}  // namespace

struct ScriptInspection::Server {
    Server(script::System& system, const RunRequest& request)
        : platform(make_thread_platform(request, clock)), inspector(options_of(system, request)) {}
    ~Server() {
        inspector.detach();
        if (thread.joinable()) thread.join();
    }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    void start() {
        std::future<std::string> address = listening.get_future();
        thread = std::thread([this] { serve(); });
        std::fprintf(stderr, "Debugger listening on %s\n", address.get().c_str());
    }
    void serve() {
        platform::name_this_thread("inspector");
        const auto main = [this](Scope& /*scope*/) -> Future<void> {
            try {
                co_await inspector.serve(
                    [this](std::string address) { listening.set_value(std::move(address)); });
            } catch (const std::system_error&) {
                listening.set_exception(std::current_exception());
            }
        };
        RunOptions options{.name = "inspector"};
        options.handles_signals = false;
        static_cast<void>(run(*platform, main, options));
    }

    platform::SystemClock clock;
    const std::unique_ptr<Platform> platform;
    script::Inspector inspector;
    std::promise<std::string> listening;
    std::thread thread;
};

ScriptInspection::ScriptInspection(script::Script& script, script::System& system,
                                   const RunRequest& request)
    : waits_(request.waits_for_debugger) {
    if (!request.inspect_port) return;
    auto server = std::make_unique<Server>(system, request);
    if (!server->inspector.attach(script)) {
        throw UsageError("--inspect: the engine " + script.engine().version() +
                         " has no debugger: gyre run --engine v8 --inspect");
    }
    try {
        server->start();
    } catch (const std::system_error& error) {
        throw UsageError("--inspect=" + std::to_string(*request.inspect_port) + ": " +
                         error.what());
    }
    server_ = std::move(server);
}

ScriptInspection::~ScriptInspection() = default;

void ScriptInspection::wait_for_client() {
    if (server_ != nullptr && waits_) server_->inspector.wait_for_client();
}

void ScriptInspection::end() {
    server_.reset();
}

}  // namespace gyre::cli
