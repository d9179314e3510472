// SPDX-License-Identifier: Apache-2.0
// gyre run FILE.wasm: one run of one function of a module, and its outcome as one line of JSON.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "cli/run.hpp"
#include "cli/time_limit.hpp"
#include "cli/usage.hpp"
#include "cli/wasm_file.hpp"
#include "cli/wasm_journal.hpp"
#include "cli/wasm_wasi.hpp"
#include "gyre/app/run.hpp"
#include "gyre/bridge/effect_json/handler_script.hpp"
#include "gyre/bridge/effect_json/json_value.hpp"
#include "gyre/effect/scheduler.hpp"
#include "gyre/sim/virtual_clock.hpp"
#include "gyre/task/sync/event.hpp"
#include "lang/wasm/guest.hpp"
#include "lang/wasm/standard/standard.hpp"
#include "lang/wasm/wasmtime/wasmtime.hpp"

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
        if (event.kind == effect::RunEventKind::performed) asked_ = event.op;
        if (event.kind == effect::RunEventKind::answered) asked_ = nullptr;
        if (prints_) std::fprintf(stderr, "%s\n", effect::to_line(event).c_str());
    }
    // Null: for nothing.
    [[nodiscard]] const effect::OpInfo* asked() const noexcept { return asked_; }

private:
    const bool prints_;
    const effect::OpInfo* asked_ = nullptr;
};

struct CloseFile {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

// Everything that one run needs, in the order of its lifetime.
struct WasmRun {
    explicit WasmRun(const RunRequest& from) : request(from), steps(from.wants_steps) {}

