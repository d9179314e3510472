// SPDX-License-Identifier: Apache-2.0
#include "cli/script_worker.hpp"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "cli/permissions.hpp"
#include "cli/script_db.hpp"
#include "cli/script_engines.hpp"
#include "cli/script_http.hpp"
#include "cli/script_system.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/process.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/platform/thread.hpp"
#include "gyre/pool/pools.hpp"
#include "gyre/task/core/executor.hpp"
#include "lang/script/actors/actors.hpp"
#include "lang/script/world/world.hpp"

namespace gyre::cli {
namespace {

int run_worker(script::Worker& worker, const RunRequest& request) {
    platform::name_this_thread("worker");
    platform::SystemClock clock;
    const std::unique_ptr<Platform> platform = make_thread_platform(request, clock);
    pool::Pools pools({.name_thread = platform::name_this_thread,
                       .clock = &clock,
                       .process_id = platform::process_generation});
    ScriptSystem outside;
    script::WorkerSystem system(outside, worker);
    std::optional<script::Sandbox> sandbox;
    script::ScriptOptions options = common_options(request);
    options.arguments = worker.order().arguments;
    if (worker.order().memory_limit_bytes != 0) {
        options.memory_limit_bytes = worker.order().memory_limit_bytes;
    }
    options.stack_limit_bytes = worker.order().stack_limit_bytes;
    options.young_limit_bytes = worker.order().young_limit_bytes;
    Executor executor;
    script::Script script(clock, confined(system, sandbox, request), std::move(options));
    script::World world(script, executor);
    const script::ScriptActors actors(script, world);
    const std::shared_ptr<void> http = add_script_http(script, world, false);
    const std::shared_ptr<void> databases = add_script_db(script, world);
    script::Threads threads(script, worker_options(request, &worker));
    Loop loop(*platform, executor, {.offload = &pools});
    worker.start(script);
    const int status = worker.run(script, loop);
    loop.close();
    return status;
}

}  // namespace

std::unique_ptr<Platform> make_thread_platform(const RunRequest& request, Clock& clock) {
    const char* given = std::getenv("GYRE_PLATFORM");
    std::string name = request.platform;
    if (name.empty()) name = given == nullptr || *given == '\0' ? "best" : given;
    auto made = platform::make_platform(clock, name);
    if (!made) made = platform::make_platform(clock, "best");
    if (!made) throw std::runtime_error(made.error().message);
    return std::move(*made);
}

script::ScriptOptions common_options(const RunRequest& request) {
    return {.engine = script_engine(request.engine),
            .order = request.order == "js2il" ? job::Profile::js2il : job::Profile::node,
            .memory_limit_bytes = request.memory_limit_bytes,
            .seed = request.seed,
            .unhandled_rejections = request.unhandled_rejections};
}

script::System& confined(script::System& system, std::optional<script::Sandbox>& sandbox,
                         const RunRequest& request) {
    if (!request.is_sandboxed && request.allowed.empty()) return system;
    sandbox.emplace(system, read_permissions(request.allowed));
    const bool has_file = request.eval.empty() && request.file != "-";
    if (has_file) sandbox->add_program(std::filesystem::absolute(request.file).string());
    return *sandbox;
}

script::ThreadOptions worker_options(const RunRequest& request, script::Worker* self) {
    script::ThreadOptions options{.self = self};
    if (request.has_virtual_clock) {
        options.why_no_workers =
            "gyre has no workers in virtual time (--clock virtual): threads have no order there";
    } else {
        options.run_worker = [&request](script::Worker& worker) {
            return run_worker(worker, request);
        };
    }
    return options;
}

}  // namespace gyre::cli
