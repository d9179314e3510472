// SPDX-License-Identifier: Apache-2.0
// system:db of Vela programs, with TLS.
#include "cli/vela_host.hpp"
#include "gyre/bridge/db_tls/db_tls.hpp"
#include "lang/vela/run/db/db_support.hpp"

namespace gyre::cli {

const vela::vm::NativeLibrary* vela_db_library() {
    static const std::shared_ptr<const vela::vm::NativeLibrary> library =
        vela::make_db_library({.encryption = [] { return tls::tls_encryption(); }});
    return library.get();
}

}  // namespace gyre::cli
