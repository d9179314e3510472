// SPDX-License-Identifier: Apache-2.0
// gyre tour: shows machines, timers, threads, sockets, virtual time, failures and languages at work, in a few
// seconds, and prints what it measured.
#include <CLI/CLI.hpp>
#include <array>
#include <limits>
#include <stdexcept>

#include "cli/commands.hpp"
#include "cli/definitions.hpp"
#include "cli/tour/stage.hpp"
#include "cli/trace_option.hpp"
#include "cli/usage.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"

namespace gyre::cli {
namespace {

struct Scene {
    const char* title;
    bool (*show)(const Stage& stage);
};

constexpr std::array<Scene, 9> scenes = {{
    {"1. Machines and their parent", show_family},
    {"2. A hundred thousand timers", show_timers},
    {"3. Two loops on two threads", show_loops},
    {"4. An echo over TCP", show_echo},
    {"5. A day in virtual time, twice", show_day},
    {"6. Failures on purpose", show_failure},
    {"7. A script, and an endless one", show_script},
    {"8. A WebAssembly module that asks, and an endless one", show_wasm},
    {"9. Four languages that await each other", show_languages},
}};

struct TourOptions {
    std::uint64_t seed = 1;
    std::string platform_name;
    std::string trace_path;
};

ExitCode run_tour(const TourOptions& options) {
    Page page;
    platform::SystemClock clock;
    const auto files = platform::make_file_tree();
    const auto trace = trace::TraceFile::make(*files, options.trace_path, {.clock = &clock});
    if (!trace) throw UsageError(trace.error());
    const Stage stage{page, clock, options.seed, options.platform_name, **trace};
    const std::string name = stage.make_platform()->name();
    page.say(
        "gyre is an event loop that carries operations (ops) between machines: a timer, a read, a "
        "message to another thread are all ops. This tour runs on the platform " +
        name + " with seed " + std::to_string(options.seed) + ".");
    const Instant start = clock.now();
    std::size_t failed_count = 0;
    for (const Scene& scene : scenes) {
        page.title(scene.title);
        if (!scene.show(stage)) ++failed_count;
    }
    const std::string took = in_words(clock.now() - start);
    page.title("The end");
    if (const auto written = (*trace)->finish(); !written) {
        throw std::runtime_error(written.error());
    }
    if (failed_count > 0) {
        page.failed(std::to_string(failed_count) + " of " + std::to_string(scenes.size()) +
                    " scenes did not go as they should, in " + took + ".");
        return ExitCode::failed;
    }
    page.saw("All " + std::to_string(scenes.size()) + " scenes went as they should, in " + took +
             ".");
    return ExitCode::fine;
}

}  // namespace

std::unique_ptr<Platform> Stage::make_platform() const {
    auto made = platform::make_platform(clock, platform_name);
    if (!made) throw UsageError(made.error().message);
    return std::move(*made);
}

void add_tour(CLI::App& program, ExitCode& exit_code) {
    const auto options = std::make_shared<TourOptions>();
    CLI::App* command = program.add_subcommand(
        "tour", "Show machines, timers and threads at work, in a few seconds");
    count(
        *command->add_option("--seed", options->seed, "The seed of all random choices; default: 1"),
        "N", 0, std::numeric_limits<std::uint64_t>::max());
    choose(*command->add_option("--platform", options->platform_name,
                                "The platform; default: the best available"),
           {"epoll", "uring"});
    add_trace_option(*command, options->trace_path);
    command->callback([options, &exit_code] { exit_code = run_tour(*options); });
}

}  // namespace gyre::cli
