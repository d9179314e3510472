// SPDX-License-Identifier: Apache-2.0
// CodeCache: keeps the machine code of modules, so that a module is compiled once. Engines take one as an option;
// lang/wasm/disk_cache keeps code on disk.
//
//     class Nothing final : public CodeCache {      // every module is compiled
//         std::optional<std::string> find(std::string_view, std::string_view) override { return {}; }
//         void keep(std::string_view, std::string_view, std::string_view) override {}
//     };
//
// Thread: any; calls may block.
// Lifetime: it outlives the engines that use it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gyre::wasm {

class CodeCache {
public:
    virtual ~CodeCache() = default;
    // The code that was kept for exactly this module by exactly this engine: `engine` says its version and
    // every setting that the code depends on.
    [[nodiscard]] virtual std::optional<std::string> find(std::string_view engine,
                                                          std::string_view module) = 0;
    // Without effect if there is no place for it.
    virtual void keep(std::string_view engine, std::string_view module, std::string_view code) = 0;
};

}  // namespace gyre::wasm
