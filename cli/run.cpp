// SPDX-License-Identifier: Apache-2.0
// gyre run: chooses the language by the ending of the file.
#include "cli/run.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>

#include "cli/amount.hpp"
#include "cli/commands.hpp"
#include "cli/definitions.hpp"
#include "cli/simulated_faults.hpp"
#include "cli/trace_option.hpp"
#include "cli/usage.hpp"
#include "cli/watch.hpp"

namespace gyre::cli {
namespace {

// The options that not every language has, as bits.
enum Serves : unsigned {
    steps = 1,
    stack = 2,
    permissions = 4,
    sandbox = 8,
    threads = 16,
    inspect = 32,
    store = 64
};

struct Language {
    std::string_view ending;
    ExitCode (*run)(const RunRequest& request);
    unsigned serves;
    // Whether an unknown option behind the file is a mistake, not an argument of the program.
    bool refuses_unknown_options = false;
};
constexpr Language languages[] = {
    {".js", run_script, steps | permissions | sandbox | inspect},
    {".mjs", run_script, steps | permissions | sandbox | inspect},
    {".cjs", run_script, steps | permissions | sandbox | inspect},
    {".ts", run_script, steps | permissions | sandbox | inspect},
    {".mts", run_script, steps | permissions | sandbox | inspect},
    {".cts", run_script, steps | permissions | sandbox | inspect},
    {".vela", run_vela, steps | stack | permissions | sandbox | threads},
    {".wasm", run_wasm, steps | permissions | sandbox | store, true},
    {".wat", run_wasm, steps | permissions | sandbox | store, true},
};

// An option that would do nothing is refused, above all a permission that nobody checks.
void refuse_unserved(const RunRequest& request, const Language& language) {
    const auto check = [&language](bool is_given, Serves what, const char* option) {
        if (!is_given || (language.serves & what) != 0) return;
        throw UsageError(std::string(option) + " is not there for " + std::string(language.ending) +
                         " files yet: leave it out");
    };
    check(request.wants_steps, steps, "--steps");
    check(request.shows_stack, stack, "--stack");
    check(!request.allowed.empty(), permissions, "--allow");
    check(request.is_sandboxed, sandbox, "--sandbox");
    check(request.threads != 1, threads, "--threads");
    check(request.inspect_port.has_value(), inspect, "--inspect");
    check(!request.store.empty(), store, "--store");
}

const Language* language_of(std::string_view file) {
    const auto found = std::ranges::find_if(
        languages, [file](const Language& language) { return file.ends_with(language.ending); });
    return found == std::end(languages) ? nullptr : found;
}

bool has_ending(std::string_view file) {
    const std::string_view name = file.substr(file.rfind('/') + 1);
    return name.find('.') != std::string_view::npos;
}

constexpr std::size_t run_count_max = 1'000'000;

struct RunTexts {
    RunRequest request;
    std::string simulated;  // the seed of --sim; empty without one
    std::string clock = "real";
    std::string time_limit;
    std::string memory_limit;
    std::string inspected;  // ports; empty without the option
    std::string broken;     // of --inspect-brk
    std::string lease;
    std::uint64_t seed = 0;
};

}  // namespace

ExitCode run_file(const RunRequest& request) {
    const bool is_script_text = !request.eval.empty() || request.file == "-";
    if (request.file.empty() && !is_script_text)
        throw UsageError("a FILE is required: gyre run --help");
    if (request.file.starts_with("-") && !is_script_text) {
        throw UsageError("unknown flag " + request.file + ": gyre run --help lists them");
    }
    const Language* language = is_script_text ? &languages[0] : language_of(request.file);
    if (request.is_watched) return run_watched(is_script_text ? "" : request.file);
    // As in Node: `./worker` is ./worker.js where that exists, and a file without an ending a script.
    if (language == nullptr && !has_ending(request.file)) language = &languages[0];
    if (language != nullptr) {
        refuse_unserved(request, *language);
        return language->run(request);
    }
    if (request.file.ends_with(".tsx") || request.file.ends_with(".jsx")) {
        throw UsageError(request.file +
                         ": JSX makes code: compile the file to JavaScript first, and run that");
    }
    std::string endings;
    for (const Language& one : languages) endings.append(" ").append(one.ending);
    throw UsageError(request.file + ": no language has this ending; there are" + endings);
}

namespace {

// Of every language.
void add_common_options(CLI::App& command, RunTexts& texts) {
    RunRequest& request = texts.request;
    choose(*command.add_option("--platform", request.platform, "The platform; default: the best"),
           {"epoll", "uring", "sim"});
    choose(*command.add_option("--clock", texts.clock,
                               "virtual: time passes only when nothing can run"),
           {"real", "virtual"});
    command.add_option("--seed", texts.seed, "Makes chance repeatable")->type_name("N");
    command.add_flag("--sim{1}", texts.simulated,
                     "--sim=N is --clock virtual --seed N: repeatable, with the faults of --plan");
    command
        .add_option(
            "--plan", request.plan,
            "Faults in virtual time: calm, rough, hostile, or \"at 2s disk-full program for "
            "1s; ...\"")
        ->type_name("PLAN");
    command.add_option("--time-limit", texts.time_limit, "End the program after this real time")
        ->type_name("TIME");
    command.add_option("--memory-limit", texts.memory_limit, "End the program beyond this memory")
        ->type_name("SIZE");
    command.add_flag("--watch", request.is_watched,
                     "Run again whenever a source file in the folder of FILE changes");
    command.add_flag("--steps", request.wants_steps, "Print each step in words");
    command.add_flag("--stack", request.shows_stack,
                     "Print where an uncaught error came from, and who waits in a deadlock");
    add_trace_option(command, request.trace);
    command.add_flag("--sandbox", request.is_sandboxed,
                     "Let the program reach nothing outside but what --allow names");
    command
        .add_option("--allow", request.allowed,
                    "What a program in a sandbox may reach: fs=DIR, net=HOST:PORT (* for every "
                    "port), env=NAME")
        ->type_name("WHAT")
        ->allow_extra_args(false);
    command.add_option("--threads", request.threads, "Loops that the actors are spread over")
        ->type_name("N")
        ->check(CLI::Range(1, 256));
}

void add_script_options(CLI::App& command, RunTexts& texts) {
    RunRequest& request = texts.request;
    command.add_flag("--inspect{9229}", texts.inspected,
                     "--inspect=PORT serves a debugger of the DevTools protocol at this port of "
                     "127.0.0.1; default: 9229");
    command.add_flag("--inspect-brk{9229}", texts.broken,
                     "The same, but wait for the debugger, and pause before the first line");
    choose(*command.add_option("--order", request.order, "The order of a script's jobs"),
           {"node", "js2il"});
    choose(*command.add_option("--engine", request.engine, "The JavaScript engine"),
           {"v8", "quickjs"});
    choose(*command.add_option("--unhandled-rejections", request.unhandled_rejections,
                               "What a rejection without a handler does"),
           {"throw", "strict", "warn", "none", "warn-with-error-code", "warn-with-error-codes"});
}

void add_module_options(CLI::App& command, RunRequest& request) {
    command.add_option("--entry", request.entry, "The function of a module that is called")
        ->type_name("NAME");
    command.add_option("--arg", request.entry_arguments, "An argument of that function, as JSON")
        ->type_name("JSON")
        ->allow_extra_args(false);
    command
        .add_option("--handlers", request.handlers,
                    "Effect handlers: scripted answers as JSON, or a script")
        ->type_name("FILE");
    command
        .add_option("--frames", request.frames, "Write the frames of a module, one JSON line each")
        ->type_name("FILE");
    command
        .add_option("--journal", request.journal,
                    "Replay the answers that FILE has, then append the new ones")
        ->type_name("FILE");
    command
        .add_option("--runs", request.run_count, "Runs of the function, side by side; default: 1")
        ->type_name("N")
        ->check(CLI::Range(std::size_t{1}, run_count_max));
    command.add_flag("--share-store", request.shares_store,
                     "The runs share one instance of the module");
}

void add_store_options(CLI::App& command, RunTexts& texts) {
    RunRequest& request = texts.request;
    command
        .add_option("--store", request.store,
                    "Run functions of a module so that they survive the process: postgres://... or "
                    "sqlite:FILE")
        ->type_name("URL");
    command
        .add_option("--key", request.key,
                    "The key of the run in the store; default: work for those that others start")
        ->type_name("KEY");
    command.add_option("--queue", request.queue, "The queue of the store; default: default")
        ->type_name("QUEUE");
    command
        .add_option("--lease", texts.lease,
                    "How long this process may be away before others take its runs; default: 10s")
        ->type_name("TIME");
}

void add_options(CLI::App& command, RunTexts& texts) {
    add_common_options(command, texts);
    add_script_options(command, texts);
    add_store_options(command, texts);
    add_module_options(command, texts.request);
}

// `gyre run app.wasm --entry main`: options directly behind the file are gyre's too. The first word
// that is none, or "--", begins the arguments of the program.
void read_options_after_file(RunTexts& texts) {
    RunRequest& request = texts.request;
    const Language* language = language_of(request.file);
    if (language == nullptr) return;
    CLI::App rest;
    add_options(rest, texts);
    rest.prefix_command();
    const bool has_mark = std::ranges::find(request.arguments, "--") != request.arguments.end();
    std::vector<std::string> words(request.arguments.rbegin(), request.arguments.rend());
    try {
        rest.parse(words);  // takes them from the end
    } catch (const CLI::ParseError& error) {
        throw UsageError(error.what());
    }
    request.arguments = rest.remaining();
    if (!request.arguments.empty() && request.arguments.front() == "--") {
        request.arguments.erase(request.arguments.begin());
    }
    if (language->refuses_unknown_options && !has_mark && !request.arguments.empty() &&
        request.arguments.front().starts_with("-")) {
        throw UsageError("gyre run has no option " + request.arguments.front() +
                         " for this file; arguments of the program follow --");
    }
    if (rest.count("--seed") > 0) request.seed = texts.seed;
}

std::uint16_t port_of(const std::string& text) {
    unsigned port = 0;
    const char* const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, port);
    if (error != std::errc() || at != end || port > 0xffff)
        throw UsageError("--inspect=" + text + ": a port is a number from 0 to 65535");
    return static_cast<std::uint16_t>(port);
}

void finish(RunTexts& texts, const CLI::App& command) {
    RunRequest& request = texts.request;
    if (command.count("--seed") > 0) request.seed = texts.seed;
    request.arguments = command.remaining();
    if (request.eval.empty() && !request.arguments.empty()) {
        request.file = request.arguments.front();
        request.arguments.erase(request.arguments.begin());
    }
    read_options_after_file(texts);
    if (!texts.time_limit.empty()) {
        request.time_limit = Duration(
            static_cast<std::int64_t>(amount(texts.time_limit, limit_times, "--time-limit")));
    }
    if (!texts.lease.empty()) {
        request.lease =
            Duration(static_cast<std::int64_t>(amount(texts.lease, limit_times, "--lease")));
    }
    if (request.store.empty() && (!request.key.empty() || !texts.lease.empty())) {
        throw UsageError("--key and --lease are of durable runs: --store names their database");
    }
    if (!texts.memory_limit.empty()) {
        request.memory_limit_bytes =
            static_cast<std::size_t>(amount(texts.memory_limit, limit_sizes, "--memory-limit"));
    }
    request.has_virtual_clock = texts.clock == "virtual";
    if (!texts.simulated.empty()) {
        request.has_virtual_clock = true;
        request.seed = seed_of(texts.simulated);
    }
    for (const std::string& port : {texts.inspected, texts.broken}) {
        if (!port.empty()) request.inspect_port = port_of(port);
    }
    request.waits_for_debugger = !texts.broken.empty();
    if (request.inspect_port && request.has_virtual_clock)
        throw UsageError("--inspect needs real time: a debugger has no place in virtual time");
    if (request.plan != "calm" && !request.has_virtual_clock) {
        throw UsageError("--plan needs virtual time: gyre run --sim --plan " + request.plan);
    }
    if (request.has_virtual_clock && !request.platform.empty() && request.platform != "sim") {
        throw UsageError("--clock virtual runs on the platform sim: leave --platform out");
    }
}

}  // namespace

