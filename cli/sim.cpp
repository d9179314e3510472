// SPDX-License-Identifier: Apache-2.0
// gyre sim: runs a program with many seeds, each in a process of its own, and stops at the first that
// fails or that does not print the same twice.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/definitions.hpp"
#include "cli/sim_hosts.hpp"
#include "cli/simulated_faults.hpp"
#include "cli/usage.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace gyre::cli {
namespace {

constexpr std::uint64_t seed_count_max = 1'000'000'000;
constexpr std::uint64_t twice_one_in = 100;
constexpr std::size_t output_bytes_max = std::size_t{1} << 20u;
constexpr const char* hang_limit = "30s";

struct SimRequest {
    std::uint64_t seed_count = 1000;
    std::uint64_t first_seed = 1;
    std::uint64_t seconds = 0;
    std::string plan = "rough";
    bool shrinks = false;
    std::optional<std::uint64_t> only_seed;  // runs in this process
    std::vector<std::string> program;        // the file and its arguments
    std::vector<HostRequest> hosts;          // in place of the program
};

sim::Plan plan_for(const SimRequest& request, std::uint64_t seed) {
    return request.hosts.empty() ? plan_of(request.plan, seed)
                                 : plan_of(request.plan, seed, request.hosts);
}

// The command that runs one seed, after the name of the program.
std::vector<std::string> words_of(const SimRequest& request, std::uint64_t seed,
                                  const std::string& plan) {
    std::vector<std::string> words;
    if (request.hosts.empty()) {
        words = {"run", "--sim=" + std::to_string(seed), "--plan", plan};
        words.insert(words.end(), request.program.begin(), request.program.end());
        return words;
    }
    words = {"sim", "--seed", std::to_string(seed), "--plan", plan};
    for (const HostRequest& host : request.hosts) {
        words.insert(words.end(), {"--host", host.text});
    }
    return words;
}

struct Ended {
    int exit_code = 0;
    std::string output;  // both streams, the first output_bytes_max