    const RunRequest& request;
    std::unique_ptr<wasm::Engine> engine = wasm::make_wasmtime();
    std::shared_ptr<const wasm::Program> program;
    std::unique_ptr<std::FILE, CloseFile> frames;
    std::unique_ptr<FileJournal> journal;
    std::unique_ptr<wasm::Standard> standard;
    std::unique_ptr<Wasi> wasi;  // of a module that imports it
    std::string entry;
    effect::Handlers handlers;
    effect::Arguments arguments;
    std::unique_ptr<wasm::WasmGuest> guest;
    WasmSteps steps;
    bool has_told = false;
};

void open_files(WasmRun& run) {
    const RunRequest& request = run.request;
    if (!request.frames.empty()) {
        run.frames.reset(std::fopen(request.frames.c_str(), "w"));
        if (run.frames == nullptr)
            throw UsageError("--frames " + request.frames + ": cannot write");
    }
    if (!request.journal.empty()) run.journal = std::make_unique<FileJournal>(request.journal);
    if (request.handlers.empty()) return;
    const std::string text = read_whole_file(request.handlers, script_size_max_bytes);
    if (const auto added = effect::add_handler_script(run.handlers, text); !added) {
        throw UsageError(request.handlers + ": " + added.error().message);
    }
}

void write_frame(std::FILE* file, wasm::FrameDirection direction, std::string_view frame) {
    const bool is_in = direction == wasm::FrameDirection::into_guest;
    std::fprintf(file, "{\"dir\":\"%s\",\"hex\":\"", is_in ? "host->wasm" : "wasm->host");
    for (const char c : frame) std::fprintf(file, "%02x", static_cast<unsigned char>(c));
    std::fputs("\"}\n", file);
}

// `fs=DIR` with the whole path of the folder. Anything else must be of a kind that there is.
std::string allowed_place(const std::string& allowed) {
    constexpr std::string_view files = "fs=";
    if (allowed.starts_with(files)) {
        const auto folder = std::filesystem::absolute(allowed.substr(files.size()));
        std::string path = folder.lexically_normal().string();
        while (path.size() > 1 && path.ends_with('/')) path.pop_back();
        return std::string(files) + path;
    }
    if (allowed.starts_with("env=")) return allowed;
    if (allowed.starts_with("net=")) {
        throw UsageError("--allow " + allowed +
                         ": no effect reaches the network yet: leave it out");
    }
    throw UsageError("--allow " + allowed + ": give fs=DIR or env=NAME");
}

// In virtual time everything is the same each time, and reading the clock moves it, so that a program which
// waits for the clock to move ends.
wasm::StandardOptions standard_options(const RunRequest& request, Program& program) {
    constexpr std::int64_t virtual_start_ms = 946'684'800'000;  // 2000-01-01
    wasm::StandardOptions options;
    for (const std::string& one : request.allowed) options.allowed.push_back(allowed_place(one));
    if (auto* clock = dynamic_cast<sim::VirtualClock*>(&program.clock())) {
        options.system_start_ms = virtual_start_ms;
        options.read_time = [clock] {
            clock->advance(clock_step);
            return clock->peek();
        };
    } else {
        std::timespec now{};
        static_cast<void>(std::timespec_get(&now, TIME_UTC));
        options.read_time = [&program] { return program.clock().now(); };
        const auto passed =
            static_cast<std::int64_t>(program.clock().now().nanoseconds() / 1'000'000);
        options.system_start_ms = now.tv_sec * 1'000 + now.tv_nsec / 1'000'000 - passed;
        static_cast<void>(::getentropy(&options.seed, sizeof options.seed));
    }
    if (request.seed) options.seed = *request.seed;
    return options;
}

// A module that imports WASI is a command: its entry is `_start`, its output is its own.
void add_wasi(WasmRun& run, wasm::GuestOptions& options, const wasm::StandardOptions& standard) {
    const RunRequest& request = run.request;
    run.entry = request.entry;
    const auto& imports = run.program->module().imports();
    const auto is_wasi = [](const wasm::Item& item) { return item.module == Wasi::module_name; };
    if (std::ranges::none_of(imports, is_wasi)) return;
    if (run.program->find(run.entry) == nullptr) run.entry = "_start";
    WasiOptions given{.seed = standard.seed,
                      .read_time = standard.read_time,
                      .system_start_ms = standard.system_start_ms};
    given.arguments.push_back(request.file);
    given.arguments.insert(given.arguments.end(), request.arguments.begin(),
                           request.arguments.end());
    for (const std::string& one : standard.allowed) {
        if (one.starts_with("fs=")) given.folders.push_back(one.substr(3));
        if (!one.starts_with("env=")) continue;
        const std::string name = one.substr(4);
        if (const char* value = std::getenv(name.c_str())) {
            given.environment.push_back(name + "=" + value);
        }
    }
    run.wasi = std::make_unique<Wasi>(std::move(given));
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
    options.limits.is_preemptible = !program.platform().is_simulated();
    // A guest that is never stopped must count its own time: nothing else could end it.
    if (request.time_limit && !options.limits.is_preemptible) {
        options.limits.time_max = *request.time_limit;
    }
    if (run.frames != nullptr) {
        options.on_frame = [file = run.frames.get()](wasm::FrameDirection direction,
                                                     std::string_view frame) {
            write_frame(file, direction, frame);
        };
    }
    const wasm::StandardOptions standard = standard_options(request, program);
    add_wasi(run, options, standard);
    run.standard = std::make_unique<wasm::Standard>(standard);
    run.standard->add_to(run.handlers, *run.program);
    run.guest = std::make_unique<wasm::WasmGuest>(run.program, std::move(options));
    for (const std::string& text : request.entry_arguments) {
        try {
            run.arguments.push_back(effect::value_from_json(text));
        } catch (const Failure& failure) {
            throw UsageError("--arg " + text + ": " + failure.what());
        }
    }
    if (run.program->find(run.entry) == nullptr) {
        std::string names;
        for (const auto& function : run.program->functions()) names += " " + function.name;
        throw UsageError(request.file + " exports no function '" + run.entry +
                         "' (--entry); there are:" + names);
    }
}

bool is_limit(effect::ErrorKind kind) noexcept {
    using effect::ErrorKind;
    return kind == ErrorKind::time_limit || kind == ErrorKind::memory_limit ||
           kind == ErrorKind::stack_limit;
}

// One line of JSON; gives the exit status.
ExitCode tell(const RunOutcome<Value>& outcome) {
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
        if (error.kind == effect::ErrorKind::unhandled_effect) {
            std::fputs(
                "gyre run: provide a handler for it: --handlers FILE (gyre inspect lists the "
                "effects of a module, and --allow permits standard ones)\n",
                stderr);
        }
    } else {
        line.emplace_back("reason", outcome.reason().why);
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

// The outcome is told when the function has ended; its detached tasks may go on.
Future<int> run_once(WasmRun* run, Scheduler* scheduler) {
    const effect::StartOptions start{.journal = run->journal.get()};
    effect::RunHandle<Value> handle =
        scheduler->start(*run->guest, run->handlers, run->entry, run->arguments, start);
    Event closed;
    handle.on_closed([&closed] { closed.set(); });
    const TimeLimit limit(run->request.time_limit, [scheduler, id = handle.id()] {
        scheduler->cancel(id, "the run passed its time limit (--time-limit)");
    });
    const ScopeExit leave([&handle] { handle.cancel("the program ends"); });
    const RunOutcome<Value> outcome = co_await handle;
    const std::optional<int> exit = run->wasi == nullptr ? std::nullopt : exit_status(outcome);
    const int code = exit ? *exit : static_cast<int>(tell(outcome));
    run->has_told = true;
    std::fflush(stdout);
    co_await closed.wait();
    co_return code;
}

}  // namespace

ExitCode run_wasm(const RunRequest& request) {
    WasmRun run(request);
    run.program = read_wasm(*run.engine, request.file);
    open_files(run);
    ProgramOptions made{.trace = request.trace};
    made.platform = request.has_virtual_clock ? "sim" : std::string_view(request.platform);
    made.seed = request.seed;
    Program program(made);
    make_guest(run, program);
    ProgramRun first(program.platform(), program.run_options());
    Scheduler scheduler(first.executor(), scheduler_options(run));
    auto main = [&run, &scheduler]() { return run_once(&run, &scheduler); };
    const auto result = run_main(first, main, "gyre run");
    first.close();  // the scheduler's timer comes back
    if (result.end() == RunEnd::deadlock && run.steps.asked() != nullptr) {
        std::fprintf(stderr, "gyre run: the run waits for an answer to %s, which never comes\n",
                     run.steps.asked()->name().c_str());
    }
    return static_cast<ExitCode>(result.exit_code());
}

}  // namespace gyre::cli
