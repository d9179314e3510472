// SPDX-License-Identifier: Apache-2.0
// check_payload: the one place that knows payload_bytes_max.
#pragma once

#include <cstddef>
#include <string>

#include "gyre/durable/error.hpp"
#include "gyre/durable/store.hpp"

namespace gyre::durable {

// Throws a DurableError (limit) that names what is too large.
inline void check_payload(const StoreOptions& options, std::size_t size, const std::string& what) {
    if (size <= options.payload_bytes_max) return;
    throw DurableError(DurableError::Kind::limit, what + " takes " + std::to_string(size) +
                                                      " bytes, and payload_bytes_max is " +
                                                      std::to_string(options.payload_bytes_max));
}

}  // namespace gyre::durable
