// SPDX-License-Identifier: Apache-2.0
// The command line of a search, its jobs and its report.
#include "gyre/testing/search.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "gyre/testing/internal/search_options.hpp"

namespace gyre::testing {
namespace {

using WallClock = std::chrono::steady_clock;

constexpr int failed = 1;
constexpr int wrong_usage = 2;

std::string hex(std::uint64_t number) {
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(number));
    return text.data();
}

std::string quoted(std::string_view text) {
    std::string json = "\"";
    for (const char letter : text) {
        if (letter == '"' || letter == '\\') json += '\\';
        if (letter == '\n') {
            json += "\\n";
        } else if (static_cast<unsigned char>(letter) < 0x20) {
            json += ' ';
        } else {
            json += letter;
        }
    }
    return json + "\"";
}

std::string one_line(const sim::Plan& plan) {
    std::string text;
    for (const sim::PlanEvent& event : plan.events) {
        text += (text.empty() ? "" : "; ") + sim::to_text(event);
    }
    return text;
}

struct Failure {
    std::uint64_t seed;
    sim::Plan plan;
    TrialResult result;
    Sizes sizes = {};
};

std::string sizes_as_json(const Sizes& sizes) {
    if (sizes.all.empty()) return {};
    std::string text;
    for (const Size& size : sizes.all) {
        text += (text.empty() ? "" : ",") + quoted(size.name) + ":" + std::to_string(size.value);
    }
    return ",\"sizes\":{" + text + "}";
}

bool has_hosts(const sim::Plan& plan, const std::vector<std::string>& hosts) {
    const auto is_there = [&hosts](const std::string& name) {
        return name.empty() || std::ranges::find(hosts, name) != hosts.end();
    };
    return std::ranges::all_of(plan.events, [&is_there](const sim::PlanEvent& event) {
        return is_there(event.host) && is_there(event.other);
    });
}

void make_smaller(const Scenario& scenario, Failure& failure) {
    failure.plan = shrink_plan(scenario, failure.seed, std::move(failure.plan));
    const Scenario small = shrink_sizes(scenario, failure.seed, failure.plan);
    // With less to do, fewer faults may be enough.
    failure.plan = shrink_plan(small, failure.seed, std::move(failure.plan));
    failure.sizes = small.sizes;
    failure.result = run_trial(small, failure.seed, failure.plan);
}

// What all jobs have done, and what the next one does.
struct Progress {
    std::mutex mutex;
    std::condition_variable changed;
    std::uint64_t next_seed;
    std::uint64_t end_seed;
    bool is_stopping = false;
    std::uint64_t done = 0;
    Duration simulated{};
    std::array<std::uint64_t, sim::fault_kind_count> faults{};
    std::map<std::string, sim::ChancePoints::Count> points;
    std::map<std::uint64_t, WallClock::time_point> running;  // by seed
    std::optional<Failure> failure;                          // of the lowest seed
};

void print_progress(const Progress& progress, WallClock::time_point begin) {
    const double seconds =
        std::max(std::chrono::duration<double>(WallClock::now() - begin).count(), 1e-3);
    const double hours = std::chrono::duration<double>(progress.simulated).count() / 3600;
    std::string line = std::to_string(progress.done) + " seeds";
    std::array<char, 96> rates{};
    std::snprintf(rates.data(), rates.size(), ", %.0f seeds/s, %.2f simulated hours/s",
                  static_cast<double>(progress.done) / seconds, hours / seconds);
    line += rates.data();
    for (std::size_t kind = 0; kind < sim::fault_kind_count; ++kind) {
        if (progress.faults[kind] == 0) continue;
        line += ", ";
        line += sim::word_of(static_cast<sim::FaultKind>(kind));
        line += " " + std::to_string(progress.faults[kind]);
    }
    std::string never;
    for (const auto& [name, count] : progress.points) {
        if (count.taken == 0) never += " '" + name + "'";
    }
    if (!never.empty()) line += ", points never taken:" + never;
    std::fprintf(stderr, "%s\n", line.c_str());
}

// Two runs of one seed that differ: the first trace event is found by running both for shorter.
std::string first_difference(const Scenario& scenario, std::uint64_t seed, const sim::Plan& plan) {
    const TraceOfRun first = trace_of(scenario, seed, plan);
    const TraceOfRun second = trace_of(scenario, seed, plan);
    const auto [a, b] = std::ranges::mismatch(first, second);
    const auto text = [](const TraceOfRun& trace, auto at) {
        return at == trace.end() ? std::string("the end") : *at;
    };
    return "the same seed ran in two ways, first at turn " +
           std::to_string(std::distance(first.begin(), a)) + ": " + text(first, a) + " or " +
           text(second, b);
}

TrialResult run_seed(const Scenario& scenario, std::uint64_t seed, const sim::Plan& plan) {
    constexpr std::uint64_t twice_one_in = 100;
    TrialResult result = run_trial(scenario, seed, plan);
    if (seed % twice_one_in != 0 || !result.why.empty()) return result;
    if (run_trial(scenario, seed, plan).trace_hash != result.trace_hash) {
        result.why = first_difference(scenario, seed, plan);
    }
    return result;
}

void work(const Scenario& scenario, const SearchOptions& options,
          const std::vector<std::string>& hosts, Progress& progress) {
    for (;;) {
        std::unique_lock lock(progress.mutex);
        if (progress.is_stopping || progress.next_seed == progress.end_seed) return;
        const std::uint64_t seed = progress.next_seed++;
        progress.running[seed] = WallClock::now();
        lock.unlock();
        const sim::Plan plan = plan_for(options, scenario, seed, hosts);
        TrialResult result = run_seed(scenario, seed, plan);
        lock.lock();
        progress.running.erase(seed);
        ++progress.done;
        progress.simulated += result.simulated;
        for (std::size_t i = 0; i < sim::fault_kind_count; ++i) {
            progress.faults[i] += result.faults[i];
        }
        for (const auto& [name, count] : result.points) {
            progress.points[name].reached += count.reached;
            progress.points[name].taken += count.taken;
        }
        if (result.why.empty()) continue;
        progress.is_stopping = true;
        if (!progress.failure || seed < progress.failure->seed) {
            progress.failure = Failure{seed, plan, std::move(result)};
        }
        progress.changed.notify_all();
    }
}

// A line a second; a seed that takes too long ends the program, because its thread cannot be ended.
void watch(Progress& progress, const SearchOptions& options, WallClock::time_point begin) {
    constexpr auto hang_after = std::chrono::seconds(30);
    std::unique_lock lock(progress.mutex);
    while (!progress.is_stopping) {
        progress.changed.wait_for(lock, std::chrono::seconds(1));
        const WallClock::time_point now = WallClock::now();
        if (options.seconds > 0 && now - begin > std::chrono::seconds(options.seconds)) {
            progress.is_stopping = true;
        }
        for (const auto& [seed, since] : progress.running) {
            if (now - since < hang_after) continue;
            std::printf("{\"seed\":%llu,\"why\":\"a hang: more than 30 s for one seed\"}\n",
                        static_cast<unsigned long long>(seed));
            std::fflush(stdout);
            std::_Exit(failed);
        }
        if (!progress.is_stopping && !options.is_quiet) print_progress(progress, begin);
    }
}

void report(const Failure& failure, const SearchOptions& options, const std::string& program) {
    std::string events;
    for (const sim::PlanEvent& event : failure.plan.events) {
        events += (events.empty() ? "" : ",") + quoted(sim::to_text(event));
    }
    std::printf("{\"seed\":%llu,\"trace\":\"%s\",\"why\":%s%s,\"plan\":[%s]}\n",
                static_cast<unsigned long long>(failure.seed),
                hex(failure.result.trace_hash).c_str(), quoted(failure.result.why).c_str(),
                sizes_as_json(failure.sizes).c_str(), events.c_str());
    std::fflush(stdout);
    std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(failure.seed),
                 failure.result.why.c_str());
    for (const std::string& line : failure.result.history) {
        std::fprintf(stderr, "  %s\n", line.c_str());
    }
    std::fprintf(stderr, "%s", failure.result.tasks.c_str());
    std::fprintf(stderr, "the plan:\n");
    for (const sim::PlanEvent& event : failure.plan.events) {
        std::fprintf(stderr, "  %s\n", sim::to_text(event).c_str());
    }
    std::string again = options.repeated;
    if (options.shrinks) {
        again += " --plan '" + one_line(failure.plan) + "'";
    } else if (!options.plan_word.empty()) {
        again += " --plan '" + options.plan_word + "'";
    }
    for (const Size& size : failure.sizes.all) {
        again += " --size " + size.name + "=" + std::to_string(size.value);
    }
    std::fprintf(stderr, "again: %s --seed %llu%s --trace %s\n", program.c_str(),
                 static_cast<unsigned long long>(failure.seed), again.c_str(),
                 hex(failure.result.trace_hash).c_str());
}

