// SPDX-License-Identifier: Apache-2.0
// In a build without gyre/db Vela has no system:db.
#include "cli/vela_host.hpp"

namespace gyre::cli {

const vela::vm::NativeLibrary* vela_db_library() {
    return nullptr;
}

}  // namespace gyre::cli
