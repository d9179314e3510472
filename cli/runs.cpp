// SPDX-License-Identifier: Apache-2.0
// gyre runs: durable runs from outside of their workers: what there is, what they did, and what to do to them.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/definitions.hpp"
#include "cli/runs_verbs.hpp"
#include "cli/usage.hpp"
#include "gyre/bridge/effect_json/json_value.hpp"
#include "gyre/durable/store.hpp"

namespace gyre::cli {
namespace {

using durable::HistoryStep;
using durable::RunInfo;
using durable::RunStatus;
using durable::Store;
using effect::Value;

const std::vector<std::string>& status_names() {
    static const std::vector<std::string> names = {"open", "done", "failed", "cancelled"};
    return names;
}

Value time_or_nothing(const std::optional<db::Timestamp>& time) {
    return time ? Value(time->to_string()) : Value();
}

Value::Record record_of(const RunInfo& run) {
    Value::Record record;
    record.emplace_back("key", run.key);
    record.emplace_back("status", name_of(run.status));
    record.emplace_back("entry", run.entry);
    record.emplace_back("version", run.version);
    record.emplace_back("queue", run.queue);
    record.emplace_back("parent", run.parent);
    record.emplace_back("worker", run.worker);
    record.emplace_back("created", run.created_at.to_string());
    record.emplace_back("wakes", time_or_nothing(run.wakes_at));
    record.emplace_back("ended", time_or_nothing(run.ended_at));
    record.emplace_back("result", run.result);
    record.emplace_back("error", run.error);
    record.emplace_back("message", run.message);
    return record;
}

// What it does, or how it ended.
std::string state_of(const RunInfo& run) {
    switch (run.status) {
        case RunStatus::open:
            if (!run.worker.empty()) return "runs at " + run.worker;
            if (!run.wakes_at) return "waits for a signal or another run";
            return "waits until " + run.wakes_at->to_string();
        case RunStatus::done:
            return run.result.to_text();
        case RunStatus::failed:
            return run.error + ": " + run.message;
        case RunStatus::cancelled:
            break;
    }
    return run.message;
}

Future<void> list(Store& store, const RunsCommand& command) {
    durable::ListOptions options;
    options.queue = command.queue;
    options.count_max = command.count_max;
    for (std::size_t i = 0; i < status_names().size(); ++i) {
        if (command.status == status_names()[i]) options.status = static_cast<RunStatus>(i);
    }
    const std::vector<RunInfo> runs = co_await store.list(options);
    for (const RunInfo& run : runs) {
        if (command.is_json) {
            print_json(record_of(run));
        } else {
            std::printf("%-9s  %-24s  %-16s  %s\n", name_of(run.status), run.key.c_str(),
                        run.entry.c_str(), state_of(run).c_str());
        }
    }
    if (runs.empty() && !command.is_json) std::fputs("no runs\n", stderr);
}

void print_words(const RunInfo& run, const std::vector<HistoryStep>& steps) {
    std::printf("%s: %s\n", run.key.c_str(), name_of(run.status));
    std::printf("  entry    %s%s%s, queue %s\n", run.entry.c_str(),
                run.version.empty() ? "" : " of version ", run.version.c_str(), run.queue.c_str());
    if (!run.parent.empty()) std::printf("  parent   %s\n", run.parent.c_str());
    std::printf("  created  %s\n", run.created_at.to_string().c_str());
    if (run.ended_at) std::printf("  ended    %s\n", run.ended_at->to_string().c_str());
    std::printf("  %s   %s\n", run.status == RunStatus::done ? "result" : "now   ",
                state_of(run).c_str());
    if (!steps.empty()) std::puts("answers");
    for (const HistoryStep& step : steps) {
        const effect::JournalEntry& entry = step.entry;
        const std::string answer =
            entry.is_failure ? "failed: " + entry.failure
                             : std::string(name_of(entry.kind)) + " " + entry.value.to_text();
        std::printf("  %4lld  %s  task %u  %s::%s%s  %s\n", static_cast<long long>(step.number),
                    step.at.to_string().c_str(), entry.task, entry.effect.c_str(), entry.op.c_str(),
                    entry.arguments.to_text().c_str(), answer.c_str());
    }
}

Value value_of(const HistoryStep& step) {
    const effect::JournalEntry& entry = step.entry;
    Value::Record record;
    record.emplace_back("number", step.number);
    record.emplace_back("at", step.at.to_string());
    record.emplace_back("task", entry.task);
    record.emplace_back("effect", entry.effect);
    record.emplace_back("op", entry.op);
    record.emplace_back("arguments",
                        Value(Value::List(entry.arguments.begin(), entry.arguments.end())));
    record.emplace_back("kind", entry.is_failure ? "failure" : name_of(entry.kind));
    record.emplace_back("value", entry.is_failure ? Value(entry.failure) : entry.value);
    return Value(std::move(record));
}

Future<void> show(Store& store, const RunsCommand& command) {
    const std::optional<RunInfo> run = co_await store.info(command.key);
    if (!run) throw std::runtime_error("there is no run '" + command.key + "'");
    const std::vector<HistoryStep> steps = co_await store.history(command.key);
    if (!command.is_json) {
        print_words(*run, steps);
        co_return;
    }
    Value::Record record = record_of(*run);
    Value::List answers;
    for (const HistoryStep& step : steps) answers.push_back(value_of(step));
    record.emplace_back("answers", Value(std::move(answers)));
    print_json(std::move(record));
}

Future<void> start(Store& store, const RunsCommand& command) {
    effect::Arguments arguments = arguments_of(command);
    durable::RunOptions options;
    if (!command.queue.empty()) options.queue = command.queue;
    options.version = command.version;
    if (!co_await store.start(command.key, command.name, std::move(arguments), options)) {
        throw std::runtime_error("there is a run '" + command.key + "' already");
    }
    std::fprintf(stderr, "%s waits for a worker of queue %s\n", command.key.c_str(),
                 options.queue.c_str());
}

Future<void> cancel(Store& store, const RunsCommand& command) {
    const std::string reason = command.text.empty() ? "gyre runs cancel" : command.text;
    co_await store.cancel(command.key, reason);
    std::fprintf(stderr, "asked %s to end\n", command.key.c_str());
}

Future<void> retry(Store& store, const RunsCommand& command) {
    co_await store.retry(command.key);
    std::fprintf(stderr, "%s is begun again\n", command.key.c_str());
}

Future<void> signal(Store& store, const RunsCommand& command) {
    Value value = json_or_nothing(command.text, "the value is");
    co_await store.signal(command.key, command.name, std::move(value));
    std::fprintf(stderr, "told %s: %s\n", command.key.c_str(), command.name.c_str());
}

Future<void> collect(Store& store, const RunsCommand& command) {
    constexpr double micros_per_day = 86'400e6;
    const db::Timestamp before{store.now().micros -
                               static_cast<std::int64_t>(command.days * micros_per_day)};
    constexpr std::size_t at_once = 1000;
    std::size_t count = 0;
    for (;;) {
        const std::size_t removed = co_await store.remove_ended(before, at_once);
        count += removed;
        if (removed < at_once) break;
        std::fprintf(stderr, "removed %zu runs\n", count);
    }
    std::printf("removed %zu runs\n", count);
}

void add_key(CLI::App& verb, RunsCommand& options) {
    verb.add_option("KEY", options.key, "The key of the run")->required()->type_name("");
}

}  // namespace

void add_runs(CLI::App& program, ExitCode& exit_code) {
    CLI::App& runs = *program.add_subcommand("runs", "Look after durable runs");
    runs.require_subcommand(1);
    const auto options = std::make_shared<RunsCommand>();
    CLI::App& listing =
        add_verb(runs, options, exit_code, "list", "The runs, the newest first", list);
    choose(*listing.add_option("--status", options->status, "Only those"), status_names());
    listing.add_option("--queue", options->queue, "Only those of a queue")->type_name("QUEUE");
    listing.add_option("--count", options->count_max, "At most so many; default: 100")
        ->type_name("N");
    listing.add_flag("--json", options->is_json, "One line of JSON for each");
    CLI::App& showing = add_verb(runs, options, exit_code, "show", "One run and its answers", show);
    add_key(showing, *options);
    showing.add_flag("--json", options->is_json, "One line of JSON");
    CLI::App& starting = add_verb(runs, options, exit_code, "start",
                                  "Begin a run, for a worker that knows its entry", start);
    add_key(starting, *options);
    starting.add_option("ENTRY", options->name, "The function, as its worker calls it")
        ->required()
        ->type_name("");
    starting.add_option("ARGUMENTS", options->text, "A list, in JSON")->type_name("");
    starting.add_option("--queue", options->queue, "Its queue; default: default")
        ->type_name("QUEUE");
    starting.add_option("--version", options->version, "Only for workers of this version")
        ->type_name("TEXT");
    starting.parse_complete_callback([options] { options->makes_store = true; });
    CLI::App& cancelling = add_verb(runs, options, exit_code, "cancel", "End a run", cancel);
    add_key(cancelling, *options);
    cancelling.add_option("REASON", options->text, "Why")->type_name("");
    add_key(add_verb(runs, options, exit_code, "retry", "Begin a run again that failed", retry),
            *options);
    CLI::App& signalling =
        add_verb(runs, options, exit_code, "signal", "Tell a run something", signal);
    add_key(signalling, *options);
    signalling.add_option("NAME", options->name, "The name of the signal")
        ->required()
        ->type_name("");
    signalling.add_option("VALUE", options->text, "Its value, as JSON")->type_name("");
    CLI::App& collecting =
        add_verb(runs, options, exit_code, "gc", "Forget runs that ended long ago", collect);
    add_plans(runs, options, exit_code);
    collecting.add_option("--days", options->days, "Before so many days; default: 30")
        ->type_name("N")
        ->check(CLI::Range(0.0, 1e6));
}

}  // namespace gyre::cli
