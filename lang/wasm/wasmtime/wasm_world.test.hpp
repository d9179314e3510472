// SPDX-License-Identifier: Apache-2.0
// Fixture for tests of WebAssembly guests: an engine, a scheduler in virtual time, and the frames that were exchanged.
// One thread.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "gyre/effect/effect_world.test.hpp"
#include "lang/wasm/guest.hpp"
#include "lang/wasm/wasmtime/wasmtime.hpp"

namespace gyre::wasm {

using effect::Arguments;
using effect::ErrorKind;
using effect::Lines;
using effect::RunEndKind;
using effect::RunOutcome;
using effect::Value;

inline Engine& test_engine() {
    static const std::unique_ptr<Engine> engine = make_wasmtime();
    return *engine;
}

// A file of tests/wasm.
inline std::string wasm_file(const std::string& name) {
    std::string path(GYRE_WASM_FILES);
    path.append("/").append(name);
    std::ifstream file(path);
    EXPECT_TRUE(file) << name;
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

inline std::string hex_of(std::string_view bytes) {
    std::string out;
    for (const char c : bytes) {
        const auto code = static_cast<unsigned char>(c);
        out += "0123456789abcdef"[code >> 4u];
        out += "0123456789abcdef"[code & 15u];
    }
    return out;
}

struct WasmWorld {
    effect::EffectWorld world;
    std::shared_ptr<const Program> program;
    Lines frames;  // `> 940200` into the guest, `< 99` out of it
    WasmGuest guest;

    explicit WasmWorld(std::string_view module, GuestOptions options = {})
        : program(Program::read(test_engine().compile(module))),
          guest(program, with_frames(std::move(options))) {}
    ~WasmWorld() { world.loop.close(); }

    GuestOptions with_frames(GuestOptions options) {
        options.on_frame = [this](FrameDirection direction, std::string_view frame) {
            frames.push_back((direction == FrameDirection::into_guest ? "> " : "< ") +
                             hex_of(frame));
        };
        return options;
    }
    RunOutcome<Value> run(std::string_view entry = "main", Arguments arguments = {}) {
        return world.run(guest, entry, std::move(arguments));
    }
};

}  // namespace gyre::wasm
