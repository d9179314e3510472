// SPDX-License-Identifier: Apache-2.0
// ScriptDb: gives a script the module gyre:db, on gyre's databases.
//
//     script::World world(program, executor);
//     script::ScriptDb databases(program, world);
//
// Thread: the script's.
// Lifetime: made after the World and before the loop; destroyed after the loop and before the World.
//
// In a sandbox (System::permissions) a file of SQLite needs a permitted folder, and its statements open no
// other files; a server needs a permitted host.
#pragma once

#include <functional>
#include <memory>

#include "gyre/db/pool.hpp"

namespace gyre::script {

class Script;
class World;

struct ScriptDbOptions {
    // For URLs that ask for TLS; empty: these are refused.
    std::function<std::shared_ptr<db::Encryption>()> encryption = {};
};

class ScriptDb {
public:
    ScriptDb(Script& script, World& world, ScriptDbOptions options = {});
    ~ScriptDb();
    ScriptDb(const ScriptDb&) = delete;
    ScriptDb& operator=(const ScriptDb&) = delete;

private:
    struct Parts;
    const std::unique_ptr<Parts> parts_;
};

}  // namespace gyre::script
