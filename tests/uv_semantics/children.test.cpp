// SPDX-License-Identifier: Apache-2.0
// The output of a child before its end, and I/O before signals, as libuv's uv__io_poll orders them:
// it delays its signal watcher until the other events of the same wait have been handled.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

#include "gyre/handle/child.hpp"
#include "gyre/handle/fd_poll.hpp"
#include "gyre/handle/signal.hpp"
#include "gyre/handle/stream_handle.hpp"
#include "gyre/platform/internal/system/system_children.hpp"
#include "tests/support/handle_world.hpp"

namespace gyre::handle {
namespace {

using namespace std::chrono_literals;

GYRE_HANDLES_FOR_REAL(UvChild);

// A process that writes into a pipe and ends; it has ended when this returns.
struct Ended {
    explicit Ended(std::string_view output) {
        std::array<int, 2> ends{};
        if (::pipe(ends.data()) != 0) return;
        pid = ::fork();
        if (pid == 0) {
            const bool is_all = ::write(ends[1], output.data(), output.size()) ==
                                static_cast<ssize_t>(output.size());
            ::_exit(is_all ? 3 : 4);
        }
        ::close(ends[1]);
        read_end = ends[0];
        siginfo_t info{};
        ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT);
    }
    int pid = -1;
    int read_end = -1;
};

// test-spawn.c: spawn_stdout: the exit callback does not come before the output.
// clause: L28
TEST_P(UvChild, that_has_ended_is_reported_after_all_its_output) {
    for (const bool is_watched_first : {true, false}) {
        const Ended process("twenty bytes of text");
        ASSERT_GE(process.read_end, 0);
        platform::SystemChildren children;
        std::string trace;
        std::array<std::byte, 8> room{};  // Three reads.
        test::Live<Child> child(loop, children);
        test::Live<Pipe> output(loop);
        const auto watch = [&] {
            const Status started = child
                                       ->start(process.pid,
                                               [&](Child&, Result<ChildEnd> end) {
                                                   ASSERT_TRUE(end.has_value());
                                                   trace +=
                                                       "exit " + std::to_string(end->code) + " ";
                                               })
                                       .get();
            ASSERT_TRUE(started.has_value());
        };
        const auto read = [&] {
            ASSERT_TRUE(output->open(process.read_end).get());
            output->read_start(room, [&](StreamHandle&, Result<ConstBytes> data) {
                ASSERT_TRUE(data.has_value());
                trace += data->empty() ? "eof " : std::to_string(data->size()) + " ";
            });
        };
        if (is_watched_first) {
            watch();
            read();
        } else {
            read();
            watch();
        }
        EXPECT_FALSE(loop.run());
        EXPECT_EQ(trace, "8 8 4 eof exit 3 ");
    }
}

// A stream that is written to without end must not hold up the end of a child.
// clause: L28
TEST_P(UvChild, that_has_ended_is_reported_although_another_stream_never_falls_silent) {
    const Ended process("");
    platform::SystemChildren children;
    const auto pair = loop.sockets().connection_pair();
    ASSERT_TRUE(pair.has_value());
    bool has_ended = false;
    test::Live<Child> child(loop, children);
    test::Live<Pipe> output(loop);
    test::Live<FdPoll> busy(loop, (*pair)[0]);
    ASSERT_TRUE(output->open(process.read_end).get());
    busy->start(Events::writable, [](FdPoll&, Result<Events>) {});
    ASSERT_TRUE(
        child->start(process.pid, [&](Child&, Result<ChildEnd>) { has_ended = true; }).get());
    for (int i = 0; i < 100 && !has_ended; ++i) loop.run(RunMode::once);
    EXPECT_TRUE(has_ended);
    busy->close();
    loop.run(RunMode::no_wait);
    for (const Fd fd : *pair) loop.sockets().close_now(fd);
}

// clause: L28
TEST_P(UvChild, that_has_ended_can_be_closed_by_the_callback_of_its_output) {
    const Ended process("x");
    platform::SystemChildren children;
    std::array<std::byte, 8> room{};
    test::Live<Child> child(loop, children);
    test::Live<Pipe> output(loop);
    ASSERT_TRUE(child->start(process.pid, [](Child&, Result<ChildEnd>) { FAIL(); }).get());
    ASSERT_TRUE(output->open(process.read_end).get());
    output->read_start(room, [&](StreamHandle&, Result<ConstBytes>) {
        if (!child->is_closing()) child->close();
    });
    EXPECT_FALSE(loop.run());
    ::waitpid(process.pid, nullptr, 0);
}

// clause: L28
TEST_P(UvChild, s_signals_come_after_the_io_of_the_same_wait) {
    const auto pair = loop.sockets().connection_pair();
    ASSERT_TRUE(pair.has_value());
    std::string trace;
    {
        test::Live<FdPoll> poll(loop, (*pair)[0]);
        test::Live<Signal> signal(loop);
        poll->start(Events::readable, [&](FdPoll& self, Result<Events>) {
            trace += "io ";
            self.stop();
        });
        ASSERT_TRUE(
            signal->start([&](Signal&, Result<int>) { trace += "signal "; }, SIGUSR1).get());
        for (int i = 0; i < 5; ++i) loop.run(RunMode::no_wait);  // The poll waits for an edge.
        ::raise(SIGUSR1);
        ASSERT_EQ(::write((*pair)[1], "x", 1), 1);
        while (trace.size() < 10) loop.run(RunMode::once);
    }
    EXPECT_EQ(trace, "io signal ");
    for (const Fd fd : *pair) loop.sockets().close_now(fd);
}

}  // namespace
}  // namespace gyre::handle
