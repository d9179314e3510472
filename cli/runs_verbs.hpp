// SPDX-License-Identifier: Apache-2.0
// What the verbs of gyre runs have in common: their options, a store, and lines of JSON. The main thread.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "gyre/durable/store.hpp"
#include "gyre/task/core/run.hpp"

namespace gyre::cli {

struct RunsCommand {
    std::string store;
    bool is_json = false;
    bool makes_store = false;
    std::string key;
    std::string status;
    std::string queue;
    std::string name;
    std::string version;
    std::string text;
    std::size_t count_max = 100;
    double days = 30;
    // Of schedules and queues.
    std::string cron;
    std::string zone = "UTC";
    std::size_t catch_up_max = 1;
    std::optional<std::uint32_t> running_max;
    std::optional<double> per_second;
};

// What a verb does with the store.
using RunsAct = std::function<Future<void>(durable::Store&, const RunsCommand&)>;

CLI::App& add_verb(CLI::App& runs, const std::shared_ptr<RunsCommand>& options, ExitCode& exit_code,
                   const char* name, const char* text, RunsAct act);
// The verbs of schedules and queues.
void add_plans(CLI::App& runs, const std::shared_ptr<RunsCommand>& options, ExitCode& exit_code);

void print_json(effect::Value::Record record);
// Throws a UsageError for what is no JSON; `what` begins the message.
[[nodiscard]] effect::Value json_or_nothing(const std::string& text, const char* what);
// Those of a run, in the text of the command.
[[nodiscard]] effect::Arguments arguments_of(const RunsCommand& command);

}  // namespace gyre::cli
