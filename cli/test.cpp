// SPDX-License-Identifier: Apache-2.0
// gyre test: runs the @test functions of Vela files, each as a program of its own, in virtual time
// unless told otherwise.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.hpp"
#include "cli/definitions.hpp"
#include "cli/vela_host.hpp"
#include "gyre/app/run.hpp"

namespace gyre::cli {
namespace {

struct TestCommand {
    std::vector<std::string> files;
    std::string filter;
    std::string clock = "virtual";
};

struct TestCounts {
    int passed = 0;
    int failed = 0;
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

// The first line on standard error is the reason of a failure.
class TestHost final : public VelaHost {
public:
    using VelaHost::VelaHost;
    void report(std::string_view line) override {
        if (reason.empty()) reason = line;
    }
    std::string reason;
};

bool passes(const VelaProgram& loaded, const std::string& name, const TestCommand& command) {
    gyre::Program program({.platform = command.clock == "virtual" ? "sim" : ""});
    TestHost host(program, {});
    vela::MachineOptions options;
    options.entry = name;
    const auto main = [&]() -> Future<int> {
        const int exit_code =
            co_await vela::run_program(*loaded.lowered, host, options, vela_libraries());
        co_return exit_code;
    };
    const int exit_code = gyre::run(program, main).exit_code();
    if (exit_code == 0) {
        std::printf("ok   %s\n", name.c_str());
        return true;
    }
    constexpr std::string_view uncaught = "Uncaught ";
    if (host.reason.starts_with(uncaught)) host.reason.erase(0, uncaught.size());
    std::printf("FAIL %s: %s\n", name.c_str(), host.reason.c_str());
    return false;
}

ExitCode run_tests(const TestCommand& command) {
    TestCounts counts;
    ExitCode exit_code = ExitCode::fine;
    for (const std::string& path : command.files) {
        const VelaProgram loaded = load_vela(path);
        if (loaded.lowered == nullptr) {
            exit_code = ExitCode::usage;
            continue;
        }
        for (const std::string& name : tests_of(*loaded.program)) {
            if (name.find(command.filter) == std::string::npos) continue;
            ++(passes(loaded, name, command) ? counts.passed : counts.failed);
        }
    }
    std::printf("%d passed, %d failed\n", counts.passed, counts.failed);
    if (exit_code == ExitCode::fine && counts.failed > 0) exit_code = ExitCode::failed;
    return exit_code;
}

}  // namespace

void add_test(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand("test", "Run the @test functions of Vela files");
    auto options = std::make_shared<TestCommand>();
    command->add_option("FILE", options->files, "Vela files")->required()->type_name("");
    command->add_option("--filter", options->filter, "Only tests whose name contains TEXT")
        ->type_name("TEXT");
    choose(*command->add_option("--clock", options->clock, "Time of the tests; default: virtual"),
           {"real", "virtual"});
    command->callback([options, &exit_code] { exit_code = run_tests(*options); });
}

}  // namespace gyre::cli
