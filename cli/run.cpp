// SPDX-License-Identifier: Apache-2.0
// gyre run: chooses the language by the ending of the file.
#include "cli/run.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>
#include <string_view>

#include "cli/commands.hpp"
#include "cli/definitions.hpp"
#include "cli/trace_option.hpp"
#include "cli/usage.hpp"

namespace gyre::cli {
namespace {

struct Language {
    std::string_view ending;
    ExitCode (*run)(const RunRequest& request);
};
constexpr Language languages[] = {
    {".js", run_script},
    {".mjs", run_script},
    {".cjs", run_script},
};

// A number with a unit of the table: "2s", "64M".
struct LimitUnit {
    std::string_view name;
    double factor;
};
double amount(const std::string& text, std::span<const LimitUnit> units, const char* option) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    for (const LimitUnit& one : units) {
        if (error == std::errc() && one.name == unit && number > 0) return number * one.factor;
    }
    throw UsageError(std::string(option) + " " + text +
                     ": give a number above 0 with a unit, as in " +
                     (units.front().name == "ms" ? "200ms or 2s" : "64M or 2G"));
}
constexpr LimitUnit limit_times[] = {{"ms", 1e6}, {"s", 1e9}, {"", 1e9}, {"m", 60e9}, {"us", 1e3}};
constexpr LimitUnit limit_sizes[] = {{"M", 1 << 20}, {"K", 1 << 10},  {"G", 1 << 30},
                                     {"", 1},        {"MB", 1 << 20}, {"MiB", 1 << 20}};

struct RunTexts {
    RunRequest request;
    std::string clock = "real";
    std::string time_limit;
    std::string memory_limit;
    std::uint64_t seed = 0;
};

ExitCode dispatch(const RunRequest& request) {
    if (!request.eval.empty() || request.file == "-") return run_script(request);
    if (request.file.empty()) throw UsageError("a FILE is required: gyre run --help");
    if (request.file.starts_with("-")) {
        throw UsageError("unknown flag " + request.file + ": gyre run --help lists them");
    }
    for (const Language& language : languages) {
        if (request.file.ends_with(language.ending)) return language.run(request);
    }
    std::string endings;
    for (const Language& language : languages) endings += " " + std::string(language.ending);
    throw UsageError(request.file + ": no language has this ending; there are" + endings);
}

void add_options(CLI::App& command, RunTexts& texts) {
    RunRequest& request = texts.request;
    choose(*command.add_option("--platform", request.platform, "The platform; default: the best"),
           {"epoll", "uring", "sim"});
    choose(*command.add_option("--clock", texts.clock,
                               "virtual: time passes only when nothing can run"),
           {"real", "virtual"});
    command.add_option("--seed", texts.seed, "Makes chance repeatable")->type_name("N");
    command.add_option("--time-limit", texts.time_limit, "End the program after this real time")
        ->type_name("TIME");
    command.add_option("--memory-limit", texts.memory_limit, "End the program beyond this memory")
        ->type_name("SIZE");
    command.add_flag("--steps", request.wants_steps, "Print each step in words");
    add_trace_option(command, request.trace);
    command.add_option("-e,--eval", request.eval, "Run this JavaScript")->type_name("TEXT");
    choose(*command.add_option("--input-type", request.input_type,
                               "What --eval and standard input are"),
           {"module", "commonjs"});
    choose(*command.add_option("--order", request.order, "The order of a script's jobs"),
           {"node", "js2il"});
    choose(*command.add_option("--engine", request.engine, "The JavaScript engine"), {"v8"});
    choose(*command.add_option("--unhandled-rejections", request.unhandled_rejections,
                               "What a rejection without a handler does"),
           {"throw", "strict", "warn", "none", "warn-with-error-codes"});
}

void finish(RunTexts& texts, const CLI::App& command) {
    RunRequest& request = texts.request;
    if (command.count("--seed") > 0) request.seed = texts.seed;
    if (!texts.time_limit.empty()) {
        request.time_limit = Duration(
            static_cast<std::int64_t>(amount(texts.time_limit, limit_times, "--time-limit")));
    }
    if (!texts.memory_limit.empty()) {
        request.memory_limit_bytes =
            static_cast<std::size_t>(amount(texts.memory_limit, limit_sizes, "--memory-limit"));
    }
    request.has_virtual_clock = texts.clock == "virtual";
    if (request.has_virtual_clock && !request.platform.empty() && request.platform != "sim") {
        throw UsageError("--clock virtual runs on the platform sim: leave --platform out");
    }
    // Everything after the file belongs to the program.
    request.arguments = command.remaining();
    if (request.eval.empty() && !request.arguments.empty()) {
        request.file = request.arguments.front();
        request.arguments.erase(request.arguments.begin());
    }
}

}  // namespace

void add_run(CLI::App& program, ExitCode& exit_code) {
    const auto texts = std::make_shared<RunTexts>();
    CLI::App* command =
        program.add_subcommand("run",
                               "Run a program: gyre run [OPTIONS] FILE [ARGUMENT]...; FILE is a "
                               ".js, .mjs or .cjs, or - for standard input");
    add_options(*command, *texts);
    command->prefix_command();
    command->callback([texts, command, &exit_code] {
        finish(*texts, *command);
        exit_code = dispatch(texts->request);
    });
}

}  // namespace gyre::cli
