// SPDX-License-Identifier: Apache-2.0
// Real child processes: spawn, pipes, exit, and no zombies or descriptors left.
#include "gyre/process/process.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <optional>
#include <sstream>

#include "gyre/process/signals.hpp"
#include "gyre/task/combine/all.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/core/sleep.hpp"
#include "tests/support/named_platform.hpp"
#include "tests/support/platforms.hpp"
#include "tests/support/test_world.hpp"

namespace gyre::process {
namespace {

using namespace std::chrono_literals;

std::size_t open_count() {
    std::size_t count = 0;
    DIR* folder = ::opendir("/proc/self/fd");
    while (::readdir(folder) != nullptr) ++count;
    ::closedir(folder);
    return count;
}

// Whether this process has a child, running or a zombie.
bool has_children() {
    siginfo_t info{};
    return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

struct World : test::TestWorld<Executor, test::NamedPlatform> {
    explicit World(const char* name) : TestWorld({.name = name}) {}
};

class Children : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        try {
            const World probe(GetParam());
        } catch (const test::PlatformRefused&) {
            GYRE_SKIP_REFUSED(GetParam(), "by the system");
        }
        open_before_ = open_count();
        world.emplace(GetParam());
    }
    void TearDown() override {
        if (!world) return;
        EXPECT_FALSE(has_children()) << "a child is left";
        world.reset();
        EXPECT_EQ(open_count(), open_before_) << "descriptors are left open";
    }
    template <class F>
    auto run_all(F function) {
        Scope scope(world->app, nullptr, {.name = "test", .cancels_on_failure = false});
        auto handle = scope.spawn(std::move(function));
        (void)world->loop.run();
        EXPECT_EQ(world->app.task_count(), 0u) << world->app.dump_tasks();
        return handle.outcome().take();
    }
    std::optional<World> world;

private:
    std::size_t open_before_ = 0;
};
GYRE_ON_PLATFORMS(Children, gyre::test::real_platforms);

// Functions, because g++ 12 destroys a braced temporary inside a co_await twice.
template <class... Words>
Command command_of(const char* program, Words... words) {
    Command command;
    command.program = program;
    (command.arguments.push_back(words), ...);
    return command;
}
Command shell(const std::string& script) {
    return command_of("sh", "-c", script);
}

// clause: L18
TEST_P(Children, run_while_others_of_the_loop_go_on) {
    run_all([]() -> Future<void> {
        Command command = command_of("cat");
        command.input = StandardStream::pipe;
        Process child = co_await spawn(command);
        // The child exits only after another task of this loop has run.
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn([&]() -> Future<void> {
                for (int i = 0; i < 3; ++i) co_await sleep(1ms);
                co_await child.input.aclose();
            });
            EXPECT_EQ((co_await child.wait()).code, 0);
        });
    });
}

TEST_P(Children, end_with_what_they_exit_with) {
    run_all([]() -> Future<void> {
        Process child = co_await spawn(shell("exit 7"));
        EXPECT_GT(child.pid(), 0);
        const ChildEnd end = co_await child.wait();
        EXPECT_EQ(end.code, 7);
        EXPECT_EQ(end.signal, 0);
        EXPECT_EQ((co_await child.wait()).code, 7);
        EXPECT_EQ(child.signal(SIGTERM), std::unexpected(Error(std::errc::no_such_process)));
    });
}

TEST_P(Children, are_talked_to_through_pipes) {
    run_all([]() -> Future<void> {
        Command command("sort");
        command.input = StandardStream::pipe;
        command.output = StandardStream::pipe;
        Process child = co_await spawn(std::move(command));
        EXPECT_FALSE(child.error.is_open());
        co_await child.input.write(bytes_of("b\na\n"));
        co_await child.input.aclose();
        EXPECT_EQ(co_await child.output.read_all(100), "a\nb\n");
        EXPECT_EQ((co_await child.wait()).code, 0);
    });
}

// clause: K14
TEST_P(Children, that_write_more_than_is_asked_for_are_an_error) {
    run_all([]() -> Future<void> {
        Command command("echo", "four");
        command.output = StandardStream::pipe;
        Process child = co_await spawn(std::move(command));
        const Result<std::string> text = co_await try_(child.output.read_all(4));
        EXPECT_EQ(text, std::unexpected(Error(std::errc::value_too_large)));
        EXPECT_EQ((co_await child.wait()).code, 0);
    });
}

