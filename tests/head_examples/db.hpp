// SPDX-License-Identifier: Apache-2.0
// What the examples of gyre/db take for granted.
#pragma once

#include "gyre/db/pool.hpp"
#include "tests/head_examples/common.hpp"

namespace gyre::db_examples {

extern db::Pool& database;
extern std::string name;
extern std::string_view text;

}  // namespace gyre::db_examples
