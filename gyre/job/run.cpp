// SPDX-License-Identifier: Apache-2.0
#include "gyre/job/run.hpp"

namespace gyre::job {

Loop::End run_to_exit(Loop& loop, Pump& pump) {
    do {
        const Loop::End end = loop.run();
        if (end != Loop::End::idle) return end;
        pump.before_exit();
        // What it put out is on its way; only then is it clear whether the loop lives.
        while (loop.has_ready_work() && !pump.has_life()) loop.turn();
    } while (loop.is_alive());
    pump.exit();
    return Loop::End::idle;
}

}  // namespace gyre::job
