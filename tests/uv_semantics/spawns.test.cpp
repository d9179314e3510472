// SPDX-License-Identifier: Apache-2.0
// Starting children, as libuv's test-spawn.c pins it: descriptors of any number, the session, the
// identity, and the error as the result of the call. Each test names the one it restates.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string>

#include "gyre/handle/child.hpp"
#include "gyre/handle/stream_handle.hpp"
#include "gyre/platform/internal/system/system_children.hpp"
#include "tests/support/handle_world.hpp"

namespace gyre::handle {
namespace {

class UvSpawn : public testing::TestWithParam<std::string> {
protected:
    // Runs a script, and returns what it writes to its output.
    std::string output_of(std::string script, SpawnPlan plan = {}) {
        plan.program = "/bin/sh";
        plan.arguments = {"-c", std::move(script)};
        plan.streams[1] = StandardStream::pipe;
        std::string text;
        std::array<std::byte, 64> room{};
        test::Live<Child> child(loop, children);
        test::Live<Pipe> output(loop);
        const auto spawned =
            child->spawn(plan, [&](Child&, Result<ChildEnd> end) { ended = end.value(); }).get();
        EXPECT_TRUE(spawned.has_value());
        if (!spawned) return "error " + spawned.error().message();
        EXPECT_EQ(child->pid(), spawned->pid);
        EXPECT_TRUE(output->open(spawned->pipes[1]).get());
        output->read_start(room, [&](StreamHandle&, Result<ConstBytes> data) {
            if (data) text.append(reinterpret_cast<const char*>(data->data()), data->size());
        });
        EXPECT_FALSE(loop.run());
        return text;
    }

    test::HandleWorld world{GetParam()};
    PhasedLoop& loop = world.loop();
    platform::SystemChildren children;
    ChildEnd ended;
};
INSTANTIATE_TEST_SUITE_P(platforms, UvSpawn, testing::ValuesIn(test::real_platforms_here()),
                         [](const auto& test) { return test.param; });

// test-spawn.c: spawn_fails: the error is the result of uv_spawn
// clause: L29
TEST_P(UvSpawn, of_a_program_that_is_not_there_fails_in_the_call) {
    test::Live<Child> child(loop, children);
    const auto spawned =
        child->spawn({.program = "/no/such/program"}, [](Child&, Result<ChildEnd>) { FAIL(); })
            .get();
    ASSERT_FALSE(spawned.has_value());
    EXPECT_EQ(spawned.error().code(), std::errc::no_such_file_or_directory);
    EXPECT_FALSE(child->is_active());
    EXPECT_EQ(child->kill(SIGTERM).get().error().code(), std::errc::no_such_process);
    EXPECT_FALSE(loop.run());
}

// test-spawn.c: spawn_stdout
// clause: L29
TEST_P(UvSpawn, tells_the_output_and_then_the_end) {
    EXPECT_EQ(output_of("echo hello; exit 5"), "hello\n");
    EXPECT_EQ(ended.code, 5);
}

// test-spawn.c: spawn_inherit_streams, and descriptors above the standard streams, which cross over
// clause: L29
TEST_P(UvSpawn, gives_the_child_descriptors_of_any_number) {
    std::array<int, 2> one{};
    std::array<int, 2> two{};
    ASSERT_EQ(::pipe(one.data()) + ::pipe(two.data()), 0);
    ASSERT_EQ(::write(one[1], "one\n", 4) + ::write(two[1], "two\n", 4), 8);
    SpawnPlan plan;
    // Each gets the number that the other one has here.
    plan.descriptors = {{.number = one[0], .source = two[0]},
                        {.number = two[0], .source = one[0]},
                        {.number = 9 + two[1], .source = one[0]}};
    const std::string script = "read a <&" + std::to_string(one[0]) + "; read b <&" +
                               std::to_string(two[0]) + "; echo $a $b; ls /proc/self/fd | wc -l";
    // The standard streams, the folder that ls reads, and the three.
    EXPECT_EQ(output_of(script, plan), "two one\n7\n");
    for (const int fd : {one[0], one[1], two[0], two[1]}) ::close(fd);
    plan.descriptors = {{.number = SpawnPlan::descriptor_count_max, .source = 0}};
    plan.program = "/bin/true";
    test::Live<Child> child(loop, children);
    EXPECT_EQ(child->spawn(plan, {}).get().error().code(), std::errc::invalid_argument);
}

// test-spawn.c: spawn_detached
// clause: L29
TEST_P(UvSpawn, can_start_a_session) {
    const std::string script = "ps -o sid= -p $$ | tr -d ' '; echo $$";
    const std::string theirs = output_of(script, {.has_own_session = true});
    const std::size_t middle = theirs.find('\n');
    ASSERT_NE(middle, std::string::npos);
    EXPECT_EQ(theirs.substr(0, middle + 1), theirs.substr(middle + 1));
    const std::string ours = output_of(script);
    EXPECT_EQ(ours.substr(0, ours.find('\n')), std::to_string(::getsid(0)));
}

// test-spawn.c: spawn_setuid_setgid, spawn_setuid_fails
// clause: L29
TEST_P(UvSpawn, can_take_another_identity) {
    if (::geteuid() == 0) {
        EXPECT_EQ(output_of("id -u; id -g; id -G", {.user = 1234, .group = 2345}),
                  "1234\n2345\n2345\n");
        EXPECT_EQ(::geteuid(), 0u);
        EXPECT_EQ(::getegid(), 0u);
        EXPECT_EQ(output_of("id -u; id -g"), "0\n0\n");
        return;
    }
    test::Live<Child> child(loop, children);
    const auto spawned = child->spawn({.program = "/bin/true", .user = 0}, {}).get();
    ASSERT_FALSE(spawned.has_value());
    EXPECT_EQ(spawned.error().code(), std::errc::operation_not_permitted);
}

// test-spawn.c: kill
// clause: L29
TEST_P(UvSpawn, can_be_ended_by_a_signal) {
    test::Live<Child> child(loop, children);
    const SpawnPlan plan{.program = "/bin/sleep", .arguments = {"100"}};
    ASSERT_TRUE(
        child->spawn(plan, [&](Child&, Result<ChildEnd> end) { ended = end.value(); }).get());
    EXPECT_TRUE(child->kill(SIGTERM).get());
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(ended.signal, SIGTERM);
    EXPECT_FALSE(child->kill(SIGTERM).get());
}

}  // namespace
}  // namespace gyre::handle
