// SPDX-License-Identifier: Apache-2.0
#include "gyre/app/program.hpp"

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "gyre/app/internal/environment.hpp"
#include "gyre/app/run.hpp"
#include "gyre/app/runtime.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/process.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/platform/thread.hpp"
#include "gyre/pool/pools.hpp"
#include "gyre/sim/host.hpp"
#include "gyre/task/core/detail/blocking_watch.hpp"
#include "gyre/trace/trace.hpp"

namespace gyre {
namespace {

void say(std::string_view text) {
    std::fprintf(stderr, "gyre: %.*s", static_cast<int>(text.size()), text.data());
}

std::unique_ptr<Platform> make_or_throw(Clock& clock, std::string_view name) {
    auto made = platform::make_platform(clock, name);
    if (made) return std::move(*made);
    throw StartError(made.error().error, made.error().message);
}

}  // namespace

// Made in this order, and destroyed in the reverse: the loops use all of it.
struct Program::Parts {
    explicit Parts(const ProgramOptions& options)
        : run(options.run),
          loop_count(options.loops == 0 ? platform::usable_cores() : options.loops),
          peers(loop_count) {
        check_log_variable();
        const bool is_from_environment = options.platform.empty();
        std::string wanted(options.platform);
        if (is_from_environment) wanted = host != nullptr ? "sim" : platform_from_environment();
        if (wanted == "sim") {
            make_simulation(options.seed);
        } else {
            make_system(wanted, is_from_environment);
        }
        open_trace(std::string(options.trace));
        if (run.loop.observer == nullptr) run.loop.observer = observer_of(run.loop.thread_id);
    }

    void make_simulation(std::optional<std::uint64_t> seed) {
        auto made = make_computer(seed);
        simulation = made.get();
        if (run.loop.offload == nullptr) run.loop.offload = &simulation->offload();
        platform = std::move(made);
    }

    std::unique_ptr<sim::SimPlatform> make_computer(std::optional<std::uint64_t> seed) {
        if (host != nullptr) return host->make_platform();
        if (!seed) seed = seed_from_environment();
        return std::make_unique<sim::SimPlatform>(virtual_clock,
                                                  sim::SimOptions{.seed = seed.value_or(1)});
    }

    void make_system(std::string_view wanted, bool is_from_environment) {
        platform_name = wanted.empty() ? "best" : wanted;
        try {
            platform = make_or_throw(system_clock, platform_name);
        } catch (const StartError&) {
            if (!is_from_environment || wanted != "uring") throw;
            warn_ignored("GYRE_PLATFORM", wanted, "the system refuses io_uring; epoll serves");
            platform_name = "epoll";
            platform = make_or_throw(system_clock, platform_name);
        }
        if (loop_count > 1) {
            run.loop.thread_id = 1;
            run.loop.peers = &peers;
        }
        if (run.loop.offload != nullptr) return;
        pools.emplace(pool::with_environment({.name_thread = platform::name_this_thread,
                                              .clock = &system_clock,
                                              .process_id = platform::process_generation}));
        run.loop.offload = &*pools;
    }

    void open_trace(std::string path) {
        const bool is_from_environment = path.empty();
        if (is_from_environment) path = trace::path_from_environment();
        trace::TraceOptions options;
        if (simulation != nullptr) {
            options.simulated_start = simulated_clock().peek();
        } else {
            options.clock = &system_clock;
        }
        auto made = trace::TraceFile::make(*files, path, options);
        if (!made && !is_from_environment) {
            throw StartError(Error(std::errc::io_error), made.error());
        }
        if (made) {
            trace = std::move(*made);
        } else {
            warn_ignored(trace::file_variable, path,
                         made.error() + "; name a file in a folder that can be written to");
        }
    }

    [[nodiscard]] sim::VirtualClock& simulated_clock() noexcept {
        return host != nullptr ? host->clock() : virtual_clock;
    }

    [[nodiscard]] Observer* observer_of(ThreadId thread) {
        if (trace == nullptr) return nullptr;
        return trace->add_loop({.loop = "loop " + std::to_string(thread)});
    }

