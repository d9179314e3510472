// SPDX-License-Identifier: Apache-2.0
#include "lang/script/db/db.hpp"

#include <array>
#include <utility>

#include "lang/script/db/internal/databases.hpp"
#include "lang/script/internal/bind_native.hpp"
#include "lang/script/world/world.hpp"

namespace gyre::script {

struct ScriptDb::Parts {
    Parts(Script& script, World& world, ScriptDbOptions options)
        : databases(script, world.executor(), std::move(options)) {
        script.add_natives(natives);
    }

    Databases databases;
    std::array<Native, 6> natives = {
        Native{"dbOpen", &bind<Databases, &Databases::open>, &databases},
        Native{"dbRun", &bind<Databases, &Databases::run>, &databases},
        Native{"dbCancel", &bind<Databases, &Databases::cancel>, &databases},
        Native{"dbBegin", &bind<Databases, &Databases::begin>, &databases},
        Native{"dbEnd", &bind<Databases, &Databases::end>, &databases},
        Native{"dbClose", &bind<Databases, &Databases::close>, &databases}};
};

ScriptDb::ScriptDb(Script& script, World& world, ScriptDbOptions options)
    : parts_(std::make_unique<Parts>(script, world, std::move(options))) {}
ScriptDb::~ScriptDb() = default;

}  // namespace gyre::script
