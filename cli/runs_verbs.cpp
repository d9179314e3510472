// SPDX-License-Identifier: Apache-2.0
#include "cli/runs_verbs.hpp"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "cli/async_command.hpp"
#include "cli/usage.hpp"
#include "gyre/app/run.hpp"
#include "gyre/bridge/effect_json/json_value.hpp"

namespace gyre::cli {

using durable::Store;
using effect::Value;

namespace {

void expect_store(const std::string& url, bool may_make) {
    const std::string sqlite = "sqlite:";
    if (!url.starts_with(sqlite)) return;
    const std::string file = url.substr(sqlite.size());
    if (file == ":memory:") throw UsageError("a store in memory has no runs of others");
    if (!may_make && ::access(file.c_str(), R_OK | W_OK) != 0) {
        throw UsageError("there is no store of runs in '" + file + "': --store names another");
    }
}

ExitCode run_runs(const RunsCommand& command, const RunsAct& act) {
    expect_store(command.store, command.makes_store);
    gyre::Program program;
    AsyncCommand runs("gyre runs");
    const auto work = [&](Executor& executor) -> Future<int> {
        Store store(executor, command.store);
        co_await store.open();
        co_await act(store, command);
        co_return 0;
    };
    const auto app = [&](Scope& root) { return runs.run(work(root.executor())); };
    return runs.end(gyre::run(program, app).exit_code());
}

}  // namespace

CLI::App& add_verb(CLI::App& runs, const std::shared_ptr<RunsCommand>& options, ExitCode& exit_code,
                   const char* name, const char* text, RunsAct act) {
    CLI::App* verb = runs.add_subcommand(name, text);
    verb->add_option("--store", options->store,
                     "Where the runs are: postgres://... or sqlite:FILE; default: $GYRE_STORE, or "
                     "sqlite:runs.db")
        ->type_name("URL")
        ->envname("GYRE_STORE")
        ->default_val("sqlite:runs.db");
    verb->callback(
        [options, &exit_code, act = std::move(act)] { exit_code = run_runs(*options, act); });
    return *verb;
}

void print_json(Value::Record record) {
    std::printf("%s\n", effect::to_json(Value(std::move(record))).c_str());
}

Value json_or_nothing(const std::string& text, const char* what) {
    if (text.empty()) return {};
    try {
        return effect::value_from_json(text);
    } catch (const Failure& failure) {
        throw UsageError(std::string(what) + " no JSON: " + failure.what());
    }
}

effect::Arguments arguments_of(const RunsCommand& command) {
    const Value given = json_or_nothing(command.text, "the arguments are");
    effect::Arguments arguments;
    if (given.is(Value::Kind::list)) {
        for (const Value& argument : given.list()) arguments.push_back(argument);
    } else if (!given.is(Value::Kind::nothing)) {
        throw UsageError("the arguments are a list in JSON, as '[1, \"two\"]'");
    }
    return arguments;
}

}  // namespace gyre::cli
