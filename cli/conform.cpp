// SPDX-License-Identifier: Apache-2.0
// gyre conform: runs the tables of scenarios on this build and prints the verdict of each.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/commands.hpp"
#include "cli/conform_engines.hpp"
#include "cli/definitions.hpp"
#include "cli/usage.hpp"
#include "gyre/conform/scenario.hpp"

namespace gyre::cli {
namespace {

struct ConformOptions {
    std::string topic;
    std::string platform_name;
    std::string engine;
    bool wants_json = false;
};

// An engine takes part in the tables of one topic.
struct ConformEngine {
    const char* name;
    const char* topic;
    conform::Results (*run)(const std::string& engine, const std::vector<std::string>& platforms);
};
constexpr ConformEngine engines[] = {
    {"wasm", "effects",
     [](const std::string& /*engine*/, const std::vector<std::string>& platforms) {
         return conform_wasm(platforms);
     }},
    {"v8", "jobs", conform_script},
    {"quickjs", "jobs", conform_script},
};

conform::Results results_of(const ConformOptions& options,
                            const std::vector<std::string>& platforms) {
    if (options.engine.empty()) return conform::run_gyre(options.topic, platforms);
    for (const ConformEngine& engine : engines) {
        if (options.engine != engine.name) continue;
        if (options.topic != engine.topic) {
            throw UsageError("--engine " + options.engine + " is for the topic " + engine.topic);
        }
        return engine.run(options.engine, platforms);
    }
    throw UsageError("--engine " + options.engine + ": there is no such engine");
}

ExitCode run_conform(const ConformOptions& options) {
    std::vector<std::string> platforms = {"epoll", "uring", "sim"};
    if (!options.platform_name.empty()) platforms = {options.platform_name};
    const conform::Results results = results_of(options, platforms);
    const std::string text =
        options.wants_json ? conform::as_json(results) : conform::as_table(results);
    std::fputs(text.c_str(), stdout);
    return conform::has_failed(results) ? ExitCode::failed : ExitCode::fine;
}

}  // namespace

void add_conform(CLI::App& program, ExitCode& exit_code) {
    const auto options = std::make_shared<ConformOptions>();
    CLI::App* command = program.add_subcommand(
        "conform", "Run the conformance scenarios of this runtime and print the verdict of each");
    const auto topics = conform::topics();
    choose(*command->add_option("TOPIC", options->topic,
                                "Only the tables of this topic; default: all"),
           {topics.begin(), topics.end()});
    choose(*command->add_option("--platform", options->platform_name,
                                "Only on this platform; default: on each"),
           {"epoll", "uring", "sim"});
    std::vector<std::string> engine_names;
    for (const ConformEngine& engine : engines) engine_names.emplace_back(engine.name);
    choose(*command->add_option("--engine", options->engine,
                                "With guests of this engine: wasm runs the topic effects, v8 "
                                "and quickjs the topic jobs"),
           engine_names);
    command->add_flag("--json", options->wants_json, "Write JSON instead of a table");
    command->callback([options, &exit_code] { exit_code = run_conform(*options); });
}

}  // namespace gyre::cli
