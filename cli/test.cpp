// SPDX-License-Identifier: Apache-2.0
// gyre test: runs the @test functions of Vela files, each as a program of its own, in virtual time
// and side by side unless told otherwise; and files of JavaScript and TypeScript, whose node:test
// reports itself, one after the other.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cli/commands.hpp"
#include "cli/definitions.hpp"
#include "cli/run.hpp"
#include "cli/usage.hpp"
#include "cli/vela_file.hpp"
#include "cli/vela_host.hpp"
#include "gyre/app/run.hpp"

namespace gyre::cli {
namespace {

struct TestCommand {
    std::vector<std::string> files;
    std::string filter;
    std::string clock = "virtual";
    std::uint32_t jobs = 0;
    std::vector<std::string> allowed;
};

std::vector<std::string> tests_of(const vela::Program& program) {
    std::vector<std::string> names;
    for (const vela::Decl* node : program.order.back()->tree.declarations) {
        if (node->kind != vela::DeclKind::function) continue;
        for (const vela::Decorator& decorator : node->decorators) {
            if (decorator.name.text == "test") names.emplace_back(node->name.text);
        }
    }
    return names;
}

// Keeps what the test prints, so that tests can run side by side. The first line on standard error is
// the reason of a failure.
class TestHost final : public VelaHost {
public:
    using VelaHost::VelaHost;
    void print(std::string_view line) override {
        output += line;
        output += '\n';
    }
    void report(std::string_view line) override {
        if (reason.empty()) reason = line;
    }
    void differ(std::string_view expected, std::string_view found) override {
        difference = difference_of(expected, found);
    }
    std::string output;
    std::string reason;
    std::string difference;

private:
    // Both values, and a mark below the first place where they differ.
    static std::string difference_of(std::string_view expected, std::string_view found) {
        const auto first = std::ranges::mismatch(expected, found).in1 - expected.begin();
        std::string text = "     expected " + std::string(expected) + "\n     found    ";
        text += std::string(found) + "\n" + std::string(14 + static_cast<std::size_t>(first), ' ');
        return text + "^\n";
    }
};

struct TestRun {
    const VelaProgram* program = nullptr;
    std::string name;
    std::string text = {};  // its output and its line
    bool has_passed = false;
    bool has_ended = false;
};

void run_test(TestRun& test, const TestCommand& command) {
    const bool is_virtual = command.clock == "virtual";
    // Signals are for the thread that handles them: in virtual time a test just ends.
    gyre::Program program(
        {.platform = is_virtual ? "sim" : "", .run = {.handles_signals = !is_virtual}});
    TestHost host(program, {});
    vela::MachineOptions options;
    options.entry = test.name;
    const auto main = [&]() -> Future<int> {
        const int exit_code =
            co_await vela::run_program(*test.program->lowered, host, options, vela_libraries());
        co_return exit_code;
    };
    test.has_passed = gyre::run(program, main).exit_code() == 0;
    test.text = std::move(host.output);
    if (test.has_passed) {
        test.text += "ok   " + test.name + "\n";
        return;
    }
    constexpr std::string_view uncaught = "Uncaught ";
    if (host.reason.starts_with(uncaught)) host.reason.erase(0, uncaught.size());
    test.text += "FAIL " + test.name + ": " + host.reason + "\n" + host.difference;
}

// Runs the tests on several threads and prints each when it and all before it have ended.
class TestRunner {
public:
    TestRunner(std::vector<TestRun>& tests, const TestCommand& command) noexcept
        : tests_(tests), command_(command) {}

