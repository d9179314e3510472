// SPDX-License-Identifier: Apache-2.0
// make_driver: the driver of a URL. Throws a DbError if this build has none for it.
#pragma once

#include <memory>

#include "gyre/db/detail/link.hpp"
#include "gyre/db/internal/url.hpp"
#include "gyre/db/pool.hpp"

namespace gyre::db {

// The options outlive the driver.
[[nodiscard]] std::unique_ptr<Driver> make_driver(Url url, const PoolOptions& options);

}  // namespace gyre::db
