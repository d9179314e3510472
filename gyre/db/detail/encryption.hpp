// SPDX-License-Identifier: Apache-2.0
// Encryption: TLS for connections to PostgreSQL; gyre/bridge/db_tls has one.
//
//     db::PoolOptions options;
//     options.encryption = db::tls_encryption();
//
// Thread: one loop's thread.
// Lifetime: outlives the connections that it made.
#pragma once

#include <memory>
#include <string>

#include "gyre/net/connection.hpp"
#include "gyre/task/core/future.hpp"

namespace gyre::db {

class Encryption {
public:
    virtual ~Encryption() = default;
    // The handshake of a client. If `verifies`, the server has a certificate for that host.
    [[nodiscard]] virtual Future<std::unique_ptr<net::ByteStream>> secure(net::Connection below,
                                                                          std::string host,
                                                                          bool verifies) = 0;
};

}  // namespace gyre::db
