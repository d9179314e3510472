// SPDX-License-Identifier: Apache-2.0
// DiskCache: machine code of modules in a directory of the user. An entry is native code that the engine will run, so
// it is used only if the directory and the file belong to the user, nobody else may write them, and its checksum
// is right.
//
//     std::unique_ptr<DiskCache> cache = DiskCache::open("/home/me/.cache/gyre/modules");
//     std::unique_ptr<Engine> engine = make_wasmtime({.cache = cache.get()});     // null: compile each time
//
// Thread: any; several processes may share a directory. Calls block on the disk.
// Lifetime: it outlives the engines that use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gyre/platform/private_folder.hpp"
#include "lang/wasm/code_cache.hpp"

namespace gyre::wasm {

struct DiskCacheLimits {
    std::uint64_t size_max_bytes = std::uint64_t{512} << 20u;  // of all entries
    std::size_t entry_count_max = 10'000;
};

class DiskCache final : public CodeCache {
public:
    using Limits = DiskCacheLimits;

    // Null if the directory cannot be made or is not the user's alone.
    [[nodiscard]] static std::unique_ptr<DiskCache> open(const std::string& path,
                                                         Limits limits = {});

    [[nodiscard]] std::optional<std::string> find(std::string_view engine,
                                                  std::string_view module) override;
    // Removes the least recently used entries until the new one fits. An entry that is larger than the whole
    // cache is not kept, nor any if the disk is full or read-only.
    void keep(std::string_view engine, std::string_view module, std::string_view code) override;

private:
    DiskCache(platform::PrivateFolder folder, Limits limits) noexcept
        : folder_(std::move(folder)), limits_(limits) {}
    [[nodiscard]] bool make_room(std::uint64_t size_bytes, std::string_view for_name) const;

    platform::PrivateFolder folder_;
    const Limits limits_;
};

}  // namespace gyre::wasm
