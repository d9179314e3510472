// SPDX-License-Identifier: Apache-2.0
// system:http of Vela programs, with TLS.
#include "cli/https.hpp"
#include "cli/vela_host.hpp"
#include "lang/vela/run/http/http_support.hpp"

namespace gyre::cli {

const vela::vm::NativeLibrary* vela_http_library() {
    static const std::shared_ptr<const vela::vm::NativeLibrary> library =
        vela::make_http_library({.connector = make_connector_of, .encrypt = encrypt_with});
    return library.get();
}

}  // namespace gyre::cli
