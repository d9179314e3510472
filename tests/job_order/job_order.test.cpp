// SPDX-License-Identifier: Apache-2.0
// The order of jobs on random programs: as the model has it, and as Node has it. A failure prints
// its seed: GYRE_TEST_SEED=<seed> runs that program alone.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "tests/job_order/program.hpp"

namespace gyre::job_order {
namespace {

bool is_long() {
    const char* text = std::getenv("GYRE_TEST_LONG");
    return text != nullptr && std::string(text) == "1";
}

// From the first seed on so many; or the one that was asked for.
struct Seeds {
    std::uint64_t first = 0;
    std::uint64_t end = 0;
};
Seeds seeds(std::uint64_t first, std::uint64_t count) {
    if (const char* text = std::getenv("GYRE_TEST_SEED")) {
        const std::uint64_t seed = std::strtoull(text, nullptr, 10);
        return {seed, seed + 1};
    }
    return {first, first + count};
}

std::string joined(const Order& order) {
    std::string text;
    for (const std::string& line : order) text += (text.empty() ? "" : " ") + line;
    return text;
}

std::string run_again(std::uint64_t seed, const JobProgram& program) {
    return "GYRE_TEST_SEED=" + std::to_string(seed) + " runs this program alone\n" +
           as_javascript(program);
}

TEST(JobPrograms, run_in_the_order_of_the_model) {
    // clause: J13
    const auto [first, end] = seeds(1, is_long() ? 10'000 : 1'000);
    std::map<Kind, int> bodies_run;
    for (std::uint64_t seed = first; seed < end; ++seed) {
        const JobProgram as_for_node(seed, Work::outside_of_timers);
        ASSERT_EQ(joined(order_of_jobs(as_for_node, 1024)), joined(order_of_model(as_for_node)))
            << run_again(seed, as_for_node);
        const JobProgram program(seed);
        const Order order = order_of_jobs(program, 1024);
        ASSERT_EQ(joined(order), joined(order_of_model(program))) << run_again(seed, program);
        for (const std::string& line : order) {
            if (line[0] < '0' || line[0] > '9') continue;
            ++bodies_run[program.bodies[std::stoul(line)].kind];
        }
    }
    if (end - first < 1'000) return;
    for (const Kind kind : {Kind::tick, Kind::microtask, Kind::then, Kind::adopt, Kind::immediate,
                            Kind::timeout, Kind::interval}) {
        EXPECT_GT(bodies_run[kind], 300) << "kind " << static_cast<int>(kind);
    }
}

TEST(JobPrograms, run_in_the_same_order_however_small_the_slices) {
    // clause: J09
    const auto [first, end] = seeds(1, is_long() ? 10'000 : 1'000);
    for (std::uint64_t seed = first; seed < end; ++seed) {
        const JobProgram program(seed);
        ASSERT_EQ(joined(order_of_jobs(program, 1)), joined(order_of_jobs(program, 1024)))
            << run_again(seed, program);
    }
}

std::string output_of(const std::string& command) {
    std::string output;
    std::FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return output;
    std::array<char, 4096> buffer{};
    while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) output += buffer.data();
    pclose(pipe);
    while (!output.empty() && output.back() == '\n') output.pop_back();
    return output;
}

// In parts, so that they can run side by side.
class JobProgramsInNode : public testing::TestWithParam<int> {};
constexpr int part_count = 10;

TEST_P(JobProgramsInNode, run_in_the_same_order) {
    // clause: J13
    const std::string version = output_of("node --version 2>/dev/null");
    if (version.empty()) GTEST_SKIP() << "node is not installed";
    if (std::atoi(version.c_str() + 1) < 20) {
        GTEST_SKIP() << "node is " << version << ", whose order is another: 20 or later is needed";
    }
    const std::uint64_t count = (is_long() ? 1'000 : 100) / part_count;
    const auto [first, end] = seeds(1 + static_cast<std::uint64_t>(GetParam()) * count, count);
    const std::string path =
        testing::TempDir() + "gyre_job_program_" + std::to_string(getpid()) + ".js";
    for (std::uint64_t seed = first; seed < end; ++seed) {
        const JobProgram program(seed, Work::outside_of_timers);
        std::ofstream(path) << as_javascript(program);
        const std::string told = output_of("LD_PRELOAD='" NODE_CLOCK_PATH "' node '" + path + "'");
        ASSERT_EQ(joined(order_of_jobs(program, 1024)), told) << run_again(seed, program);
    }
    std::remove(path.c_str());
}
INSTANTIATE_TEST_SUITE_P(parts, JobProgramsInNode, testing::Range(0, part_count));

}  // namespace
}  // namespace gyre::job_order
