// SPDX-License-Identifier: Apache-2.0
// gyre run FILE.vela: one Vela program, on one loop or with its actors on several.
#include "cli/permissions.hpp"
#include "cli/run.hpp"
#include "cli/simulated_faults.hpp"
#include "cli/vela_host.hpp"
#include "gyre/app/run.hpp"

namespace gyre::cli {

ExitCode run_vela(const RunRequest& request) {
    const VelaProgram loaded = load_vela(request.file, request.allowed);
    if (loaded.lowered == nullptr) return ExitCode::usage;
    ProgramOptions made{.loops = request.threads, .trace = request.trace};
    made.platform = request.has_virtual_clock ? "sim" : std::string_view(request.platform);
    made.seed = request.seed;
    gyre::Program program(made);
    const SimulatedFaults faults(request, program);
    std::optional<Permissions> permissions;
    if (request.is_sandboxed || !request.allowed.empty()) {
        permissions = read_permissions(request.allowed);
    }
    VelaHost host(program, request.arguments, std::move(permissions));
    vela::MachineOptions options;
    options.shows_stack = request.shows_stack;
    options.shows_steps = request.wants_steps;
    options.marks_steps = !request.trace.empty();
    if (request.memory_limit_bytes != 0) options.memory_bytes_max = request.memory_limit_bytes;
    if (request.time_limit) options.time_max = *request.time_limit;
    if (request.seed) options.seed = *request.seed;
    const auto main = [&]() -> Future<int> {
        for (std::uint32_t number = 2; number <= request.threads; ++number) {
            options.loops.push_back(program.loop(number));
        }
        const int exit_code =
            co_await vela::run_program(*loaded.lowered, host, options, vela_libraries());
        co_return exit_code;
    };
    return static_cast<ExitCode>(gyre::run(program, main).exit_code());
}

}  // namespace gyre::cli
