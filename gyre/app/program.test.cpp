// SPDX-License-Identifier: Apache-2.0
// Program: what options and environment variables choose, and the warning for a value that means
// nothing.
#include "gyre/app/program.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "gyre/app/environment_variable.test.hpp"
#include "gyre/app/run.hpp"
#include "gyre/fs/temporary.hpp"
#include "gyre/fs/tree.hpp"
#include "gyre/fs/whole_file.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/thread/blocking.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

Future<void> nothing() {
    co_return;
}

std::string name_of_platform(const ProgramOptions& options = {}) {
    Program program(options);
    return program.platform().name();
}

// What a program logs while it is set up and run with this value.
Lines lines_with(const char* variable, const char* value) {
    const EnvironmentVariable set(variable, value);
    const LoggedLines logged;
    EXPECT_EQ(run(nothing), 0);
    return LoggedLines::lines();
}

std::string read_whole(std::string path) {
    Program program({.platform = "epoll"});
    return run(program, [&] { return fs::read_file(path); }).value();
}

// A folder of the system, which lives as long as the test's process.
std::string new_folder() {
    Program program({.platform = "epoll"});
    const auto make = []() -> Future<std::string> {
        fs::TemporaryFolder folder = co_await fs::temporary_folder();
        co_return folder.keep();
    };
    return run(program, make).value();
}

void remove_folder(std::string path) {
    EXPECT_EQ(run([&] { return fs::remove_tree(path); }, {.platform = "epoll"}), 0);
}

TEST(Program, is_on_the_platform_that_the_options_name) {
    EXPECT_EQ(name_of_platform({.platform = "epoll"}), "epoll");
    EXPECT_EQ(name_of_platform({.platform = "sim"}), "sim");
    EXPECT_NE(name_of_platform({.platform = "best"}), "sim");
}

TEST(Program, is_on_the_platform_of_the_environment_if_the_options_name_none) {
    const EnvironmentVariable simulated("GYRE_PLATFORM", "sim");
    EXPECT_EQ(name_of_platform(), "sim");
    EXPECT_EQ(name_of_platform({.platform = "epoll"}), "epoll");
    const EnvironmentVariable real("GYRE_PLATFORM", "epoll");
    EXPECT_EQ(name_of_platform(), "epoll");
}

TEST(Program, warns_once_of_a_platform_that_there_is_not) {
    EXPECT_EQ(lines_with("GYRE_PLATFORM", "abacus"),
              Lines{"warn: GYRE_PLATFORM=abacus is ignored: choose uring, epoll, best or sim"});
    EXPECT_EQ(lines_with("GYRE_PLATFORM", ""), Lines{});
}

TEST(Program, whose_options_name_a_platform_that_there_is_not_does_not_start) {
    try {
        Program program({.platform = "abacus"});
        ADD_FAILURE() << "it started";
    } catch (const StartError& error) {
        EXPECT_STREQ(error.what(),
                     "there is no platform 'abacus': choose uring, epoll, best or sim");
        EXPECT_EQ(error.code(), std::errc::invalid_argument);
    }
}

TEST(Program, warns_once_of_a_log_level_that_there_is_not) {
    EXPECT_EQ(lines_with("GYRE_LOG", "loud"),
              Lines{"warn: GYRE_LOG=loud is ignored: choose off, error, warn, info, debug or "
                    "trace"});
    EXPECT_EQ(lines_with("GYRE_LOG", "warn"), Lines{});
    EXPECT_EQ(lines_with("GYRE_LOG", ""), Lines{});
}

TEST(ProgramDeathTest, logs_at_the_level_of_the_environment) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            ::setenv("GYRE_LOG", "info", 1);
            std::exit(run([]() -> Future<int> {
                log(LogLevel::info, "heard");
                log(LogLevel::debug, "not heard");
                co_return 0;
            }));
        },
        ::testing::ExitedWithCode(0), "^gyre: info: heard\n$");
}

