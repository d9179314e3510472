// SPDX-License-Identifier: Apache-2.0
// Limits: what a server may make this program hold. Beyond one of them the error is a DbError (limit)
// that names it.
//
//     db::PoolOptions options;
//     options.limits.rows_bytes_max = 1 << 20;
//
// Thread: a value.
// Lifetime: a value.
#pragma once

#include <cstddef>

namespace gyre::db {

struct Limits {
    // One message of the server: a row, an error. The connection ends.
    std::size_t message_bytes_max = std::size_t{64} * 1024 * 1024;
    // All rows of an answer that is not streamed. The statement fails, the connection stays.
    std::size_t rows_bytes_max = std::size_t{256} * 1024 * 1024;
    // Rows of a stream, and data of a copy, that wait for their reader.
    std::size_t stream_bytes_max = std::size_t{256} * 1024;
    // Requests of one connection that wait for their answers.
    std::size_t pipelined_max = 1024;
    // Statements that a connection keeps prepared; the one used longest ago makes room.
    std::size_t statements_max = 256;
    // Notifications that wait for their reader. The connection ends: one that was dropped in silence
    // would be worse.
    std::size_t notifications_max = 4096;
};

}  // namespace gyre::db