TEST_P(Children, that_cannot_be_run_are_an_error_of_the_spawn) {
    const auto message = [&](Command command) {
        try {
            run_all([&]() -> Future<void> { (void)co_await spawn(command); });
        } catch (const SpawnError& e) {
            return std::string(e.what());
        }
        return std::string("it runs");
    };
    EXPECT_EQ(message(Command("/none/such")), "spawn '/none/such': No such file or directory");
    EXPECT_EQ(message(Command("gyre-no-such-program")),
              "spawn 'gyre-no-such-program': No such file or directory");
    EXPECT_EQ(message(Command("/etc/passwd")), "spawn '/etc/passwd': Permission denied");
    Command nowhere("sh");
    nowhere.folder = "/none";
    EXPECT_EQ(message(nowhere), "spawn 'sh': No such file or directory");
    EXPECT_EQ(message(Command()), "spawn '': No such file or directory");
    EXPECT_EQ(message(Command("sh", std::string("a\0b", 3))), "spawn 'sh': Invalid argument");
}

TEST_P(Children, have_the_environment_and_the_folder_they_are_given) {
    run_all([]() -> Future<void> {
        ::setenv("GYRE_TEST_CHILD", "parent", 1);
        Command command = shell("echo $GYRE_TEST_CHILD $GYRE_TEST_NEW; pwd");
        command.folder = "/";
        EXPECT_EQ((co_await run(command)).output, "parent\n/\n");
        command.environment = {{"GYRE_TEST_CHILD", "child"}, {"GYRE_TEST_NEW", "new"}};
        EXPECT_EQ((co_await run(command)).output, "child new\n/\n");
        Command alone("/usr/bin/env");
        alone.environment = {{"A", "1"}, {"B", "2"}};
        alone.inherits_environment = false;
        EXPECT_EQ((co_await run(alone)).output, "A=1\nB=2\n");
        ::unsetenv("GYRE_TEST_CHILD");
    });
}

// A descriptor that leaks into a child would keep a pipe open: its reader would never see the end.
TEST_P(Children, get_no_descriptor_but_their_three_and_no_blocked_signal) {
    run_all([]() -> Future<void> {
        const int left_open = ::open("/dev/null", O_RDONLY);  // opened by foreign code
        const Output listed = co_await run(command_of("ls", "/proc/self/fd"));
        ::close(left_open);
        EXPECT_EQ(listed.output, "0\n1\n2\n3\n");  // 3 is the directory being listed
        const Output masks =
            co_await run(command_of("grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"));
        std::istringstream lines(masks.output);
        // The two first above the others are the C library's own.
        constexpr std::uint64_t not_ours = std::uint64_t{3} << 31u;
        for (std::string name, mask; lines >> name >> mask;) {
            EXPECT_EQ(std::stoull(mask, nullptr, 16) & ~not_ours, 0u) << name;
        }
    });
}

TEST_P(Children, output_is_taken_whole_while_input_is_given) {
    run_all([]() -> Future<void> {
        const std::string much(1 << 20, 'x');
        const OutputOptions fed{.input = much};
        const Output output = co_await run(command_of("cat"), fed);
        EXPECT_TRUE(output.is_fine());
        EXPECT_EQ(output.output.size(), much.size());
        const Output both = co_await run(shell("echo out; echo err >&2; exit 3"));
        EXPECT_EQ(both.output, "out\n");
        EXPECT_EQ(both.error, "err\n");
        EXPECT_EQ(both.end.code, 3);
        Command merged = shell("echo out; echo err >&2");
        merged.error = StandardStream::to_output;
        EXPECT_EQ((co_await run(merged)).output, "out\nerr\n");
        // The child does not read its input: EPIPE is neither an error of run() nor a SIGPIPE.
        const Output deaf = co_await run(shell("exec <&-; exit 0"), fed);
        EXPECT_TRUE(deaf.is_fine());
    });
}

// clause: K14
TEST_P(Children, output_beyond_the_limit_is_an_error_that_names_it) {
    try {
        run_all([]() -> Future<void> {
            const OutputOptions little{.output_max_bytes = 4096};
            (void)co_await run(command_of("yes"), little);
        });
        ADD_FAILURE();
    } catch (const LimitError& e) {
        EXPECT_STREQ(e.what(), "run 'yes': more than output_max_bytes = 4096");
    }
}

TEST_P(Children, are_asked_to_stop_and_killed_where_they_do_not) {
    run_all([]() -> Future<void> {
        Process polite = co_await spawn(command_of("sleep", "1000"));
        EXPECT_EQ((co_await polite.stop()).signal, SIGTERM);
        Command command = shell("trap '' TERM; echo ready; while :; do sleep 0.01; done");
        command.output = StandardStream::pipe;
        command.has_own_group = true;
        Process deaf = co_await spawn(command);
        std::array<std::byte, 16> buffer{};
        EXPECT_EQ(co_await deaf.output.read(buffer), 6u);
        EXPECT_EQ((co_await deaf.stop({.patience = 1ms})).signal, SIGKILL);
    });
}