int run_one(const Scenario& scenario, const SearchOptions& options, const std::string& program,
            const std::vector<std::string>& hosts) {
    Failure run{*options.seed, plan_for(options, scenario, *options.seed, hosts), {}};
    run.result = run_seed(scenario, run.seed, run.plan);
    if (options.trace && *options.trace != run.result.trace_hash) {
        std::fprintf(stderr, "seed %llu has the trace %s here: it is of another build or plan\n",
                     static_cast<unsigned long long>(run.seed), hex(run.result.trace_hash).c_str());
        return wrong_usage;
    }
    if (run.result.why.empty()) {
        std::fprintf(stderr, "seed %llu: nothing went wrong, trace %s\n",
                     static_cast<unsigned long long>(run.seed), hex(run.result.trace_hash).c_str());
        return 0;
    }
    run.sizes = scenario.sizes;
    if (options.shrinks) make_smaller(scenario, run);
    report(run, options, program);
    return failed;
}

int run_many(const Scenario& scenario, const SearchOptions& options, const std::string& program,
             const std::vector<std::string>& hosts) {
    Progress progress;
    progress.next_seed = options.first_seed;
    progress.end_seed = options.first_seed + options.seed_count;
    const WallClock::time_point begin = WallClock::now();
    std::thread watcher([&] { watch(progress, options, begin); });
    std::vector<std::thread> jobs;
    for (unsigned i = 0; i < options.jobs; ++i) {
        jobs.emplace_back([&] { work(scenario, options, hosts, progress); });
    }
    for (std::thread& job : jobs) job.join();
    {
        const std::lock_guard lock(progress.mutex);
        progress.is_stopping = true;
    }
    progress.changed.notify_all();
    watcher.join();
    print_progress(progress, begin);
    if (!progress.failure) return 0;
    progress.failure->sizes = scenario.sizes;
    if (options.shrinks) make_smaller(scenario, *progress.failure);
    report(*progress.failure, options, program);
    return failed;
}

}  // namespace

int search_seeds(int argc, char** argv, const Scenario& whole) {
    Scenario scenario = whole;
    std::vector<std::string> hosts = host_names(scenario);
    const std::string program = argc > 0 ? argv[0] : scenario.name;
    std::expected<SearchOptions, std::string> options =
        read_options({argv + 1, static_cast<std::size_t>(std::max(argc - 1, 0))}, scenario, hosts);
    if (!options) {
        std::fprintf(stderr, "%s\n", options.error().c_str());
        return wrong_usage;
    }
    if (options->wants_help) {
        std::printf("%s", help_of(scenario, program).c_str());
        return 0;
    }
    for (const auto& [name, value] : options->sizes) {
        std::ranges::find(scenario.sizes.all, name, &Size::name)->value = value;
    }
    hosts = host_names(scenario);
    if (options->plan && !has_hosts(*options->plan, hosts)) {
        std::fprintf(stderr, "--plan: an event is of a host that --size leaves out\n");
        return wrong_usage;
    }
    return options->seed ? run_one(scenario, *options, program, hosts)
                         : run_many(scenario, *options, program, hosts);
}

}  // namespace gyre::testing
