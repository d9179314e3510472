// SPDX-License-Identifier: Apache-2.0
// StandardStream over pipes, files, /dev/null and a terminal; on real platforms only.
#include "gyre/net/standard.hpp"

#include <fcntl.h>

#include <array>
#include <chrono>
#include <cstdio>

#include "gyre/net/buffered.hpp"
#include "gyre/net/net_world.test.hpp"
#include "gyre/platform/terminal.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/sleep.hpp"
#include "tests/support/platforms.hpp"

namespace gyre::net {
namespace {

using namespace std::chrono_literals;

class Standard : public NetWorld {};
GYRE_ON_PLATFORMS(Standard, gyre::test::real_platforms);

struct Pipe {
    Pipe() { EXPECT_EQ(::pipe(ends.data()), 0); }
    ~Pipe() {
        for (const int end : ends) {
            if (end >= 0) ::close(end);
        }
    }
    void end() { ::close(std::exchange(ends[1], -1)); }
    std::array<int, 2> ends{};
};

Future<std::string> read_lines(Fd fd) {
    StandardStream stream(fd);
    Reader reader(stream);
    std::string all;
    while (const auto line = co_await reader.read_line()) all.append(*line).append("|");
    co_return all;
}

TEST_P(Standard, a_pipe_is_read_to_its_end_and_keeps_its_mode) {
    Pipe pipe;
    const int mode = ::fcntl(pipe.ends[0], F_GETFL);
    const std::string got = run([&]() -> Future<std::string> {
        std::string all;
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn([&]() -> Future<void> {
                StandardStream output(pipe.ends[1]);
                Writer writer(output);
                co_await writer.write("one\ntwo\n");
                co_await writer.flush();
                co_await sleep(2ms);
                std::array pieces{bytes_of("thr"), bytes_of("ee")};
                co_await output.write_pieces(pieces);
                pipe.end();
            });
            all = co_await read_lines(pipe.ends[0]);
        });
        co_return all;
    });
    EXPECT_EQ(got, "one|two|three|");
    EXPECT_EQ(::fcntl(pipe.ends[0], F_GETFL), mode);
    EXPECT_EQ(mode & O_NONBLOCK, 0);
}

TEST_P(Standard, a_cancelled_read_of_a_pipe_leaves_the_bytes) {
    Pipe pipe;
    run([&]() -> Future<void> {
        const StandardStream input(pipe.ends[0]);
        std::array<std::byte, 8> buffer{};
        const auto late = co_await try_(timeout(input.read(buffer), 2ms));
        EXPECT_EQ(late.error(), Error(std::errc::timed_out));
        EXPECT_EQ(::write(pipe.ends[1], "later", 5), 5);
        EXPECT_EQ(co_await input.read(buffer), 5u);
    });
}

TEST_P(Standard, a_write_to_a_full_pipe_waits_and_says_what_is_left) {
    Pipe pipe;
    run([&]() -> Future<void> {
        const StandardStream output(pipe.ends[1]);
        const std::string data(300'000, 'x');
        ConstBytes rest = bytes_of(data);
        const auto late = co_await try_(timeout(output.write_rest(rest), 5ms));
        EXPECT_EQ(late.error(), Error(std::errc::timed_out));
        std::string got(data.size() - rest.size(), '\0');
        EXPECT_EQ(::read(pipe.ends[0], got.data(), got.size()),
                  static_cast<ssize_t>(data.size() - rest.size()));
    });
}

TEST_P(Standard, a_file_and_dev_null_are_read_too) {
    const std::string path = testing::TempDir() + "gyre-standard-" + std::to_string(::getpid());
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    ASSERT_GE(file, 0);
    run([&]() -> Future<void> {
        co_await StandardStream(file).write(bytes_of("a file\nof two lines\n"));
    });
    ::lseek(file, 0, SEEK_SET);
    EXPECT_EQ(run([&] { return read_lines(file); }), "a file|of two lines|");
    ::close(file);
    std::remove(path.c_str());
    const int nothing = ::open("/dev/null", O_RDWR);
    EXPECT_EQ(run([&] { return read_lines(nothing); }), "");
    run([&]() -> Future<void> { co_await StandardStream(nothing).write(bytes_of("gone")); });
    ::close(nothing);
}

TEST_P(Standard, a_terminal_gives_lines_or_single_keys) {
    const int keyboard = ::posix_openpt(O_RDWR | O_NOCTTY);
    if (keyboard < 0 || ::grantpt(keyboard) != 0 || ::unlockpt(keyboard) != 0) {
        GTEST_SKIP() << "skipped: no terminals here";
    }
    const int terminal = ::open(::ptsname(keyboard), O_RDWR | O_NOCTTY);
    ASSERT_GE(terminal, 0);
    EXPECT_TRUE(platform::is_terminal(terminal));
    EXPECT_TRUE(platform::terminal_size(terminal).has_value());
    run([&]() -> Future<void> {
        const StandardStream input(terminal);
        std::array<std::byte, 16> buffer{};
        EXPECT_EQ(::write(keyboard, "ab", 2), 2);
        const auto half = co_await try_(timeout(input.read(buffer), 5ms));
        EXPECT_EQ(half.error(), Error(std::errc::timed_out)) << "a line has an end";
        EXPECT_EQ(::write(keyboard, "c\n", 2), 2);
        EXPECT_EQ(co_await input.read(buffer), 4u);
        {
            const auto raw = platform::RawMode::enter(terminal);
            EXPECT_TRUE(raw.has_value());
            EXPECT_EQ(::write(keyboard, "k", 1), 1);
            EXPECT_EQ(co_await input.read(buffer), 1u);
        }
        EXPECT_EQ(::write(keyboard, "d", 1), 1);
        const auto again = co_await try_(timeout(input.read(buffer), 5ms));
        EXPECT_EQ(again.error(), Error(std::errc::timed_out)) << "it is as it was before";
    });
    ::close(terminal);
    ::close(keyboard);
}

TEST_P(Standard, what_is_no_terminal_has_no_size_and_no_raw_mode) {
    Pipe pipe;
    EXPECT_FALSE(platform::is_terminal(pipe.ends[0]));
    const auto error = std::errc::inappropriate_io_control_operation;
    EXPECT_EQ(platform::terminal_size(pipe.ends[0]).error(), Error(error));
    EXPECT_EQ(platform::RawMode::enter(pipe.ends[0]).error(), Error(error));
}

}  // namespace
}  // namespace gyre::net
