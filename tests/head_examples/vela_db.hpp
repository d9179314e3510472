// SPDX-License-Identifier: Apache-2.0
// What the examples of lang/vela/run/db take for granted.
#pragma once

#include <memory>

#include "lang/vela/lower/lower.hpp"
#include "lang/vela/run/db/db_support.hpp"
#include "lang/vela/run/run.hpp"

namespace gyre::vela_db_examples {

extern decltype(vela::DbSupport::encryption) my_encryption;
extern std::unique_ptr<vela::Lowered> lowered;
extern vela::RunHost& host;

}  // namespace gyre::vela_db_examples
