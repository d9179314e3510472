// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any text is a script or an error, and a run answered by a script ends.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gyre/base/assert.hpp"
#include "gyre/bridge/effect_json/handler_script.hpp"
#include "gyre/effect/scheduler.hpp"
#include "gyre/effect/scripted_guest.hpp"
#include "gyre/sim/platform.hpp"

using namespace gyre;
using namespace gyre::effect;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Handlers handlers;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto added =
        add_handler_script(handlers, text, {.size_max_bytes = 4'096, .depth_max = 20});
    if (!added) {
        GYRE_ASSERT(handlers.size() == 0, "a script with an error has added handlers");
        GYRE_ASSERT(!added.error().message.empty(), "an error without a message");
        return 0;
    }
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    Executor executor;
    Scheduler scheduler(executor);
    Loop loop(platform, executor);
    ScriptedGuest guest(
        {OpInfo("e", "o", ResumeKind::resume), OpInfo("e", "t", ResumeKind::tail, 31)});
    guest.add("main", {script::perform(0, {1}), script::perform(1, {"x"}), script::perform(0),
                       script::give_last()});
    auto run = scheduler.start(guest, handlers, "main");
    static_cast<void>(loop.run());
    GYRE_ASSERT(run.is_terminal(), "a run that a script answers has not ended");
    GYRE_ASSERT(guest.held_count() == 0, "a continuation is left");
    loop.close();
    return 0;
}
