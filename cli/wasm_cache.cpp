// SPDX-License-Identifier: Apache-2.0
#include "cli/wasm_cache.hpp"

#include <cstdlib>
#include <string>

#include "lang/wasm/disk_cache/disk_cache.hpp"

namespace gyre::cli {
namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// Empty: nowhere.
std::string cache_folder() {
    if (const std::string own = variable("GYRE_CACHE"); !own.empty()) return own;
    // As the XDG specification says, a relative path is not used.
    if (const std::string caches = variable("XDG_CACHE_HOME"); caches.starts_with('/')) {
        return caches + "/gyre";
    }
    const std::string home = variable("HOME");
    return home.empty() ? "" : home + "/.cache/gyre";
}

}  // namespace

std::unique_ptr<wasm::CodeCache> open_wasm_cache() {
    const std::string folder = cache_folder();
    if (folder.empty()) return nullptr;
    return wasm::DiskCache::open(folder + "/modules");
}

}  // namespace gyre::cli