bool is_program(std::string_view word) {
    if (word == "-e" || word == "-p" || word == "-pe" || word == "--eval" || word == "--print") {
        return true;
    }
    return language_of(word) != nullptr || word.starts_with('/') || word.starts_with("./");
}

bool is_script(std::string_view file) {
    const Language* language = language_of(file);
    return language != nullptr && language->run == &run_script;
}

void add_run(CLI::App& program, ExitCode& exit_code) {
    const auto texts = std::make_shared<RunTexts>();
    CLI::App* command =
        program.add_subcommand("run",
                               "Run a program: gyre run [OPTIONS] FILE [ARGUMENT]...; FILE is a "
                               ".js, .mjs, .cjs, .ts, .mts, "
                               ".cts, .vela, .wasm or .wat, or - for a script on standard input");
    add_options(*command, *texts);
    command->add_option("-e,--eval", texts->request.eval, "Run this JavaScript")->type_name("TEXT");
    command
        ->add_option_function<std::string>(
            "-p,--print",
            [texts](const std::string& text) {
                texts->request.eval = text;
                texts->request.prints_value = true;
            },
            "Run this JavaScript, and print its value")
        ->type_name("TEXT");
    choose(*command->add_option("--input-type", texts->request.input_type,
                                "What --eval and standard input are"),
           {"module", "commonjs"});
    command->prefix_command();
    command->callback([texts, command, &exit_code] {
        finish(*texts, *command);
        exit_code = run_file(texts->request);
    });
}

}  // namespace gyre::cli
