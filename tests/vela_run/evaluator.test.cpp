// SPDX-License-Identifier: Apache-2.0
// The reference evaluator against what programs should print.
#include "tests/vela_run/evaluator.hpp"

#include "gyre/vela/syntax/report.hpp"
#include "tests/vela/cases.hpp"

namespace gyre::vela {
namespace {

std::expected<std::string, std::string> no_file(const std::string& path) {
    return std::unexpected(path + ": there is none");
}

Outcome run_text(const std::string& text) {
    const auto program = check("a.vela", text, &no_file);
    EXPECT_EQ(report(program->diagnostics.sorted()), "") << text;
    if (program->diagnostics.has_errors()) return {};
    Outcome outcome = evaluate(*program, "a.vela");
    EXPECT_EQ(outcome.internal_error, "") << text;
    return outcome;
}

std::string output_of(const std::string& text) {
    return run_text(text).output();
}

std::string output_of_main(const std::string& body) {
    return output_of("async fn main() -> void {\n" + body + "\n}\n");
}

bool needs_sockets(const std::string& text) {
    return text.find("HttpServer") != std::string::npos ||
           text.find("httpClient") != std::string::npos;
}

int exit_code_of(const std::string& program) {
    std::ifstream file(std::filesystem::path(VELA_FILES) / "programs" / "exit_codes.txt");
    std::string name;
    int code = 0;
    while (file >> name >> code) {
        if (name == program) return code;
    }
    ADD_FAILURE() << program << " has no exit code";
    return -1;
}

TEST(VelaRun, the_programs_print_exactly_what_they_should) {
    int run_count = 0;
    std::vector<std::string> skipped;
    for (const auto& path : files_of("programs")) {
        auto wanted = path;
        wanted.replace_extension(".out");
        if (!std::filesystem::exists(wanted)) continue;
        const std::string text = read_text(path);
        const std::string name = path.filename().string();
        if (needs_sockets(text)) {
            skipped.push_back(name + ": needs sockets");
            continue;
        }
        const Outcome outcome = run_text(text);
        EXPECT_EQ(outcome.output(), read_text(wanted)) << name;
        wanted.replace_extension(".stderr");
        std::string errors;
        for (const std::string& line : outcome.errors) errors += line + '\n';
        EXPECT_EQ(errors, std::filesystem::exists(wanted) ? read_text(wanted) : "") << name;
        EXPECT_EQ(outcome.exit_code, exit_code_of(name)) << name;
        ++run_count;
    }
    EXPECT_EQ(skipped, std::vector<std::string>{"13_http.vela: needs sockets"});
    EXPECT_GE(run_count, 7);
}

TEST(VelaRun, the_clean_programs_and_the_seeds_run_without_an_internal_error) {
    std::vector<std::pair<std::string, std::string>> programs;
    for (const Case& right : cases_of("clean")) programs.emplace_back(right.name, right.program);
    for (const auto& path : files_of("seed_complete")) {
        programs.emplace_back(path.filename().string(), read_text(path));
    }
    int main_count = 0;
    std::vector<std::string> skipped;
    for (const auto& [name, text] : programs) {
        if (text.find("fn main()") == std::string::npos) continue;
        if (needs_sockets(text)) {
            skipped.push_back(name);
            continue;
        }
        SCOPED_TRACE(name);
        run_text(text);
        ++main_count;
    }
    EXPECT_EQ(skipped,
              (std::vector<std::string>{"a_server_and_its_routes", "12_1.vela"}));
    EXPECT_GE(main_count, 50);
}

}  // namespace
}  // namespace gyre::vela
