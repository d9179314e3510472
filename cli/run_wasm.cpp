// SPDX-License-Identifier: Apache-2.0
// gyre run FILE.wasm: one run of one function of a module, and its outcome as one line of JSON.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>

#include "cli/run.hpp"
#include "cli/run_durable.hpp"
#include "cli/simulated_faults.hpp"
#include "cli/time_limit.hpp"
#include "cli/usage.hpp"
#include "cli/wasm_file.hpp"
#include "cli/wasm_hints.hpp"
#include "cli/wasm_journal.hpp"
#include "cli/wasm_network.hpp"
#include "cli/wasm_standard.hpp"
#include "cli/wasm_wasi.hpp"
#include "gyre/app/run.hpp"
#include "gyre/bridge/effect_json/handler_script.hpp"
#include "gyre/bridge/effect_json/json_value.hpp"
#include "gyre/effect/scheduler.hpp"
#include "gyre/task/sync/event.hpp"
#include "lang/wasm/guest.hpp"
#include "lang/wasm/standard/standard.hpp"

namespace gyre::cli {
namespace {

using effect::RunOutcome;
using effect::Scheduler;
using effect::Value;

constexpr std::size_t script_size_max_bytes = std::size_t{16} << 20u;

// Prints each event with --steps, and knows what the run waits for.
class WasmSteps final : public effect::RunObserver {
public:
    explicit WasmSteps(bool prints) noexcept : prints_(prints) {}
    void on_run(const effect::RunEvent& event) noexcept override {
        if (event.kind == effect::RunEventKind::performed) {
            asked_ = event.op;
            has_asked_ = true;
        }
        if (event.kind == effect::RunEventKind::answered) asked_ = nullptr;
        if (prints_) std::fprintf(stderr, "%s\n", effect::to_line(event).c_str());
    }
    // Null: for nothing.
    [[nodiscard]] const effect::OpInfo* asked() const noexcept { return asked_; }
    [[nodiscard]] bool has_asked() const noexcept { return has_asked_; }

private:
    const bool prints_;
    const effect::OpInfo* asked_ = nullptr;
    bool has_asked_ = false;
};

struct CloseFile {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

bool is_simulated(const RunRequest& request) noexcept {
    return request.has_virtual_clock || request.platform == "sim";
}

// Everything that one run needs, in the order of its lifetime.
struct WasmRun {
    explicit WasmRun(const RunRequest& from) : request(from), steps(from.wants_steps) {}