    friend bool operator==(const Ended&, const Ended&) = default;
};

// What is read beyond the limit is dropped, so that the program does not wait.
std::string read_all(int from) {
    std::string text;
    std::array<char, 65536> buffer{};
    for (;;) {
        const ssize_t size = ::read(from, buffer.data(), buffer.size());
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return text;
        const std::size_t room = output_bytes_max - text.size();
        text.append(buffer.data(), std::min(room, static_cast<std::size_t>(size)));
    }
}

Ended run_program(const SimRequest& request, std::uint64_t seed, const std::string& plan) {
    std::vector<std::string> words = words_of(request, seed, plan);
    words.insert(words.begin(), "gyre");
    if (request.hosts.empty()) words.insert(words.begin() + 2, {"--time-limit", hang_limit});
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe can be made");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    pid_t process = 0;
    const int refused =
        posix_spawn(&process, "/proc/self/exe", &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    Ended ended;
    if (refused == 0) ended.output = read_all(ends[0]);
    ::close(ends[0]);
    if (refused != 0) throw std::runtime_error("gyre cannot start itself");
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    ended.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return ended;
}

std::string why_of(const Ended& ended) {
    switch (ended.exit_code) {
        case 0:
            return {};
        case 3:
            return "a deadlock";
        case 4:
            return "cancelled or over a limit (a seed may take 30 s)";
        default:
            return "exit code " + std::to_string(ended.exit_code);
    }
}

std::string line_of(const sim::Plan& plan) {
    std::string text;
    for (const sim::PlanEvent& event : plan.events) {
        text += (text.empty() ? "" : "; ") + sim::to_text(event);
    }
    return text.empty() ? "calm" : text;
}

// As a word of a shell.
std::string quoted(const std::string& word) {
    const auto is_plain = [](unsigned char letter) {
        return std::isalnum(letter) != 0 || std::strchr("-_./=:,+", letter) != nullptr;
    };
    if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
    std::string text = "'";
    for (const char letter : word)
        text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return text + "'";
}

struct Failure {
    std::uint64_t seed;
    std::string why;
    Ended ended;
};

ExitCode report(const SimRequest& request, const Failure& failure) {
    const std::uint64_t seed = failure.seed;
    sim::Plan plan = plan_for(request, seed);
    const bool can_shrink = request.shrinks && failure.ended.exit_code != 0;
    if (can_shrink) {
        plan = sim::shrink(std::move(plan), [&](const sim::Plan& candidate) {
            return run_program(request, seed, line_of(candidate)).exit_code != 0;
        });
    }
    nlohmann::ordered_json line = {
        {"seed", seed}, {"exit", failure.ended.exit_code}, {"why", failure.why}};
    line["plan"] = nlohmann::json::array();
    for (const sim::PlanEvent& event : plan.events) line["plan"].push_back(sim::to_text(event));
    const auto replaced = nlohmann::ordered_json::error_handler_t::replace;
    std::printf("%s\n", line.dump(-1, ' ', false, replaced).c_str());
    std::fflush(stdout);
    std::string again;
    for (const std::string& word : words_of(request, seed, line_of(plan))) {
        again += " " + quoted(word);
    }
    std::fprintf(stderr, "%s\ngyre sim: seed %llu: %s\nagain: gyre%s\n",
                 failure.ended.output.c_str(), static_cast<unsigned long long>(seed),
                 failure.why.c_str(), again.c_str());
    return ExitCode::failed;
}

ExitCode search(const SimRequest& request) {
    using WallClock = std::chrono::steady_clock;
    const auto begin = WallClock::now();
    const auto seconds = [&] {
        return std::chrono::duration<double>(WallClock::now() - begin).count();
    };
    const sim::Plan first =
        plan_for(request, request.only_seed.value_or(0));  // refuses one that cannot be read
    if (request.only_seed) run_world(request.hosts, *request.only_seed, first);
    std::uint64_t done = 0;
    for (; done < request.seed_count; ++done) {
        if (request.seconds > 0 && seconds() > static_cast<double>(request.seconds)) break;
        const std::uint64_t seed = request.first_seed + done;
        Ended ended = run_program(request, seed, request.plan);
        // A mistake of the command line or of the program's text is none of the seed's.
        if (ended.exit_code == 2 && done == 0) {
            std::fputs(ended.output.c_str(), stderr);
            return ExitCode::usage;
        }
        std::string why = why_of(ended);
        if (why.empty() && (seed % twice_one_in == 0 || done == 0) &&
            run_program(request, seed, request.plan) != ended) {
            why =
                "the same seed printed something else: the program depends on what is not "
                "simulated";
        }
        if (!why.empty()) return report(request, {seed, why, std::move(ended)});
    }
    std::fprintf(stderr, "gyre sim: %llu seeds, %.0f a second, nothing went wrong\n",
                 static_cast<unsigned long long>(done),
                 static_cast<double>(done) / std::max(seconds(), 1e-3));
    return ExitCode::fine;
}

}  // namespace

void add_sim(CLI::App& program, ExitCode& exit_code) {
    const auto request = std::make_shared<SimRequest>();
    CLI::App* command = program.add_subcommand(
        "sim",
        "Run a program with many seeds in virtual time, with faults, and stop at the first that "
        "fails: gyre sim --seeds N FILE [ARGUMENT]..., or gyre sim --host a=FILE --host b=FILE");
    command->add_option("--seeds", request->seed_count, "How many seeds; default: 1000")
        ->type_name("N")
        ->check(CLI::Range(std::uint64_t{1}, seed_count_max));
    command->add_option("--first", request->first_seed, "The first seed; default: 1")
        ->type_name("N");
    command->add_option("--seconds", request->seconds, "Stop after this real time")->type_name("N");
    command
        ->add_option("--plan", request->plan,
                     "calm, rough (default), hostile, or events as gyre run --plan has them")
        ->type_name("PLAN");
    command->add_flag("--shrink", request->shrinks,
                      "Leave out events of the failing plan that do not matter");
    const auto hosts = std::make_shared<std::vector<std::string>>();
    command
        ->add_option("--host", *hosts,
                     "A program of a world of several hosts, with its arguments: NAME=\"FILE "
                     "ARGUMENT ...\"; given once for each")
        ->type_name("HOST")
        ->allow_extra_args(false);
    command->add_option("--seed", request->only_seed, "Run only this seed of the hosts, and print")
        ->type_name("N");
    command->prefix_command();
    command->callback([request, hosts, command, &exit_code] {
        request->program = command->remaining();
        request->hosts = read_hosts(*hosts);
        if (!request->hosts.empty()) {
            if (!request->program.empty()) {
                throw UsageError("'" + request->program.front() + "': a world has --host only");
            }
            exit_code = search(*request);
            return;
        }
        if (request->only_seed) throw UsageError("--seed is for --host; a FILE: gyre run --sim=N");
        if (request->program.empty()) throw UsageError("a FILE is required: gyre sim --help");
        if (request->program.front().starts_with("-")) {
            throw UsageError("unknown flag " + request->program.front() +
                             ": gyre sim --help lists them");
        }
        const std::string& file = request->program.front();
        if (::access(file.c_str(), R_OK) != 0) throw UsageError("cannot read '" + file + "'");
        exit_code = search(*request);
    });
}

}  // namespace gyre::cli
