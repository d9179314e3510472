// SPDX-License-Identifier: Apache-2.0
// fetch and gyre:http for the scripts of gyre run; in a build without gyre/http, without_http.cpp
// leaves them out. The script's thread.
#pragma once

#include <memory>

namespace gyre::script {
class Script;
class World;
}  // namespace gyre::script

namespace gyre::cli {

// Made before the loop; what it returns is destroyed after the loop. The system's time, for the Date
// field of responses, is not for virtual time.
[[nodiscard]] std::shared_ptr<void> add_script_http(script::Script& script, script::World& world,
                                                    bool has_virtual_clock);

}  // namespace gyre::cli
