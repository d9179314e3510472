// SPDX-License-Identifier: Apache-2.0
// Fixture for tests of scripts: a script in virtual time, with files in memory, whose output is
// kept. The engine is that of the module whose tests include it (GYRE_TEST_ENGINE), v8 without
// one. One thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "gyre/sim/platform.hpp"
#include "gyre/sim/virtual_clock.hpp"
#include "lang/script/script.hpp"

#ifndef GYRE_TEST_ENGINE
#    define GYRE_TEST_ENGINE v8
#endif

namespace gyre::script {

namespace GYRE_TEST_ENGINE {
std::unique_ptr<Engine> make_engine(const EngineOptions& options);
}
namespace tested = GYRE_TEST_ENGINE;
#define GYRE_TEST_ENGINE_TEXT(name) #name
#define GYRE_TEST_ENGINE_NAME(name) GYRE_TEST_ENGINE_TEXT(name)
// An interpreter takes longer, above all with sanitizers.
constexpr bool is_interpreted =
    std::string_view(GYRE_TEST_ENGINE_NAME(GYRE_TEST_ENGINE)) == "quickjs";

using namespace std::chrono_literals;

class MemorySystem final : public System {
public:
    std::optional<std::string> read_file(const std::string& path) override {
        const auto found = files.find(path);
        return found == files.end() ? std::nullopt : std::optional(found->second);
    }
    FileKind kind_of(const std::string& path) override {
        if (files.contains(path)) return FileKind::file;
        const auto below = files.lower_bound(path + "/");
        const bool is_folder = below != files.end() && below->first.starts_with(path + "/");
        return is_folder ? FileKind::directory : FileKind::none;
    }
    void write(int stream, std::string_view text) override { (stream == 2 ? err : out) += text; }
    bool fill_random(std::span<std::byte> bytes) override {
        for (std::byte& byte : bytes) byte = std::byte{7};
        return true;
    }

    std::map<std::string, std::string> files;
    std::string out;
    std::string err;
};

struct ScriptWorld {
    sim::VirtualClock clock;
    sim::SimPlatform platform{clock};
    MemorySystem system;
    Script script;
    Loop loop{platform, script.pump()};

    explicit ScriptWorld(ScriptOptions options = {})
        : script(clock, system, with_engine(std::move(options), clock)) {}
    ~ScriptWorld() { loop.close(); }
    ScriptWorld(const ScriptWorld&) = delete;
    ScriptWorld& operator=(const ScriptWorld&) = delete;

    // Runs a text, and gives what it printed.
    std::string run(std::string_view text, bool is_module = false) {
        script.start_text(text, is_module);
        status = script.run(loop);
        return system.out;
    }
    std::string run_file(const std::string& path) {
        script.start_file(path);
        status = script.run(loop);
        return system.out;
    }

    int status = -1;

private:
    static ScriptOptions with_engine(ScriptOptions options, sim::VirtualClock& clock) {
        options.engine = tested::make_engine;
        options.read_time = [&clock] {
            clock.advance(1us);
            return clock.peek();
        };
        return options;
    }
};

}  // namespace gyre::script
