// SPDX-License-Identifier: Apache-2.0
// read_server_error: the body of an ErrorResponse as a DbError.
#pragma once

#include "gyre/db/error.hpp"
#include "gyre/db/internal/postgres/frames.hpp"

namespace gyre::db::postgres {

struct ServerError {
    DbError error;
    bool is_fatal = false;  // the server closes the connection
};
[[nodiscard]] ServerError read_server_error(const Frame& frame);

}  // namespace gyre::db::postgres