TEST_P(Children, are_stopped_by_one_task_while_others_wait_for_them) {
    run_all([]() -> Future<void> {
        for (int i = 0; i < 10; ++i) {
            Process child = co_await spawn(command_of("sleep", "1000"));
            auto everything = all(child.wait(), child.wait(), child.stop());
            const auto [first, second, stopped] = co_await std::move(everything);
            EXPECT_EQ(first.signal, SIGTERM);
            EXPECT_EQ(second.signal, SIGTERM);
            EXPECT_EQ(stopped.signal, SIGTERM);
        }
    });
}

// The pipe ends when the last process of the group has exited.
TEST_P(Children, with_a_group_are_stopped_with_all_that_they_started) {
    run_all([]() -> Future<void> {
        Command command = shell("sleep 1000 & echo ready; trap 'exit 0' TERM; wait");
        command.output = StandardStream::pipe;
        command.has_own_group = true;
        Process child = co_await spawn(command);
        std::array<std::byte, 16> buffer{};
        EXPECT_EQ(co_await child.output.read(buffer), 6u);
        (void)co_await child.stop();
        EXPECT_EQ(co_await child.output.read(buffer), 0u);
    });
}

TEST_P(Children, that_are_dropped_are_killed_and_leave_no_zombie) {
    run_all([]() -> Future<void> {
        for (int i = 0; i < 20; ++i) {
            Process child = co_await spawn(command_of("sleep", "1000"));
        }
    });
    EXPECT_FALSE(has_children());
}

TEST_P(Children, that_are_cancelled_at_any_time_leave_nothing) {
    run_all([]() -> Future<void> {
        for (int i = 0; i < 30; ++i) {
            Command command = shell("echo x; sleep 1000");
            (void)co_await try_(timeout(run(command), std::chrono::microseconds(150 * i)));
        }
    });
    EXPECT_FALSE(has_children());
}

TEST_P(Children, are_started_while_other_threads_are_busy) {
    run_all([]() -> Future<void> {
        std::vector<Future<Output>> runs;
        for (int i = 0; i < 16; ++i) runs.push_back(run(shell("echo " + std::to_string(i))));
        const auto outputs = co_await all(std::move(runs));
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            EXPECT_EQ(outputs[i].output, std::to_string(i) + "\n");
        }
    });
}

// Run under strace with failing calls, see tests/fs_fault: spawn returns a child or the error.
class ChildrenUnderFault : public Children {};
GYRE_ON_PLATFORMS(ChildrenUnderFault, gyre::test::real_platforms);
TEST_P(ChildrenUnderFault, run_or_say_why_not) {
    const char* fault = std::getenv("GYRE_FAULT");
    const bool may_fail = fault != nullptr && std::string_view(fault) != "EINTR";
    int failed_count = 0;
    run_all([&]() -> Future<void> {
        for (int i = 0; i < 20; ++i) {
            const Result<Output> output = co_await try_(run(shell("echo x")));
            if (output) {
                EXPECT_EQ(output->output, "x\n");
                continue;
            }
            ++failed_count;
            const std::errc code = output.error().code();
            EXPECT_TRUE(code == std::errc::too_many_files_open ||
                        code == std::errc::not_enough_memory)
                << output.error().message();
        }
    });
    EXPECT_EQ(failed_count > 0, may_fail);
}

TEST_P(Children, signals_come_as_a_stream) {
    run_all([]() -> Future<void> {
        const std::vector<int> users{SIGUSR1, SIGUSR2};
        auto heard = co_await signals(users);
        ::raise(SIGUSR2);
        EXPECT_EQ(co_await heard.next(), SIGUSR2);
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn([]() -> Future<void> {
                co_await sleep(1ms);
                ::raise(SIGUSR1);
                ::raise(SIGUSR1);
            });
            EXPECT_EQ(co_await heard.next(), SIGUSR1);
            EXPECT_EQ(co_await heard.next(), SIGUSR1);
        });
        co_await heard.aclose();
        auto dropped = co_await signals(users);
    });
    const auto uncatchable = []() -> Future<void> {
        const std::vector<int> kill{SIGKILL};
        (void)co_await signals(kill);
    };
    EXPECT_THROW(run_all(uncatchable), std::system_error);
}

}  // namespace
}  // namespace gyre::process
