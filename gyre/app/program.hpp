// SPDX-License-Identifier: Apache-2.0
// Program: what the main function of a program sets up for its loops: the clock, the platform, the
// threads for blocking work, and the trace. `run` makes one; a program of machines or handles makes
// its own.
//
//     Program program({.platform = "epoll"});
//     Loop loop(program.platform(), machine, program.loop_options());
//     loop.run();
//
// Thread: the thread that made it; `loop` and `loop_count` from any thread.
// Lifetime: outlives its loops. The destructor writes the trace.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "gyre/base/failure.hpp"
#include "gyre/base/result.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/kernel/platform.hpp"
#include "gyre/task/core/run.hpp"

namespace gyre {

class Runtime;
namespace sim {
class SimPlatform;
}

// What is left open is taken from the environment: docs/guide/environment.md lists the variables.
struct ProgramOptions {
    // How many loops, each with a thread of its own; the first is that of the calling thread. 0:
    // one per usable core.
    std::uint32_t loops = 1;
    // "uring", "epoll", "best" (the first of them that the system allows), or "sim": simulated, in
    // virtual time. Empty: GYRE_PLATFORM, else "best"; in the `main` of a sim::Host, that host.
    std::string_view platform = "";
    // Of the simulator: the same seed repeats a run. Without one: GYRE_SEED, else 1.
    std::optional<std::uint64_t> seed = std::nullopt;
    // The file that the trace is written to. Empty: GYRE_TRACE, else none.
    std::string_view trace = "";
    // The name of the main task, signals, limits. Offload and observer of `run.loop` are the
    // program's unless they are set.
    RunOptions run = {};
};

// Why a program could not start, in one line that says what to do.
class StartError : public SystemFailure {
public:
    StartError(Error error, std::string text) : SystemFailure(error.code(), std::move(text)) {}
};

class Program {
public:
    // Throws a StartError if the platform or the trace file that the options name cannot be used.
    // A value of the environment that cannot be used is ignored, with a warning.
    explicit Program(const ProgramOptions& options = {});
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    // For one loop on the calling thread, together with loop_options.
    [[nodiscard]] Platform& platform() noexcept;
    [[nodiscard]] const LoopOptions& loop_options() const noexcept { return run_options().loop; }
    [[nodiscard]] Clock& clock() noexcept;
    // The simulated computer, for its files and signals; null in real time.
    [[nodiscard]] sim::SimPlatform* simulation() noexcept;

    // While `run` runs it: the loops, numbered from 1, for `on`. The simulator has one loop, which
    // every number names.
    [[nodiscard]] std::uint32_t loop_count() const noexcept;
    [[nodiscard]] MachineRef loop(std::uint32_t number) const noexcept;

    [[nodiscard]] const RunOptions& run_options() const noexcept;

private:
    friend class OtherLoops;
    struct Parts;
    const std::unique_ptr<Parts> parts_;
};

// For `run`: the loops after the first one, while the first one runs.
class OtherLoops {
public:
    // Throws a StartError if one cannot be made.
    OtherLoops(Program& program, ProgramRun& first);
    // Stops them, cancels what they still run, and closes the first one.
    ~OtherLoops();
    OtherLoops(const OtherLoops&) = delete;
    OtherLoops& operator=(const OtherLoops&) = delete;

private:
    struct Watches;

    ProgramRun& first_;
    std::unique_ptr<Watches> watches_;  // null without a watchdog
    std::unique_ptr<Runtime> runtime_;  // null if there is only the first
};

}  // namespace gyre
