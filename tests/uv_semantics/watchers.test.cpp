// SPDX-License-Identifier: Apache-2.0
// Polls of one descriptor and the walk over handles, as libuv's test-poll-multiple-handles.c and
// test-walk-handles.c pin them.
#include <unistd.h>

#include <algorithm>
#include <array>

#include "gyre/handle/fd_poll.hpp"
#include "gyre/handle/hook.hpp"
#include "gyre/handle/signal.hpp"
#include "gyre/handle/stream_handle.hpp"
#include "gyre/handle/timer.hpp"
#include "tests/support/handle_world.hpp"

namespace gyre::handle {
namespace {

GYRE_HANDLES_EVERYWHERE(UvWatchers);

constexpr auto ignore = [](FdPoll&, Result<Events>) {};

// test-poll-multiple-handles.c: poll_multiple_handles
// clause: L25
TEST_P(UvWatchers, of_one_descriptor_are_refused_but_for_the_first) {
    const auto pair = loop.sockets().connection_pair();
    ASSERT_TRUE(pair.has_value());
    {
        test::Live<FdPoll> first(loop, (*pair)[0]);
        test::Live<FdPoll> second(loop, (*pair)[0]);
        EXPECT_TRUE(first->start(Events::readable, ignore).get());
        EXPECT_TRUE(first->start(Events::writable, ignore).get());
        EXPECT_EQ(second->start(Events::readable, ignore).get().error().code(),
                  std::errc::file_exists);
        EXPECT_FALSE(second->is_active());
        first->stop();
        EXPECT_TRUE(second->start(Events::readable, ignore).get());
        EXPECT_FALSE(first->start(Events::readable, ignore).get());
        second->close();
        EXPECT_TRUE(first->start(Events::readable, ignore).get());
    }
    for (const Fd fd : *pair) loop.sockets().close_now(fd);
}

// uv_poll_init on a handle that watched another descriptor before
TEST_P(UvWatchers, can_be_given_another_descriptor_while_they_are_stopped) {
    const auto one = loop.sockets().connection_pair();
    const auto other = loop.sockets().connection_pair();
    ASSERT_TRUE(one.has_value() && other.has_value());
    {
        int calls = 0;
        test::Live<FdPoll> poll(loop, (*one)[0]);
        EXPECT_TRUE(poll->start(Events::readable, ignore).get());
        EXPECT_EQ(poll->set_fd((*other)[0]).get().error().code(),
                  std::errc::device_or_resource_busy);
        for (int i = 0; i < 3; ++i) loop.run(RunMode::no_wait);
        poll->stop();
        EXPECT_TRUE(poll->set_fd((*other)[0]).get());
        EXPECT_EQ(poll->fd(), (*other)[0]);
        EXPECT_TRUE(poll->start(Events::writable,
                                [&](FdPoll& self, Result<Events> events) {
                                    EXPECT_EQ(events.value(), Events::writable);
                                    ++calls;
                                    self.stop();
                                })
                        .get());
        EXPECT_FALSE(loop.run());
        EXPECT_EQ(calls, 1);
    }
    for (const Fd fd : {(*one)[0], (*one)[1], (*other)[0], (*other)[1]}) {
        loop.sockets().close_now(fd);
    }
}

// test-walk-handles.c: uv_walk visits every handle that is initialised
// clause: L02
TEST_P(UvWatchers, are_walked_over_although_they_were_not_started) {
    test::Live<Timer> started(loop);
    Timer made(loop);
    Check also_made(loop);
    std::vector<const Handle*> seen;
    {
        const Signal gone(loop);
        started->start([](Timer&) {}, std::chrono::hours(1));
        loop.walk([&](Handle& handle) { seen.push_back(&handle); });
        EXPECT_EQ(seen.size(), 4u);
    }
    seen.clear();
    loop.walk([&](Handle& handle) { seen.push_back(&handle); });
    EXPECT_EQ(seen, (std::vector<const Handle*>{&*started, &made, &also_made}));
    EXPECT_FALSE(made.must_be_closed());
    int closed = 0;
    loop.walk([&](Handle& handle) { handle.close([&](Handle&) { ++closed; }); });
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(closed, 3);
    seen.clear();
    loop.walk([&](Handle& handle) { seen.push_back(&handle); });
    EXPECT_TRUE(seen.empty());
}

}  // namespace
}  // namespace gyre::handle
