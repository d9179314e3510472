// SPDX-License-Identifier: Apache-2.0
// gyre doctor: prints the platforms, cores and limits of this machine.
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <string>
#include <string_view>

#include "cli/build.hpp"
#include "cli/commands.hpp"
#include "cli/page.hpp"
#include "cli/script_engines.hpp"
#include "cli/wasm_line.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/process.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/platform/thread.hpp"

namespace gyre::cli {
namespace {

std::string kernel_line() {
    utsname system{};
    if (uname(&system) != 0) return "unknown";
    return std::string(system.sysname) + " " + system.release + ", " + system.machine;
}

std::string cores_line() {
    const std::uint32_t usable = platform::usable_cores();
    const std::size_t by_affinity = platform::cores_of_this_thread().size();
    std::string line = std::to_string(usable) + " usable: affinity allows " +
                       (by_affinity == 0 ? "any" : std::to_string(by_affinity));
    line += by_affinity > usable ? ", the cgroup quota fewer" : ", no lower cgroup quota";
    return line;
}

// True when at least one works.
bool tell_platforms(Page& page) {
    platform::SystemClock clock;
    bool any_works = false;
    for (const char* name : {"epoll", "uring"}) {
        const auto made = platform::make_platform(clock, name);
        any_works = any_works || made.has_value();
        page.row("platform",
                 std::string(name) + ": " + (made ? "works" : "no: " + made.error().message));
    }
    page.row("platform", "sim: works (virtual time, for tests)");
    const auto chosen = platform::make_platform(clock);
    page.row("", chosen ? std::string("default: ") + (*chosen)->name()
                        : "no default: " + chosen.error().message);
    return any_works;
}

std::string amount(rlim_t value) {
    return value == RLIM_INFINITY ? "unlimited" : in_words(std::uint64_t{value});
}

void tell_limits(Page& page) {
    struct Limit {
        __rlimit_resource_t which;
        const char* text;
    };
    constexpr std::array<Limit, 3> limits = {{
        {RLIMIT_NOFILE, "open descriptors (RLIMIT_NOFILE)"},
        {RLIMIT_NPROC, "processes and threads of the user (RLIMIT_NPROC)"},
        {RLIMIT_MEMLOCK, "bytes of locked memory (RLIMIT_MEMLOCK)"},
    }};
    for (const Limit& limit : limits) {
        rlimit value{};
        if (getrlimit(limit.which, &value) != 0) continue;
        page.row("limit", amount(value.rlim_cur) + ", at most " + amount(value.rlim_max) + ": " +
                              limit.text);
    }
}

void tell_variables(Page& page) {
    bool found = false;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view variable = *entry;
        if (!variable.starts_with("GYRE_")) continue;
        found = true;
        page.row("variable", variable);
    }
    if (found) return;
    page.row("variable",
             "none set; gyre reads GYRE_CACHE, GYRE_LOG, GYRE_PLATFORM and GYRE_TRACE,");
    page.row("", "programs that call gyre::run also GYRE_SEED and GYRE_POOL_FILES, _NAMES, _USER");
}

ExitCode run_doctor() {
    Page page;
    page.row("program", build_line());
    page.row("kernel", kernel_line());
    page.row("cores", cores_line());
    const bool any_works = tell_platforms(page);
    page.row("engine", "WebAssembly: " + wasm_engine_line());
    page.row("engine", "JavaScript: " + script_engine_line());
    tell_limits(page);
    tell_variables(page);
    return any_works ? ExitCode::fine : ExitCode::failed;
}

}  // namespace

void add_doctor(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand(
        "doctor", "Print what this machine offers: platforms, cores, limits");
    command->callback([&exit_code] { exit_code = run_doctor(); });
}

}  // namespace gyre::cli
