// SPDX-License-Identifier: Apache-2.0
#include "cli/sql.hpp"
#include "gyre/bridge/db_tls/db_tls.hpp"

namespace gyre::cli {

std::shared_ptr<db::Encryption> make_sql_encryption() {
    return tls::tls_encryption();
}

}  // namespace gyre::cli