    const RunRequest& request;
    // In virtual time a guest is stopped by what it has executed, not by the time it took.
    CachedEngine made = make_wasm_engine({.counts_fuel = is_simulated(request)});
    std::shared_ptr<const wasm::Program> program;
    std::unique_ptr<std::FILE, CloseFile> frames;
    std::unique_ptr<FileJournal> journal;
    std::string script;  // the text of --handlers
    std::unique_ptr<wasm::Standard> standard;
    std::unique_ptr<WasmNetwork> network;
    std::unique_ptr<Wasi> wasi;  // of a module that imports it
    std::string entry;
    effect::Handlers handlers;
    effect::Arguments arguments;
    std::unique_ptr<wasm::WasmGuest> guest;
    WasmSteps steps;
    bool has_told = false;
};

void refuse_in_store(const RunRequest& request) {
    if (request.store.empty()) return;
    if (!request.journal.empty() || request.run_count > 1 || request.time_limit) {
        throw UsageError("--journal, --runs and --time-limit are not of runs in a store");
    }
    if (is_simulated(request)) throw UsageError("a store has a time of its own: no virtual clock");
}

void open_files(WasmRun& run) {
    const RunRequest& request = run.request;
    refuse_in_store(request);
    if (!request.frames.empty()) {
        run.frames.reset(std::fopen(request.frames.c_str(), "w"));
        if (run.frames == nullptr)
            throw UsageError("--frames " + request.frames + ": cannot write");
    }
    if (!request.journal.empty()) {
        if (request.run_count > 1) throw UsageError("--journal is of one run: leave --runs out");
        run.journal = std::make_unique<FileJournal>(request.journal);
    }
    if (request.handlers.empty()) return;
    run.script = read_whole_file(request.handlers, script_size_max_bytes);
    if (const auto added = effect::add_handler_script(run.handlers, run.script); !added) {
        throw UsageError(request.handlers + ": " + added.error().message);
    }
}

void write_frame(std::FILE* file, wasm::FrameDirection direction, std::string_view frame) {
    const bool is_in = direction == wasm::FrameDirection::into_guest;
    std::fprintf(file, "{\"dir\":\"%s\",\"hex\":\"", is_in ? "host->wasm" : "wasm->host");
    for (const char c : frame) std::fprintf(file, "%02x", static_cast<unsigned char>(c));
    std::fputs("\"}\n", file);
}

// The external functions of a module that return at once are answered by the script as ops are. Others are effects.
void add_externals(const WasmRun& run, wasm::GuestOptions& options) {
    for (const wasm::ExternalFunction& function : run.program->externals()) {
        if (function.is_async) continue;
        effect::ScriptedFunction scripted;
        if (!run.script.empty()) {
            scripted = *effect::scripted_function(run.script, function.interface_id, function.name);
        }
        if (scripted) {
            options.externals.emplace(function.key(), std::move(scripted));
        } else {
            std::fprintf(stderr,
                         "gyre run: the module needs the external function %s: give its answers in "
                         "--handlers FILE, with \"effect\": \"%s\" and \"op\": \"%s\"\n",
                         function.to_text().c_str(), function.interface_id.c_str(),
                         function.name.c_str());
        }
    }
}

// A module that imports WASI is a command: its entry is `_start`, its output is its own.
void add_wasi(WasmRun& run, wasm::GuestOptions& options, const wasm::StandardOptions& standard) {
    const RunRequest& request = run.request;
    run.entry = request.entry;
    const auto& imports = run.program->module().imports();
    const auto is_wasi = [](const wasm::Item& item) { return item.module == wasi_module; };
    if (std::ranges::none_of(imports, is_wasi)) return;
    if (run.program->find(run.entry) == nullptr) run.entry = "_start";
    if (request.run_count > 1) throw UsageError("a WASI command runs once: leave --runs out");
    if (!request.journal.empty() || !request.store.empty()) {
        throw UsageError("a WASI command has no journal, which could not open its files again");
    }
    WasiOptions given{.files = {.is_simulated = is_simulated(request)},
                      .seed = standard.seed,
                      .read_time = standard.read_time,
                      .system_start_ms = standard.system_start_ms,
                      .read_wall_clock = standard.read_wall_clock};
    given.arguments.push_back(request.file);
    given.arguments.insert(given.arguments.end(), request.arguments.begin(),
                           request.arguments.end());
    for (const std::string& one : standard.allowed) {
        if (one.starts_with("fs=")) given.files.folders.push_back(one.substr(3));
        if (!one.starts_with("env=")) continue;
        const std::string name = one.substr(4);
        if (const char* value = std::getenv(name.c_str())) {
            given.environment.push_back(name + "=" + value);
        }
    }
    run.wasi = std::make_unique<Wasi>(std::move(given));
    run.wasi->files().add_to(run.handlers);
    options.handled_imports = run.wasi->files().imports(imports);
    options.imports = [wasi = run.wasi.get(), &imports](effect::RunId) {
        return wasi->imports(imports);
    };
}

// The exit status of a command that has called proc_exit.
std::optional<int> exit_status(const RunOutcome<Value>& outcome) {
    if (outcome.has_value()) return 0;
    if (outcome.kind() != effect::RunEndKind::failed) return std::nullopt;
    try {
        if (outcome.error().cause != nullptr) std::rethrow_exception(outcome.error().cause);
    } catch (const WasiExit& exit) {
        return exit.code() & 0xFF;
    } catch (...) {
    }
    return std::nullopt;
}

void make_guest(WasmRun& run, Program& program) {
    const RunRequest& request = run.request;
    wasm::GuestOptions options;
    if (request.memory_limit_bytes > 0)
        options.limits.memory_max_bytes = request.memory_limit_bytes;
    constexpr std::uint64_t virtual_fuel_step = 1'000'000;  // instructions
    options.limits.is_preemptible = !is_simulated(request);
    if (is_simulated(request)) options.limits.fuel_step = virtual_fuel_step;
    options.shares_store = request.shares_store;
    if (run.frames != nullptr) {
        options.on_frame = [file = run.frames.get()](wasm::FrameDirection direction,
                                                     std::string_view frame) {
            write_frame(file, direction, frame);
        };
    }
    const wasm::StandardOptions standard = standard_options(request, program);
    add_wasi(run, options, standard);
    add_externals(run, options);
    run.standard = std::make_unique<wasm::Standard>(standard);
    run.standard->add_to(run.handlers, *run.program);
    run.network = make_wasm_network(standard.allowed);
    if (run.network != nullptr) run.network->add_to(run.handlers, *run.program);
    run.guest = std::make_unique<wasm::WasmGuest>(run.program, std::move(options));
    for (const std::string& text : request.entry_arguments) {
        try {
            run.arguments.push_back(effect::value_from_json(text));
        } catch (const Failure& failure) {
            const bool is_syntax = std::string_view(failure.what()).starts_with("[json");
            throw UsageError("--arg " + text +
                             (is_syntax ? " is no JSON: a text is given as --arg '\"" + text + "\"'"
                                        : std::string(": ") + failure.what()));
        }
    }
    const bool works_for_others = !request.store.empty() && request.key.empty();
    if (run.program->find(run.entry) == nullptr && !works_for_others) {
        throw UsageError(entry_fault(request.file, run.entry, *run.program));
    }
}

bool is_limit(effect::ErrorKind kind) noexcept {
    using effect::ErrorKind;
    return kind == ErrorKind::time_limit || kind == ErrorKind::memory_limit ||
           kind == ErrorKind::stack_limit;
}

// One line of JSON, and one for people where something can be done; gives the exit status.
ExitCode tell(const WasmRun& run, const RunOutcome<Value>& outcome) {
    Value::Record line;
    line.emplace_back("kind", effect::name_of(outcome.kind()));
    ExitCode code = ExitCode::fine;
    if (outcome.has_value()) {
        line.emplace_back("value", outcome.value());
    } else if (outcome.kind() == effect::RunEndKind::failed) {
        const effect::RunError& error = outcome.error();
        line.emplace_back("message", error.message);
        line.emplace_back("error", effect::name_of(error.kind));
        code = is_limit(error.kind) ? ExitCode::cancelled : ExitCode::failed;
        const std::string hint = hint_for(error, *run.program, run.entry, run.steps.has_asked());
        if (!hint.empty()) std::fprintf(stderr, "gyre run: %s\n", hint.c_str());
    } else {
        line.emplace_back("reason", outcome.reason().why.str());
        code = ExitCode::cancelled;
    }
    std::printf("%s\n", effect::to_json(Value(std::move(line))).c_str());
    return code;
}

effect::SchedulerOptions scheduler_options(WasmRun& run) {
    effect::SchedulerOptions options;
    options.observer = &run.steps;
    if (run.request.seed) options.seed = *run.request.seed;
    // The outcome says how the run failed; only a detached task fails without one.
    options.failure_sink = [&run](effect::RunId, const effect::RunError& error) {
        if (run.has_told)
            std::fprintf(stderr, "gyre run: a detached task failed: %s\n", error.message.c_str());
    };
    return options;
}

// A run of a store, or the runs that others start there.
Future<int> run_stored(WasmRun* run, Scheduler* scheduler, Executor* executor) {
    std::vector<std::string> functions;
    for (const wasm::ExportedFunction& function : run->program->functions()) {
        functions.push_back(function.name);
    }
    const DurableProgram program{.guest = *run->guest,
                                 .handlers = run->handlers,
                                 .functions = functions,
                                 .entry = run->entry,
                                 .arguments = run->arguments};
    const auto outcome = co_await run_durable(*executor, *scheduler, run->request, program);
    run->has_told = true;
    co_return outcome ? static_cast<int>(tell(*run, *outcome)) : 0;
}

// The outcomes are told in the order of the runs, each when its function has ended; detached tasks may go on.
// The exit status is the largest.
Future<int> run_all(WasmRun* run, Scheduler* scheduler) {
    const effect::StartOptions start{.journal = run->journal.get()};
    std::deque<effect::RunHandle<Value>> handles;
    Event closed;
    std::size_t open_count = run->request.run_count;
    for (std::size_t i = 0; i < run->request.run_count; ++i) {
        handles.push_back(
            scheduler->start(*run->guest, run->handlers, run->entry, run->arguments, start));
        handles.back().on_closed([&] {
            if (--open_count == 0) closed.set();
        });
    }
    const TimeLimit limit(run->request.time_limit, [scheduler, &handles] {
        for (const auto& handle : handles) {
            scheduler->cancel(handle.id(), "the run passed its time limit (--time-limit)");
        }
    });
    const ScopeExit leave([&handles] {
        for (auto& handle : handles) handle.cancel("the program ends");
    });
    int code = 0;
    for (auto& handle : handles) {
        const RunOutcome<Value> outcome = co_await handle;
        const std::optional<int> exit = run->wasi == nullptr ? std::nullopt : exit_status(outcome);
        code = std::max(code, exit ? *exit : static_cast<int>(tell(*run, outcome)));
    }
    run->has_told = true;
    std::fflush(stdout);
    co_await closed.wait();
    co_return code;
}

}  // namespace

namespace {

// Handlers in JavaScript: a script runs the module.
ExitCode run_with_script(const RunRequest& request) {
    const bool has_more = !request.frames.empty() || !request.journal.empty() ||
                          request.run_count > 1 || request.shares_store || request.wants_steps;
    if (has_more) {
        throw UsageError(
            "--frames, --journal, --runs, --share-store and --steps are not there for handlers in "
            "JavaScript: leave them out");
    }
    refuse_in_store(request);
    if (!request.store.empty() && request.key.empty()) {
        throw UsageError("handlers in JavaScript answer one run of a store: --key names it");
    }
    RunRequest script = request;
    script.file = request.handlers;
    script.effects_module = std::filesystem::absolute(request.file).string();
    return run_script(script);
}

}  // namespace

ExitCode run_wasm(const RunRequest& request) {
    if (is_script(request.handlers)) return run_with_script(request);
    WasmRun run(request);
    run.program = read_wasm(*run.made.engine, request.file);
    open_files(run);
    ProgramOptions made{.trace = request.trace};
    made.platform = request.has_virtual_clock ? "sim" : std::string_view(request.platform);
    made.seed = request.seed;
    Program program(made);
    const SimulatedFaults faults(request, program);
    make_guest(run, program);
    ProgramRun first(program.platform(), program.run_options());
    Scheduler scheduler(first.executor(), scheduler_options(run));
    auto main = [&]() {
        return request.store.empty() ? run_all(&run, &scheduler)
                                     : run_stored(&run, &scheduler, &first.executor());
    };
    const auto result = run_main(first, main, "gyre run");
    first.close();  // the scheduler's timer comes back
    if (result.end() == RunEnd::deadlock && run.steps.asked() != nullptr) {
        std::fprintf(stderr, "gyre run: the run waits for an answer to %s, which never comes\n",
                     run.steps.asked()->name().c_str());
    }
    return static_cast<ExitCode>(result.exit_code());
}

}  // namespace gyre::cli
