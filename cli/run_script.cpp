// SPDX-License-Identifier: Apache-2.0
// gyre run FILE.js: one script on one loop, with its limits.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "cli/run.hpp"
#include "cli/script_system.hpp"
#include "cli/usage.hpp"
#include "gyre/app/program.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/sim/virtual_clock.hpp"
#include "lang/script/script.hpp"
#include "lang/script/v8/engine.hpp"

namespace gyre::cli {
namespace {

// Each reading of the virtual clock by a script moves it, so that a script that spins on it ends.
constexpr Duration step_per_read = std::chrono::microseconds(1);

// Stops a script after a real time. The thread ends with the object.
class TimeLimit {
public:
    TimeLimit(script::Script& script, std::optional<Duration> limit) {
        if (!limit) return;
        thread_ = std::thread([this, &script, limit = *limit] {
            std::unique_lock lock(mutex_);
            if (!ended_.wait_for(lock, limit, [this] { return is_over_; })) {
                script.stop(script::Stop::time_limit);
            }
        });
    }
    ~TimeLimit() {
        {
            const std::lock_guard lock(mutex_);
            is_over_ = true;
        }
        ended_.notify_all();
        if (thread_.joinable()) thread_.join();
    }
    TimeLimit(const TimeLimit&) = delete;
    TimeLimit& operator=(const TimeLimit&) = delete;

private:
    std::mutex mutex_;
    std::condition_variable ended_;
    bool is_over_ = false;
    std::thread thread_;
};

script::EngineFactory engine_of(const RunRequest& request) {
    if (request.engine.empty() || request.engine == "v8") return script::v8::make_engine;
    throw UsageError("there is no engine " + request.engine);
}

script::ScriptOptions options_of(const RunRequest& request, Program& program) {
    script::ScriptOptions options{
        .engine = engine_of(request),
        .order = request.order == "js2il" ? job::Profile::js2il : job::Profile::node,
        .memory_limit_bytes = request.memory_limit_bytes,
        .seed = request.seed,
        .arguments = request.arguments,
        .unhandled_rejections = request.unhandled_rejections};
    if (request.wants_steps) {
        options.on_step = [](std::string_view line) {
            std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
        };
    }
    if (auto* clock = dynamic_cast<sim::VirtualClock*>(&program.clock())) {
        options.read_time = [clock] {
            clock->advance(step_per_read);
            return clock->peek();
        };
    }
    return options;
}

void start_script(script::Script& script, ScriptSystem& system, const RunRequest& request) {
    const bool is_module = request.input_type == "module";
    if (!request.eval.empty()) return script.start_text(request.eval, is_module);
    if (request.file == "-") return script.start_text(system.read_all_input(), is_module);
    script.start_file(request.file);
}

}  // namespace

ExitCode run_script(const RunRequest& request) {
    ProgramOptions made{.trace = request.trace};
    made.platform = request.has_virtual_clock ? "sim" : std::string_view(request.platform);
    made.seed = request.seed;
    Program program(made);
    ScriptSystem system;
    script::Script script(program.clock(), system, options_of(request, program));
    Loop loop(program.platform(), script.pump(), program.loop_options());
    int status = 0;
    {
        const TimeLimit limit(script, request.time_limit);
        start_script(script, system, request);
        status = script.run(loop);
    }
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
