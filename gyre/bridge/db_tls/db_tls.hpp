// SPDX-License-Identifier: Apache-2.0
// tls_encryption: TLS for connections to PostgreSQL whose URL asks for it.
//
//     db::PoolOptions options;
//     options.encryption = tls::tls_encryption();
//     db::Pool database("postgres://ada:secret@db.example.org/notes?sslmode=verify-full", options);
//
// Thread: one loop's thread.
// Lifetime: shared by the pools that use it.
//
// With sslmode=verify-full the server needs a certificate of a trusted authority for the host of the URL. With
// sslmode=require nothing is verified: only who listens is kept out, not who stands between.
#pragma once

#include <memory>

#include "gyre/db/pool.hpp"
#include "gyre/tls/context.hpp"

namespace gyre::tls {

[[nodiscard]] std::shared_ptr<db::Encryption> tls_encryption(ClientOptions options = {});

}  // namespace gyre::tls