    RunOptions run;
    const std::uint32_t loop_count;
    Peers peers;
    std::vector<MachineRef> loops;  // set by OtherLoops
    platform::SystemClock system_clock;
    // Whose code this is, in a simulated world; null otherwise.
    sim::Host* const host = sim::Host::current();
    sim::VirtualClock virtual_clock;
    // For the trace, of simulated programs too.
    const std::unique_ptr<FileTree> files = platform::make_file_tree();
    std::unique_ptr<trace::TraceFile> trace;
    std::optional<pool::Pools> pools;
    std::string platform_name;
    std::unique_ptr<Platform> platform;
    sim::SimPlatform* simulation = nullptr;
};

Program::Program(const ProgramOptions& options) : parts_(std::make_unique<Parts>(options)) {}

Program::~Program() = default;

Platform& Program::platform() noexcept {
    return *parts_->platform;
}

Clock& Program::clock() noexcept {
    if (parts_->simulation != nullptr) return parts_->simulated_clock();
    return parts_->system_clock;
}

sim::SimPlatform* Program::simulation() noexcept {
    return parts_->simulation;
}

std::uint32_t Program::loop_count() const noexcept {
    return parts_->loop_count;
}

MachineRef Program::loop(std::uint32_t number) const noexcept {
    GYRE_ASSERT(number >= 1, "loops are numbered from 1: there is no loop 0");
    GYRE_ASSERT(number <= parts_->loops.size(), "there is no loop %u: run has started %zu loops",
                number, parts_->loops.size());
    return parts_->loops[number - 1];
}

const RunOptions& Program::run_options() const noexcept {
    return parts_->run;
}

// By thread; each is used by its own.
struct OtherLoops::Watches {
    std::vector<std::optional<BlockingWatch>> of;
};

OtherLoops::OtherLoops(Program& program, ProgramRun& first) : first_(first) {
    Program::Parts& parts = *program.parts_;
    parts.loops.assign(parts.loop_count, first.executor().loop().app_ref());
    if (parts.loop_count == 1 || parts.simulation != nullptr) return;

    RuntimeOptions options;
    options.loop_count = parts.loop_count - 1;
    options.first_thread = 2;
    options.peers = &parts.peers;
    options.loop = parts.run.loop;
    options.observer_of = [&parts](ThreadId thread) { return parts.observer_of(thread); };
    options.make_platform = [&parts](ThreadId) -> Result<std::unique_ptr<Platform>> {
        auto made = platform::make_platform(parts.system_clock, parts.platform_name);
        if (!made) return std::unexpected(made.error().error);
        return std::move(*made);
    };
    options.make_app = [&parts](ThreadId) {
        auto executor = std::make_unique<Executor>(parts.run.executor);
        executor->set_failure_sink(say);
        return executor;
    };
    if (const Duration after = parts.run.blocked_after; after > Duration(0)) {
        watches_ = std::make_unique<Watches>();
        watches_->of = std::vector<std::optional<BlockingWatch>>(parts.loop_count + 1);
        options.on_started = [this, after](Runtime&, Loop& loop, Machine& app) {
            watches_->of[loop.thread_id()].emplace(loop.platform(), static_cast<Executor&>(app),
                                                   after);
        };
        options.on_closed = [this](ThreadId thread) { watches_->of[thread].reset(); };
    }
    runtime_ = std::make_unique<Runtime>(std::move(options));
    if (const Result<void> started = runtime_->start(); !started) {
        throw StartError(started.error(), std::to_string(parts.loop_count) +
                                              " loops cannot be started: " +
                                              started.error().message() + "; ask for fewer");
    }
    for (ThreadId thread = 2; thread <= parts.loop_count; ++thread) {
        parts.loops[thread - 1] = runtime_->app_ref(thread);
    }
}

// All loops close at the same time, because each completes the ops of the others; and none is
// destroyed before all are closed, because they may post to each other until then: the others wait
// for the join, and the first is destroyed after this.
OtherLoops::~OtherLoops() {
    if (runtime_ == nullptr) return;
    runtime_->stop();
    first_.close();
    runtime_->join();
}

int not_started(const StartError& why) noexcept {
    std::fprintf(stderr, "gyre: %s\n", why.what());
    return static_cast<int>(ExitCode::usage);
}

}  // namespace gyre
