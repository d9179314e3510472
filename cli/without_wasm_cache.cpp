// SPDX-License-Identifier: Apache-2.0
// In a build without lang/wasm/disk_cache every module is compiled.
#include "cli/wasm_cache.hpp"

namespace gyre::cli {

std::unique_ptr<wasm::CodeCache> open_wasm_cache() {
    return nullptr;
}

}  // namespace gyre::cli
