// SPDX-License-Identifier: Apache-2.0
// The seam between the prompt of `gyre repl` and `gyre sql` and the languages that it serves. A language takes whole inputs from
// the Prompt, runs them, and shows what comes of them. All on the loop's thread but `completions`,
// which is called on the thread that reads, while no input runs.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/app/program.hpp"
#include "gyre/task/core/future.hpp"

namespace gyre::cli {

class Prompt {
public:
    virtual ~Prompt() = default;
    // The next input, with all its lines. Nothing: the end.
    [[nodiscard]] virtual Future<std::optional<std::string>> next() = 0;
    // A value, for standard output; a message, for standard error.
    virtual void show(std::string_view text) = 0;
    virtual void report(std::string_view text) = 0;
};

// What the prompt runs beside the inputs, as a task on the loop of the language.
struct ReplTasks {
    std::function<Future<void>()> beside;
    // Ends it, and the line that is being read.
    std::function<void()> end;
};

class ReplLanguage {
public:
    virtual ~ReplLanguage() = default;
    // Before the cursor: "vela> ".
    [[nodiscard]] virtual std::string prompt() const = 0;
    // Whether the lines are a whole input.
    [[nodiscard]] virtual bool is_complete(const std::string& lines) = 0;
    [[nodiscard]] virtual std::vector<std::string> completions(const std::string& lines) = 0;
    // A command such as `:type`, without the colon: its word and the rest. False: there is none.
    [[nodiscard]] virtual bool command(Prompt& prompt, std::string_view word,
                                       const std::string& rest) = 0;
    // A line for each command, for `:help`.
    [[nodiscard]] virtual std::string help() const = 0;
    // Runs inputs on a loop until the prompt ends or the program exits; the exit code.
    [[nodiscard]] virtual int run(Prompt& prompt, ReplTasks tasks) = 0;
    // Ctrl-C while an input runs: ends the call that computes, on any thread; then the input, on
    // the loop's.
    virtual void interrupt_call() noexcept {}
    virtual void interrupt() = 0;
};

// Whether Ctrl-C was typed and has not been answered. Of the process; safe in any thread.
[[nodiscard]] bool is_interrupt_wanted() noexcept;

[[nodiscard]] std::unique_ptr<ReplLanguage> make_vela_repl(gyre::Program& program);
// engine: its name; empty: the default one. Throws a UsageError in a build without it.
[[nodiscard]] std::unique_ptr<ReplLanguage> make_script_repl(gyre::Program& program,
                                                             std::string engine);

// Runs a language at the prompt until it ends: the exit code. `history`: the file of earlier inputs, in
// the folder for state of the user.
[[nodiscard]] int run_repl(
    const char* history,
    const std::function<std::unique_ptr<ReplLanguage>(gyre::Program&)>& make_language);

}  // namespace gyre::cli
