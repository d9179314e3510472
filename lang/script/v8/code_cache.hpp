// SPDX-License-Identifier: Apache-2.0
// The compiled code of the host library, kept from an earlier program: an engine that has it starts
// without compiling the library's text. V8 checks the code (its version, its flags, the length of
// the text, a checksum) and compiles the text where it does not fit, so that a code cache can make
// a start faster, and nothing else. `gyre` has one compiled in (cli/script_cache.cpp makes it).
//
//     static constexpr std::uint8_t base_code[] = {0xde, 0xc0};  // from recorded_code, by a build step
//     static constexpr script::v8::CodeCache cache[] = {{"base", base_code}};
//     script::v8::use_code_cache(cache);  // once, before the first engine
//
// Thread: use_code_cache before any thread makes an engine; the others on the thread of their engine.
// Lifetime: the data of a cache outlives all engines.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lang/script/engine.hpp"

namespace gyre::script::v8 {

// The code of a file of the library, by its name.
struct CodeCache {
    std::string_view file;
    std::span<const std::uint8_t> code;
};

void use_code_cache(std::span<const CodeCache> cache) noexcept;

// An engine that keeps what it compiles of the library for recorded_code.
[[nodiscard]] std::unique_ptr<Engine> make_recording_engine(const EngineOptions& options);

// The names of the files that a recording engine has run, with their code: also of those functions
// inside of them that have run so far.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> recorded_code(Engine& engine);

}  // namespace gyre::script::v8
