// SPDX-License-Identifier: Apache-2.0
#include "lang/script/world/world.hpp"

#include <array>
#include <cstdint>
#include <string>

#include "gyre/kernel/loop.hpp"
#include "gyre/task/core/executor.hpp"
#include "lang/script/internal/bind_native.hpp"
#include "lang/script/script.hpp"
#include "lang/script/world/internal/children.hpp"
#include "lang/script/world/internal/files.hpp"
#include "lang/script/world/internal/sockets.hpp"
#include "lang/script/world/internal/watching.hpp"

namespace gyre::script {

// What a script awaits of the outside are tasks of the executor. It is the app, because ops of a
// child would need a destination each, and the pump is its child.
struct World::Parts {
    Parts(Script& script, Executor& of)
        : executor(of),
          files(script, executor),
          children(script, executor),
          watches(script, executor),
          sockets(script, executor) {
        executor.add_child(script.pump());
        script.add_natives(natives);
    }

    Executor& executor;
    ScriptFiles files;
    ScriptChildren children;
    ScriptWatches watches;
    ScriptSockets sockets;
    // loopStats(): numbers of the loop, as a JSON list.
    void loop_stats(NativeCall& call) {
        const Loop& loop = executor.loop();
        const std::uint64_t numbers[] = {loop.turn_count(),
                                         loop.sleep_count(),
                                         static_cast<std::uint64_t>(loop.idle_time().count()),
                                         loop.ops_in_flight(),
                                         loop.ops_in_foreground(),
                                         loop.op_count(),
                                         loop.timer_count()};
        std::string made = "[";
        for (const std::uint64_t number : numbers) {
            made.append(made.size() > 1 ? "," : "").append(std::to_string(number));
        }
        call.give_text(made + "]");
    }

    std::array<Native, 26> natives = {
        Native{"loopStats", &bind<Parts, &Parts::loop_stats>, this},
        Native{"fsNow", &bind<ScriptFiles, &ScriptFiles::run_now>, &files},
        Native{"fsStart", &bind<ScriptFiles, &ScriptFiles::start>, &files},
        Native{"fsTake", &bind<ScriptFiles, &ScriptFiles::take>, &files},
        Native{"childStart", &bind<ScriptChildren, &ScriptChildren::start>, &children},
        Native{"childRun", &bind<ScriptChildren, &ScriptChildren::run>, &children},
        Native{"childTake", &bind<ScriptChildren, &ScriptChildren::take>, &children},
        Native{"childKill", &bind<ScriptChildren, &ScriptChildren::kill>, &children},
        Native{"childRefer", &bind<ScriptChildren, &ScriptChildren::refer>, &children},
        Native{"watchStart", &bind<ScriptWatches, &ScriptWatches::start>, &watches},
        Native{"watchStop", &bind<ScriptWatches, &ScriptWatches::stop>, &watches},
        Native{"netOpen", &bind<ScriptSockets, &ScriptSockets::open>, &sockets},
        Native{"netAdopt", &bind<ScriptSockets, &ScriptSockets::adopt>, &sockets},
        Native{"netPair", &bind<ScriptSockets, &ScriptSockets::pair>, &sockets},
        Native{"netInherit", &bind<ScriptSockets, &ScriptSockets::inherit>, &sockets},
        Native{"netConnect", &bind<ScriptSockets, &ScriptSockets::connect>, &sockets},
        Native{"netListen", &bind<ScriptSockets, &ScriptSockets::listen>, &sockets},
        Native{"netRead", &bind<ScriptSockets, &ScriptSockets::read>, &sockets},
        Native{"netTake", &bind<ScriptSockets, &ScriptSockets::take>, &sockets},
        Native{"netWrite", &bind<ScriptSockets, &ScriptSockets::write>, &sockets},
        Native{"netFinish", &bind<ScriptSockets, &ScriptSockets::finish>, &sockets},
        Native{"netClose", &bind<ScriptSockets, &ScriptSockets::close>, &sockets},
        Native{"netAddress", &bind<ScriptSockets, &ScriptSockets::address>, &sockets},
        Native{"netOption", &bind<ScriptSockets, &ScriptSockets::option>, &sockets},
        Native{"netRefer", &bind<ScriptSockets, &ScriptSockets::refer>, &sockets},
        Native{"netUnsent", &bind<ScriptSockets, &ScriptSockets::unsent>, &sockets}};
};

World::World(Script& script, Executor& executor)
    : parts_(std::make_unique<Parts>(script, executor)) {}
World::~World() = default;

Executor& World::executor() noexcept {
    return parts_->executor;
}

}  // namespace gyre::script