    void run(std::size_t thread_count) {
        std::vector<std::thread> threads;
        for (std::size_t i = 1; i < thread_count; ++i) threads.emplace_back([this] { work(); });
        work();
        for (std::thread& thread : threads) thread.join();
    }

private:
    void work() {
        for (;;) {
            std::size_t number = 0;
            {
                const std::lock_guard lock(mutex_);
                if (next_ == tests_.size()) return;
                number = next_++;
            }
            run_test(tests_[number], command_);
            const std::lock_guard lock(mutex_);
            tests_[number].has_ended = true;
            for (; told_ < tests_.size() && tests_[told_].has_ended; ++told_) {
                static_cast<void>(std::fputs(tests_[told_].text.c_str(), stdout));
            }
        }
    }

    std::vector<TestRun>& tests_;
    const TestCommand& command_;
    std::mutex mutex_;
    std::size_t next_ = 0;  // guarded by the mutex, as are the texts of tests that have ended
    std::size_t told_ = 0;
};

// The count of the files that failed.
std::size_t run_scripts(const std::vector<std::string>& files, const TestCommand& command) {
    std::size_t failed = 0;
    for (const std::string& file : files) {
        std::printf("%s\n", file.c_str());
        static_cast<void>(std::fflush(stdout));
        RunRequest request;
        request.file = file;
        request.has_virtual_clock = command.clock == "virtual";
        if (run_script(request) != ExitCode::fine) ++failed;
    }
    std::printf("%zu of %zu files failed\n", failed, files.size());
    return failed;
}

ExitCode run_vela_tests(const TestCommand& command, const std::vector<std::string>& files) {
    ExitCode exit_code = ExitCode::fine;
    std::deque<VelaProgram> programs;
    std::vector<TestRun> tests;
    for (const std::string& path : files) {
        VelaProgram& loaded = programs.emplace_back(load_vela(path, command.allowed));
        if (loaded.lowered == nullptr) {
            exit_code = ExitCode::usage;
            continue;
        }
        for (std::string& name : tests_of(*loaded.program)) {
            if (name.find(command.filter) == std::string::npos) continue;
            tests.push_back({&loaded, std::move(name)});
        }
    }
    // In real time one after the other: they share ports, files and the processor.
    const std::size_t usable = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t most = command.jobs > 0 ? command.jobs : usable;
    const bool is_real = command.clock == "real";
    TestRunner(tests, command).run(is_real ? 1 : std::min(most, tests.size()));
    const auto passed = std::ranges::count(tests, true, &TestRun::has_passed);
    const auto failed = static_cast<std::ptrdiff_t>(tests.size()) - passed;
    std::printf("%td passed, %td failed\n", passed, failed);
    if (exit_code == ExitCode::fine && failed > 0) exit_code = ExitCode::failed;
    return exit_code;
}

ExitCode run_tests(const TestCommand& command) {
    std::vector<std::string> scripts;
    std::vector<std::string> others;
    for (const std::string& file : command.files) {
        (is_script(file) ? scripts : others).push_back(file);
    }
    if (!scripts.empty() && !command.filter.empty()) {
        throw UsageError("--filter is for Vela files: node:test has `only` and `skip`");
    }
    ExitCode exit_code = ExitCode::fine;
    if (!others.empty()) exit_code = run_vela_tests(command, others);
    const bool has_failed = !scripts.empty() && run_scripts(scripts, command) > 0;
    return has_failed && exit_code == ExitCode::fine ? ExitCode::failed : exit_code;
}

}  // namespace

void add_test(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand(
        "test", "Run the @test functions of Vela files, and files of node:test");
    auto options = std::make_shared<TestCommand>();
    command->add_option("FILE", options->files, "Vela files, and files of JavaScript or TypeScript")
        ->required()
        ->type_name("");
    command->add_option("--filter", options->filter, "Only tests whose name contains TEXT")
        ->type_name("TEXT");
    command->add_option("--jobs", options->jobs, "Tests that run at once; default: one per core")
        ->type_name("N");
    choose(*command->add_option("--clock", options->clock, "Time of the tests; default: virtual"),
           {"real", "virtual"});
    add_import_option(*command, options->allowed);
    command->callback([options, &exit_code] { exit_code = run_tests(*options); });
}

}  // namespace gyre::cli
