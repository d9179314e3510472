// SPDX-License-Identifier: Apache-2.0
// In a build without gyre/db Vela has no system:db, and scripts have no gyre:db.
#include "cli/script_db.hpp"
#include "cli/vela_host.hpp"

namespace gyre::cli {

const vela::vm::NativeLibrary* vela_db_library() {
    return nullptr;
}

std::shared_ptr<void> add_script_db(script::Script& /*script*/, script::World& /*world*/) {
    return nullptr;
}

}  // namespace gyre::cli
