// SPDX-License-Identifier: Apache-2.0
// gyre run: what the command line asks for, and the function of each language that runs it. To add
// a language, write its file and one line in the table of run.cpp. The main thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/kernel/clock.hpp"
#include "gyre/task/core/run.hpp"

namespace gyre::cli {

// Each reading of the virtual clock by a program moves it by this, so that a program that spins on
// the clock ends.
inline constexpr Duration clock_step = std::chrono::microseconds(1);

struct RunRequest {
    std::string file;  // "-": standard input
    std::vector<std::string> arguments;
    std::string platform;
    bool has_virtual_clock = false;
    std::optional<std::uint64_t> seed;
    std::string plan = "calm";           // of faults, in virtual time: a level, or events
    std::optional<Duration> time_limit;  // in real time
    std::size_t memory_limit_bytes = 0;  // 0: none
    std::string trace;
    bool is_watched = false;  // runs again when a source file changes
    bool wants_steps = false;
    bool shows_stack = false;  // of an uncaught error
    bool is_sandboxed = false;
    std::vector<std::string> allowed;  // fs=DIR, net=HOST:PORT, env=NAME
    std::uint32_t threads = 1;

    // Of scripts.
    std::string eval;           // the text itself, instead of a file
    bool prints_value = false;  // of `eval`
    std::string order = "node";
    std::string engine;
    std::string unhandled_rejections = "throw";
    std::optional<std::uint16_t> inspect_port;  // for a debugger; 0: a free one
    bool waits_for_debugger = false;            // and pauses before the first line
    std::string input_type;  // of `eval` and standard input: "module" or "commonjs"

    // Of scripts with a module: that of `--handlers FILE.js`, where `file` is FILE.js.
    std::string effects_module;

    // Of WebAssembly.
    std::string entry = "main";
    std::vector<std::string> entry_arguments;  // JSON
    std::string handlers;                      // a file with scripted answers
    std::string frames;                        // the file that frames are written to
    std::string journal;        // the file that answers are replayed from and written to
    std::size_t run_count = 1;  // runs of the function, side by side
    bool shares_store = false;  // of these runs
    std::string store;          // of durable runs: the URL of a database
    std::string key;            // of the run; empty: works for those of others
    std::string queue = "default";
    Duration lease = std::chrono::seconds(10);
};

// In the language of the file. Throws a UsageError for a request that cannot be served.
[[nodiscard]] ExitCode run_file(const RunRequest& request);

// Whether `gyre WORD ...` stands for `gyre run WORD ...`, as `node WORD ...` runs a script: a path with
// the ending of a language, any absolute path, or an option that has a text. So process.execPath starts
// scripts as Node's does.
[[nodiscard]] bool is_program(std::string_view word);

// Whether gyre run would run the file as JavaScript or TypeScript, by its ending.
[[nodiscard]] bool is_script(std::string_view file);

// Each throws a UsageError for a request that it cannot serve.
[[nodiscard]] ExitCode run_script(const RunRequest& request);
[[nodiscard]] ExitCode run_vela(const RunRequest& request);
[[nodiscard]] ExitCode run_wasm(const RunRequest& request);

}  // namespace gyre::cli
