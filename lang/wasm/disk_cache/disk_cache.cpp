// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/disk_cache/disk_cache.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "lang/wasm/disk_cache/internal/cache_entry.hpp"

namespace gyre::wasm {
namespace {

// More names than any cache of ours can have left.
constexpr std::size_t listed_max = 1'000'000;

}  // namespace

std::unique_ptr<DiskCache> DiskCache::open(const std::string& path, Limits limits) {
    Result<platform::PrivateFolder> folder = platform::PrivateFolder::open(path);
    if (!folder) return nullptr;
    return std::unique_ptr<DiskCache>(new DiskCache(std::move(*folder), limits));
}

std::optional<std::string> DiskCache::find(std::string_view engine, std::string_view module) {
    const CacheHash key = cache_key(engine, module);
    const std::string name = cache_file_name(key);
    const auto size_max = static_cast<std::size_t>(
        std::min<std::uint64_t>(limits_.size_max_bytes, std::numeric_limits<std::size_t>::max()));
    Result<std::string> entry = folder_.read(name, size_max);
    if (!entry) return std::nullopt;
    const std::optional<std::string_view> code = read_cache_entry(*entry, key);
    if (!code) {
        static_cast<void>(folder_.remove(name));  // damaged: the next compilation replaces it
        return std::nullopt;
    }
    entry->resize(code->size());  // it is at the beginning
    return std::move(*entry);
}

void DiskCache::keep(std::string_view engine, std::string_view module, std::string_view code) {
    const CacheHash key = cache_key(engine, module);
    const std::string name = cache_file_name(key);
    const std::string entry = write_cache_entry(key, code);
    if (!make_room(entry.size(), name)) return;
    static_cast<void>(folder_.write(name, entry));  // a full disk: run without
}

// Counts every file of the directory: also what an interrupted write has left goes when it is the oldest.
bool DiskCache::make_room(std::uint64_t size_bytes, std::string_view for_name) const {
    if (size_bytes > limits_.size_max_bytes || limits_.entry_count_max == 0) return false;
    Result<std::vector<platform::PrivateFolder::File>> files = folder_.list(listed_max);
    if (!files) return false;
    std::erase_if(*files, [for_name](const auto& file) { return file.name == for_name; });
    std::uint64_t total = size_bytes;
    for (const auto& file : *files) total += file.size_bytes;
    std::size_t count = files->size() + 1;
    for (const auto& file : *files) {
        if (total <= limits_.size_max_bytes && count <= limits_.entry_count_max) break;
        const Result<void> removed = folder_.remove(file.name);
        const bool is_gone =
            removed || removed.error().code() == std::errc::no_such_file_or_directory;
        if (!is_gone) return false;
        total -= file.size_bytes;
        --count;
    }
    return true;
}

}  // namespace gyre::wasm
