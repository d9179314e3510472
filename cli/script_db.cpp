// SPDX-License-Identifier: Apache-2.0
#include "cli/script_db.hpp"

#include "gyre/bridge/db_tls/db_tls.hpp"
#include "lang/script/db/db.hpp"

namespace gyre::cli {

std::shared_ptr<void> add_script_db(script::Script& script, script::World& world) {
    return std::make_shared<script::ScriptDb>(
        script, world, script::ScriptDbOptions{.encryption = [] { return tls::tls_encryption(); }});
}

}  // namespace gyre::cli
