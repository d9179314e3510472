// SPDX-License-Identifier: Apache-2.0
// gyre:db for the scripts of gyre run; in a build without gyre/db, without_db.cpp leaves it out. The script's thread.
#pragma once

#include <memory>

namespace gyre::script {
class Script;
class World;
}  // namespace gyre::script

namespace gyre::cli {

// Made before the loop; what it returns is destroyed after the loop.
[[nodiscard]] std::shared_ptr<void> add_script_db(script::Script& script, script::World& world);

}  // namespace gyre::cli
