// SPDX-License-Identifier: Apache-2.0
#include "gyre/base/internal/line_output.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>
#include <utility>

namespace gyre {
namespace {

struct LineOutputs : testing::Test {
    LineOutputs() { EXPECT_EQ(::pipe(ends.data()), 0); }
    ~LineOutputs() override {
        for (const int fd : ends) ::close(fd);
    }
    // What one read gives.
    std::string read_some(std::size_t size = 100'000) {
        std::string text(size, '\0');
        const ssize_t count = ::read(ends[0], text.data(), text.size());
        text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
        return text;
    }
    // Writes until a line is dropped; returns how many were written. Would block without LineOutput.
    int fill(LineOutput& output) {
        for (int count = 0; count < 100'000; ++count) {
            if (output.write(std::string(1000, 'x') + "\n") == Printed::dropped) return count;
        }
        return -1;
    }

    std::array<int, 2> ends{};
};

TEST_F(LineOutputs, of_a_pipe_that_nobody_reads_drop_lines_and_count_them) {
    LineOutput output(ends[1]);
    EXPECT_GT(fill(output), 10);
    EXPECT_EQ(output.dropped_count(), 1U);
    EXPECT_EQ(output.write("lost\n"), Printed::dropped);
    EXPECT_EQ(output.dropped_count(), 2U);
}

TEST_F(LineOutputs, tell_how_many_lines_were_dropped_when_there_is_room_again) {
    LineOutput output(ends[1]);
    static_cast<void>(fill(output));
    static_cast<void>(output.write("lost\n"));
    const std::string before = read_some();
    EXPECT_EQ(before.find("lost"), std::string::npos);
    EXPECT_EQ(output.write("heard\n"), Printed::yes);
    EXPECT_EQ(read_some(),
              "gyre: 2 lines were dropped: nobody reads this output fast enough\nheard\n");
    EXPECT_EQ(output.write("again\n"), Printed::yes);
    EXPECT_EQ(read_some(), "again\n") << "it is told once";
}

TEST_F(LineOutputs, cut_lines_that_are_too_long_for_one_write) {
    LineOutput output(ends[1]);
    EXPECT_EQ(output.write(std::string(10'000, 'x') + "\n"), Printed::yes);
    const std::string text = read_some();
    EXPECT_EQ(text.size(), LineOutput::line_bytes_max);
    EXPECT_TRUE(text.ends_with("x\n"));
}

TEST_F(LineOutputs, fail_if_nobody_can_read_any_more) {
    const auto previous = std::signal(SIGPIPE, SIG_IGN);
    LineOutput output(ends[1]);
    ::close(std::exchange(ends[0], ::dup(ends[1])));
    EXPECT_EQ(output.write("line\n"), Printed::failed);
    std::signal(SIGPIPE, previous);
}

}  // namespace
}  // namespace gyre
