// SPDX-License-Identifier: Apache-2.0
// gyre runs schedule, schedules, unschedule, limit: when runs are started by themselves, and how many at once.
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "cli/runs_verbs.hpp"
#include "cli/usage.hpp"
#include "gyre/durable/queues.hpp"
#include "gyre/durable/schedules.hpp"

namespace gyre::cli {
namespace {

using durable::DurableError;
using durable::ScheduleInfo;
using durable::Store;
using effect::Value;

Future<void> schedule(Store& store, const RunsCommand& command) {
    durable::ScheduleOptions options;
    if (!command.queue.empty()) options.queue = command.queue;
    options.version = command.version;
    options.zone = command.zone;
    options.catch_up_max = command.catch_up_max;
    effect::Arguments arguments = arguments_of(command);
    try {
        co_await durable::set_schedule(store, command.key, command.cron, command.name,
                                       std::move(arguments), options);
    } catch (const DurableError& e) {
        if (e.kind() != DurableError::Kind::bad_schedule) throw;
        throw UsageError(e.what());
    }
    for (const ScheduleInfo& one : co_await durable::list_schedules(store)) {
        if (one.name != command.key) continue;
        std::fprintf(stderr, "%s starts %s next at %s, by a worker of queue %s\n", one.name.c_str(),
                     one.entry.c_str(), one.next_at.to_string().c_str(), one.queue.c_str());
    }
}

Future<void> list_them(Store& store, const RunsCommand& command) {
    const std::vector<ScheduleInfo> all = co_await durable::list_schedules(store);
    for (const ScheduleInfo& one : all) {
        const bool has_next = one.next_at != db::Timestamp::future();
        const std::string next = has_next ? one.next_at.to_string() : "never";
        if (!command.is_json) {
            std::printf("%-16s  %-20s  %-6s  %-16s  next %s\n", one.name.c_str(), one.cron.c_str(),
                        one.zone.c_str(), one.entry.c_str(), next.c_str());
            continue;
        }
        Value::Record record;
        record.emplace_back("name", one.name);
        record.emplace_back("cron", one.cron);
        record.emplace_back("zone", one.zone);
        record.emplace_back("queue", one.queue);
        record.emplace_back("entry", one.entry);
        record.emplace_back("version", one.version);
        record.emplace_back("catch_up_max", static_cast<std::int64_t>(one.catch_up_max));
        record.emplace_back("next", has_next ? Value(next) : Value());
        print_json(std::move(record));
    }
    if (all.empty() && !command.is_json) std::fputs("no schedules\n", stderr);
}

Future<void> unschedule(Store& store, const RunsCommand& command) {
    const bool was_there = co_await durable::remove_schedule(store, command.key);
    if (!was_there) {
        throw std::runtime_error("there is no schedule '" + command.key + "'");
    }
    std::fprintf(stderr, "%s starts nothing any more\n", command.key.c_str());
}

Future<void> limit(Store& store, const RunsCommand& command) {
    durable::QueueLimits limits;
    limits.running_max = command.running_max;
    limits.per_second = command.per_second;
    co_await durable::set_queue_limits(store, command.key, limits);
    std::fprintf(stderr, "queue %s: %s at once, %s a second\n", command.key.c_str(),
                 limits.running_max ? std::to_string(*limits.running_max).c_str() : "any number",
                 limits.per_second ? std::to_string(*limits.per_second).c_str() : "any number");
}

}  // namespace

void add_plans(CLI::App& runs, const std::shared_ptr<RunsCommand>& options, ExitCode& exit_code) {
    const auto make = [options] { options->makes_store = true; };
    CLI::App& scheduling = add_verb(runs, options, exit_code, "schedule",
                                    "Start runs again and again, or change when", schedule);
    scheduling.add_option("NAME", options->key, "The name of the schedule")
        ->required()
        ->type_name("");
    scheduling.add_option("CRON", options->cron, "When, as in crontab(5): '30 3 * * mon-fri'")
        ->required()
        ->type_name("");
    scheduling.add_option("ENTRY", options->name, "The function, as its worker calls it")
        ->required()
        ->type_name("");
    scheduling.add_option("ARGUMENTS", options->text, "A list, in JSON")->type_name("");
    scheduling.add_option("--zone", options->zone, "UTC, or a distance from it, as +05:30")
        ->type_name("ZONE");
    scheduling
        .add_option("--catch-up", options->catch_up_max,
                    "Of the times that were missed, the last N get their runs; default: 1")
        ->type_name("N");
    scheduling.add_option("--queue", options->queue, "The queue of the runs; default: default")
        ->type_name("QUEUE");
    scheduling.add_option("--version", options->version, "Only for workers of this version")
        ->type_name("TEXT");
    scheduling.parse_complete_callback(make);
    CLI::App& listing =
        add_verb(runs, options, exit_code, "schedules", "The schedules, by their names", list_them);
    listing.add_flag("--json", options->is_json, "One line of JSON for each");
    CLI::App& removing = add_verb(runs, options, exit_code, "unschedule",
                                  "Remove a schedule; its runs go on", unschedule);
    removing.add_option("NAME", options->key, "The name of the schedule")
        ->required()
        ->type_name("");
    CLI::App& limiting = add_verb(runs, options, exit_code, "limit",
                                  "Limit a queue; without options: lift its limits", limit);
    limiting.add_option("QUEUE", options->key, "The name of the queue")->required()->type_name("");
    limiting.add_option("--running", options->running_max, "At most N runs at work; 0: none")
        ->type_name("N");
    limiting
        .add_option("--per-second", options->per_second,
                    "Take up at most X runs in a second, all workers together")
        ->type_name("X")
        ->check(CLI::Range(1e-6, 1e6));
    limiting.parse_complete_callback(make);
}

}  // namespace gyre::cli
