// SPDX-License-Identifier: Apache-2.0
// World: gives a script the files of its loop's platform: the module `fs`. Calls that a script
// awaits run on a file thread of the Offload; the calls with names in Sync block the loop.
//
//     Executor executor;
//     script::Script program(clock, system, {.engine = script::v8::make_engine});
//     script::World world(program, executor);
//     Loop loop(platform, executor, {.offload = &pools});
//
// Thread: the script's.
// Lifetime: the executor, the app of the loop, outlives the script, whose pump becomes its child.
// Made after both and before the loop; destroyed after the loop and before them.
//
// In a sandbox (System::permissions) each path is confined to the permitted folders, and a relative
// path begins at System::directory. A script can use descriptors that it has opened itself, and
// those of standard input and output.
#pragma once

#include <memory>

namespace gyre {
class Executor;
}

namespace gyre::script {

class Script;

class World {
public:
    World(Script& script, Executor& executor);
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    // Of the tasks that a script awaits.
    [[nodiscard]] Executor& executor() noexcept;

private:
    struct Parts;
    const std::unique_ptr<Parts> parts_;
};

}  // namespace gyre::script
