// SPDX-License-Identifier: Apache-2.0
// gyre run FILE.js: one script on one loop, with its limits.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>

#include "cli/run.hpp"
#include "cli/script_db.hpp"
#include "cli/script_effects.hpp"
#include "cli/script_http.hpp"
#include "cli/script_inspect.hpp"
#include "cli/script_system.hpp"
#include "cli/script_worker.hpp"
#include "cli/simulated_faults.hpp"
#include "cli/time_limit.hpp"
#include "gyre/app/program.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/sim/host.hpp"
#include "gyre/sim/virtual_clock.hpp"
#include "gyre/task/core/executor.hpp"
#include "lang/script/actors/actors.hpp"
#include "lang/script/sandbox.hpp"
#include "lang/script/script.hpp"
#include "lang/script/world/world.hpp"

namespace gyre::cli {
namespace {

script::ScriptOptions options_of(const RunRequest& request, Program& program,
                                 const LoopOptions& loop_options) {
    script::ScriptOptions options = common_options(request);
    options.arguments = request.arguments;
    options.traces_jobs = loop_options.observer != nullptr;
    if (request.wants_steps) {
        options.on_step = [](std::string_view line) {
            std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
        };
    }
    if (auto* clock = dynamic_cast<sim::VirtualClock*>(&program.clock())) {
        options.read_time = [clock] {
            clock->advance(clock_step);
            return clock->peek();
        };
        if (sim::Host::current() != nullptr) {
            options.read_wall_clock = [clock] {
                clock->advance(clock_step);
                return sim::unix_nanoseconds();
            };
        }
    }
    return options;
}

void start_script(script::Script& script, ScriptSystem& system, const RunRequest& request) {
    const bool is_module = request.input_type == "module";
    if (!request.effects_module.empty()) return script.start_text(effects_main(request), true);
    if (request.prints_value) return script.start_print(request.eval);
    if (!request.eval.empty()) return script.start_text(request.eval, is_module);
    if (request.file == "-") return script.start_text(system.read_all_input(), is_module);
    // Absolute: a sandbox has a working directory of its own.
    script.start_file(std::filesystem::absolute(request.file).string());
}

}  // namespace

ExitCode run_script(const RunRequest& request) {
    ProgramOptions made{.trace = request.trace};
    made.platform = request.has_virtual_clock ? "sim" : std::string_view(request.platform);
    made.seed = request.seed;
    Program program(made);
    const SimulatedFaults faults(request, program);
    ScriptSystem system;
    const LoopOptions loop_options = program.loop_options();
    std::optional<script::Sandbox> sandbox;
    script::System& seen = confined(system, sandbox, request);
    Executor executor;
    script::Script script(program.clock(), seen, options_of(request, program, loop_options));
    script::World world(script, executor);
    const script::ScriptActors actors(script, world);
    faults.add_points(script);
    const std::shared_ptr<void> http = add_script_http(script, world, request.has_virtual_clock);
    const std::shared_ptr<void> databases = add_script_db(script, world);
    const std::shared_ptr<void> effects = add_script_effects(script, executor, program, request);
    script::Threads threads(script, worker_options(request));
    ScriptInspection inspection(script, seen, request);
    Loop loop(program.platform(), executor, loop_options);
    int status = 0;
    {
        const TimeLimit limit(request.time_limit,
                              [&script] { script.stop(script::Stop::time_limit); });
        start_script(script, system, request);
        inspection.wait_for_client();
        status = script.run(loop);
    }
    inspection.end();
    system.abandon_input();
    loop.close();
    switch (script.why_stopped()) {
        case script::Stop::time_limit:
            std::fputs("gyre run: the script passed its time limit (--time-limit)\n", stderr);
            break;
        case script::Stop::memory_limit:
            std::fputs("gyre run: the script passed its memory limit (--memory-limit)\n", stderr);
            break;
        default:
            break;
    }
    if (!system.output_failure().empty()) {
        throw std::runtime_error("cannot write to standard output: " + system.output_failure());
    }
    return static_cast<ExitCode>(status);
}

}  // namespace gyre::cli