TEST(Program, writes_the_trace_that_the_environment_names) {
    const std::string folder = new_folder();
    const std::string path = folder + "/trace.json";
    for (const char* platform : {"epoll", "sim"}) {
        const EnvironmentVariable set("GYRE_TRACE", path.c_str());
        EXPECT_EQ(run([]() -> Future<void> { co_await sleep(1ms); },
                      {.platform = platform, .run = {.name = "napper"}}),
                  0);
        const std::string text = read_whole(path);
        EXPECT_NE(text.find("\"napper\""), std::string::npos) << platform;
        EXPECT_NE(text.find("\"waited_for\":\"sleep\""), std::string::npos) << platform;
        EXPECT_NE(text.find("program.test.cpp:"), std::string::npos) << platform;
    }
    remove_folder(folder);
}

TEST(Program, warns_once_of_a_trace_that_cannot_be_written) {
    EXPECT_EQ(lines_with("GYRE_TRACE", "/no/such/trace.json"),
              Lines{"warn: GYRE_TRACE=/no/such/trace.json is ignored: cannot write the trace to "
                    "/no/such/trace.json: No such file or directory; name a file in a folder that "
                    "can be written to"});
    EXPECT_EQ(lines_with("GYRE_TRACE", ""), Lines{});
}

TEST(Program, whose_options_name_a_trace_that_cannot_be_written_does_not_start) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(run(nothing, {.trace = "/no/such/trace.json"}), 2);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "gyre: cannot write the trace to /no/such/trace.json: No such file or directory\n");
}

TEST(Program, has_pools_of_the_size_that_the_environment_gives) {
    const EnvironmentVariable set("GYRE_POOL_USER", "1");
    Program program({.platform = "epoll"});
    const auto count_threads = []() -> Future<std::size_t> {
        std::set<std::thread::id> threads;
        co_await with_scope([&](Scope& scope) -> Future<void> {
            for (int i = 0; i < 16; ++i) {
                scope.spawn([&]() -> Future<void> {
                    const auto here = [] { return std::this_thread::get_id(); };
                    threads.insert(co_await blocking(here));
                });
            }
            co_return;
        });
        threads.erase(std::this_thread::get_id());
        co_return threads.size();
    };
    EXPECT_EQ(run(program, count_threads).value(), 1u);
}

TEST(Program, warns_once_of_a_pool_size_that_is_none) {
    for (const char* variable : {"GYRE_POOL_FILES", "GYRE_POOL_NAMES", "GYRE_POOL_USER"}) {
        EXPECT_EQ(lines_with(variable, "many"),
                  Lines{"warn: " + std::string(variable) +
                        "=many is ignored: the number of threads must be a number from 1 to 1024; "
                        "write threads or threads,queue"});
        EXPECT_EQ(lines_with(variable, ""), Lines{});
    }
}

// Datagrams and works come in an order that the seed decides; here it is the time that they take.
Instant end_of_simulation(const ProgramOptions& options) {
    Program program(options);
    const auto work = []() -> Future<void> { co_await blocking([] {}); };
    EXPECT_EQ(run(program, work).exit_code(), 0);
    return program.clock().now();
}

TEST(Program, is_simulated_with_the_seed_of_the_options_or_of_the_environment) {
    const Instant first = end_of_simulation({.platform = "sim"});
    const Instant seventh = end_of_simulation({.platform = "sim", .seed = 7});
    EXPECT_NE(first, seventh);
    EXPECT_EQ(end_of_simulation({.platform = "sim", .seed = 1}), first);
    const EnvironmentVariable set("GYRE_SEED", "7");
    EXPECT_EQ(end_of_simulation({.platform = "sim"}), seventh);
    EXPECT_EQ(end_of_simulation({.platform = "sim", .seed = 1}), first);
}

TEST(Program, warns_once_of_a_seed_that_is_no_number) {
    const EnvironmentVariable simulated("GYRE_PLATFORM", "sim");
    for (const char* value : {"x", "7x", "-1", "18446744073709551616"}) {
        EXPECT_EQ(lines_with("GYRE_SEED", value),
                  Lines{"warn: GYRE_SEED=" + std::string(value) +
                        " is ignored: write a number from 0 to 18446744073709551615"});
    }
    EXPECT_EQ(lines_with("GYRE_SEED", "0"), Lines{});
}

}  // namespace
}  // namespace gyre
