// SPDX-License-Identifier: Apache-2.0
// Children: programs run to their end on the calling thread, and the sockets for a child's streams.
#include "gyre/io/children.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "gyre/platform/internal/system/system_children.hpp"

namespace gyre::platform {
namespace {

using namespace std::chrono_literals;

SpawnPlan shell(const std::string& text) {
    SpawnPlan plan{.program = "sh", .arguments = {"-c", text}};
    plan.streams = {StandardStream::pipe, StandardStream::pipe, StandardStream::pipe};
    return plan;
}

ChildReport run(const SpawnPlan& plan, std::string_view input = "", ChildLimits limits = {}) {
    SystemChildren children;
    Result<ChildReport> report = children.run_blocking(plan, bytes_of(input), limits);
    EXPECT_TRUE(report);
    return report ? std::move(*report) : ChildReport{};
}

TEST(BlockingRun, feeds_the_input_and_reads_both_outputs_at_once) {
    const std::string input(std::size_t{1} << 20u, 'x');  // more than any pipe holds
    const ChildReport report =
        run(shell("cat; head -c 500000 /dev/zero >&2; exit 3"), input, {.signal = SIGTERM});
    EXPECT_EQ(report.output, input);
    EXPECT_EQ(report.error.size(), 500'000U);
    EXPECT_EQ(report.end.code, 3);
    EXPECT_GT(report.pid, 0);
    EXPECT_EQ(report.passed, ChildLimit::none);
}

TEST(BlockingRun, a_child_that_reads_no_input_is_no_error) {
    const ChildReport report = run(shell("exit 0"), std::string(std::size_t{1} << 20u, 'x'));
    EXPECT_EQ(report.end.code, 0);
    EXPECT_EQ(report.passed, ChildLimit::none);
}

TEST(BlockingRun, a_child_beyond_its_time_gets_the_signal) {
    const ChildReport report =
        run(shell("exec sleep 600"), "", {.time_max = 20ms, .signal = SIGTERM});
    EXPECT_EQ(report.passed, ChildLimit::time);
    EXPECT_EQ(report.end.signal, SIGTERM);
}

TEST(BlockingRun, a_child_that_writes_too_much_gets_the_signal) {
    const ChildReport report =
        run(shell("exec cat /dev/zero"), "", {.output_max_bytes = 1000, .signal = SIGKILL});
    EXPECT_EQ(report.passed, ChildLimit::output);
    EXPECT_EQ(report.end.signal, SIGKILL);
    EXPECT_GT(report.output.size(), 1000U);
    EXPECT_LE(report.output.size(), 1000U + (std::size_t{64} << 10U));
}

TEST(BlockingRun, a_caller_that_gives_up_kills_the_child) {
    int asked = 0;
    ChildLimits limits{.signal = SIGTERM};
    limits.gives_up = [&asked] { return ++asked > 2; };
    const ChildReport report = run(shell("exec sleep 600"), "", limits);
    EXPECT_EQ(report.passed, ChildLimit::given_up);
    EXPECT_EQ(report.end.signal, SIGKILL);
}

// As system(3): a grandchild that has the pipe keeps it open.
TEST(BlockingRun, waits_until_both_outputs_are_closed) {
    const ChildReport report = run(shell("(sleep 0.05; echo late) & exit 5"));
    EXPECT_EQ(report.end.code, 5);
    EXPECT_EQ(report.output, "late\n");
}

TEST(BlockingRun, a_program_that_is_not_there_is_the_error) {
    SystemChildren children;
    const auto report =
        children.run_blocking({.program = "no-such-program-anywhere"}, {}, ChildLimits{});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code(), std::errc::no_such_file_or_directory);
}

TEST(Spawn, a_child_may_have_a_name_of_its_own) {
    SpawnPlan plan = shell("echo $0");
    plan.own_name = "another";
    EXPECT_EQ(run(plan).output, "another\n");
}

TEST(StreamPair, the_parents_end_never_blocks_and_the_childs_does) {
    SystemChildren children;
    const auto ends = children.stream_pair();
    ASSERT_TRUE(ends);
    EXPECT_NE(::fcntl((*ends)[0], F_GETFL) & O_NONBLOCK, 0);
    EXPECT_EQ(::fcntl((*ends)[1], F_GETFL) & O_NONBLOCK, 0);
    for (const Fd fd : *ends) {
        EXPECT_EQ(::fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
        ::close(fd);
    }
    EXPECT_EQ(children.take_inherited(ends->front()).error().code(),
              std::errc::bad_file_descriptor);
}

}  // namespace
}  // namespace gyre::platform
