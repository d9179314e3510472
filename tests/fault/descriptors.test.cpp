// SPDX-License-Identifier: Apache-2.0
// A process without free descriptors (EMFILE): an accept waits without spinning, and goes on when a
// descriptor becomes free.
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>

#include "gyre/base/log.hpp"
#include "tests/fault/fault_world.hpp"
#include "tests/support/platforms.hpp"

namespace gyre::test {
namespace {

int warnings = 0;

class OutOfDescriptors : public OnPlatform {
protected:
    void SetUp() override {
        OnPlatform::SetUp();
        if (world == nullptr) return;
        listener = world->listen();
        spare = ::dup(0);
        socket = world->stream();
        ConnectOp connect(socket, world->address_of(listener));
        ASSERT_EQ(world->run(connect), 0);
        // Once before: a sanitizer needs descriptors when it first meets a type.
        world->close(world->open("/dev/null", {}));
        warnings = 0;
        set_log_sink([](LogLevel level, std::string_view) { warnings += level == LogLevel::warn; });
        lower_limit();
    }
    void TearDown() override {
        if (world == nullptr) return;
        lift_limit();
        set_log_sink(nullptr);
        for (const Fd fd : {listener, spare, socket}) {
            if (fd >= 0) world->close(fd);
        }
    }

    // As many as the process has now, and no more.
    void lower_limit() {
        ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
        const int next = ::dup(0);
        ::close(next);
        rlimit limit = before_;
        limit.rlim_cur = static_cast<rlim_t>(next);
        ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    }
    void lift_limit() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }

    Fd listener = -1;
    Fd spare = -1;
    Fd socket = -1;

private:
    rlimit before_{};
};
GYRE_ON_PLATFORMS(OutOfDescriptors, gyre::test::real_platforms);

// clause: K14
TEST_P(OutOfDescriptors, an_accept_waits_without_spinning_and_goes_on_after_a_close) {
    AcceptOp accept(listener);
    world->app.start(accept);
    while (warnings == 0) world->turn();  // It was tried.
    const std::uint64_t turns_before = world->loop().turn_count();
    TimerOp pause(world->loop().now() + std::chrono::milliseconds(100));
    world->run(pause);
    EXPECT_TRUE(accept.is_in_flight());
    // After 10, 20, 40 and 80 ms it tries again: a handful of turns, not tens of thousands.
    EXPECT_LT(world->loop().turn_count() - turns_before, 100u);
    EXPECT_EQ(warnings, 1);
    world->close(std::exchange(spare, -1));
    const Fd accepted = world->finish(accept);
    ASSERT_GE(accepted, 0);
    world->close(accepted);
}

TEST_P(OutOfDescriptors, an_accept_goes_on_when_the_limit_is_raised_and_nobody_says_so) {
    AcceptOp accept(listener);
    world->app.start(accept);
    world->settle();
    EXPECT_TRUE(accept.is_in_flight());
    lift_limit();
    const Fd accepted = world->finish(accept);
    ASSERT_GE(accepted, 0);
    world->close(accepted);
}

TEST_P(OutOfDescriptors, an_accept_that_waits_can_be_cancelled_and_loses_nobody) {
    AcceptOp accept(listener);
    world->app.start(accept);
    world->settle();
    EXPECT_EQ(world->cancel(accept), cancelled_result);
    lift_limit();
    const Fd accepted = world->run(accept);
    ASSERT_GE(accepted, 0);
    world->close(accepted);
}

TEST_P(OutOfDescriptors, everything_else_goes_on_while_an_accept_waits) {
    AcceptOp accept(listener);
    world->app.start(accept);
    world->settle();
    EXPECT_EQ(world->send(socket, "kept"), 4);
    EXPECT_FALSE(world->sockets().stream(Address::Family::ipv4));
    OpenOp open("/dev/null");
    EXPECT_EQ(world->run(open), failure(std::errc::too_many_files_open));
    lift_limit();
    const Fd accepted = world->finish(accept);
    ASSERT_GE(accepted, 0);
    EXPECT_EQ(world->receive(accepted), "kept");
    world->close(accepted);
}

}  // namespace
}  // namespace gyre::test
