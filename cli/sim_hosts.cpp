// SPDX-License-Identifier: Apache-2.0
#include "cli/sim_hosts.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <sstream>

#include "cli/run.hpp"
#include "cli/simulated_faults.hpp"
#include "cli/time_limit.hpp"
#include "cli/usage.hpp"
#include "gyre/sim/world.hpp"

namespace gyre::cli {
namespace {

using namespace std::chrono_literals;

// After the last fault.
constexpr Duration rests_within = 2min;
constexpr Duration looks_every = 1s;
// In real time.
constexpr Duration hangs_after = 30s;
constexpr std::size_t name_size_max = 63;

bool is_host_name(std::string_view name) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789-";
    return !name.empty() && name.size() <= name_size_max && name != "localhost" &&
           name.find_first_not_of(letters) == name.npos;
}

std::vector<std::string> names_of(const std::vector<HostRequest>& hosts) {
    std::vector<std::string> names;
    for (const HostRequest& host : hosts) names.push_back(host.name);
    return names;
}

ExitCode run_one(const HostRequest& program, std::uint64_t seed) {
    RunRequest request;
    request.file = program.words.front();
    request.arguments.assign(program.words.begin() + 1, program.words.end());
    request.has_virtual_clock = true;
    request.seed = seed;
    try {
        return run_file(request);
    } catch (const UsageError& error) {
        std::fprintf(stderr, "gyre sim: host %s: %s\n", program.name.c_str(), error.what());
        return ExitCode::usage;
    }
}

// Every program has ended; or those that serve are left, the faults are over, and a client has been there.
bool is_at_rest(const sim::World& world, Instant faults_end) {
    const auto& hosts = world.hosts();
    const auto has_ended = [](const auto& host) { return host->exit_code().has_value(); };
    if (std::ranges::all_of(hosts, has_ended)) return true;
    if (world.now() < faults_end || std::ranges::none_of(hosts, has_ended)) return false;
    return std::ranges::all_of(hosts, [&](const auto& host) {
        return has_ended(host) || (host->is_running() && host->is_server());
    });
}

ExitCode tell(const sim::World& world) {
    ExitCode worst = ExitCode::fine;
    std::fflush(stdout);
    for (const auto& host : world.hosts()) {
        ExitCode code = static_cast<ExitCode>(host->exit_code().value_or(0));
        if (code != ExitCode::fine) {
            std::fprintf(stderr, "gyre sim: host %s: exit code %d\n", host->name().c_str(),
                         static_cast<int>(code));
        } else if (!host->exit_code() && !host->is_server()) {
            code = ExitCode::deadlock;
            std::fprintf(stderr, "gyre sim: host %s still waits, 2 min after the last fault\n%s\n",
                         host->name().c_str(), host->describe().c_str());
        }
        worst = std::max(worst, code);
    }
    return worst;
}

}  // namespace

std::vector<HostRequest> read_hosts(const std::vector<std::string>& texts) {
    std::vector<HostRequest> hosts;
    std::set<std::string> names;
    for (const std::string& text : texts) {
        const std::size_t mark = text.find('=');
        HostRequest host{.name = text.substr(0, mark), .words = {}, .text = text};
        if (!is_host_name(host.name) || mark == text.npos) {
            throw UsageError("--host " + text +
                             ": give NAME=FILE; a name has small letters, digits and dashes");
        }
        if (!names.insert(host.name).second) {
            throw UsageError("--host " + text + ": there is a host '" + host.name + "' already");
        }
        std::istringstream rest(text.substr(mark + 1));
        for (std::string word; rest >> word;) host.words.push_back(word);
        if (host.words.empty() || ::access(host.words.front().c_str(), R_OK) != 0) {
            throw UsageError("--host " + text + ": the file cannot be read");
        }
        hosts.push_back(std::move(host));
    }
    if (hosts.size() > host_count_max) {
        throw UsageError("more than " + std::to_string(host_count_max) + " hosts");
    }
    return hosts;
}

sim::Plan plan_of(const std::string& text, std::uint64_t seed,
                  const std::vector<HostRequest>& hosts) {
    const std::vector<std::string> names = names_of(hosts);
    if (const auto level = sim::parse_level(text)) {
        return sim::draw_plan(*level, seed, names, faults_last);
    }
    sim::Plan plan = read_events(text, names);
    for (const sim::PlanEvent& event : plan.events) {
        if (event.kind != sim::FaultKind::memory) continue;
        throw UsageError(
            "--plan: 'memory' is there for hosts of a C++ program only (gyre/testing/search.hpp)");
    }
    return plan;
}

void run_world(const std::vector<HostRequest>& hosts, std::uint64_t seed, const sim::Plan& plan) {
    const TimeLimit limit(hangs_after, [] {
        std::fputs("gyre sim: the seed takes more than 30 s of real time: it hangs\n", stderr);
        std::_Exit(static_cast<int>(ExitCode::cancelled));
    });
    sim::VirtualClock clock;
    sim::World world(clock, {.seed = seed});
    for (const HostRequest& program : hosts) {
        const std::uint64_t own_seed = seed * host_count_max + world.hosts().size();
        world
            .add_host({.name = program.name},
                      {.main =
                           [&program, own_seed](sim::Host& /*host*/) {
                               return static_cast<int>(run_one(program, own_seed));
                           }})
            .start();
    }
    const sim::PlanRun faults(plan, world);
    const Instant begin = world.now();
    const Instant faults_end = begin + plan.end();
    while (!is_at_rest(world, faults_end) && world.now() < faults_end + rests_within) {
        if (world.run_until(world.now() + looks_every) == sim::World::End::turn_limit) {
            std::fputs("gyre sim: the programs turn without an end\n", stderr);
            std::_Exit(static_cast<int>(ExitCode::cancelled));
        }
    }
    const ExitCode code = tell(world);
    std::fprintf(stderr, "gyre sim: seed %llu: trace %016llx, %.3f s simulated\n",
                 static_cast<unsigned long long>(seed),
                 static_cast<unsigned long long>(world.trace_hash()),
                 std::chrono::duration<double>(world.now() - begin).count());
    std::fflush(nullptr);
    std::_Exit(static_cast<int>(code));
}

}  // namespace gyre::cli
