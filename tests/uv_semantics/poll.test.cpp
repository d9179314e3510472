// SPDX-License-Identifier: Apache-2.0
// Polls of descriptors, as libuv's test-poll.c, test-poll-close.c, test-poll-closesocket.c and
// test-poll-oob.c pin them. Each test names the one it restates.
#include <sys/socket.h>
#include <unistd.h>

#include "gyre/handle/fd_poll.hpp"
#include "gyre/handle/hook.hpp"
#include "gyre/handle/timer.hpp"
#include "tests/support/handle_world.hpp"

namespace gyre::handle {
namespace {

using namespace std::chrono_literals;

class UvPoll : public testing::TestWithParam<std::string> {
protected:
    test::HandleWorld world{GetParam()};
    PhasedLoop& loop = world.loop();
    std::array<Fd, 2> pair = loop.sockets().connection_pair().value();

    ~UvPoll() override {
        for (const Fd fd : pair) loop.sockets().close_now(fd);
    }
    void write_far(std::string_view text) const {
        EXPECT_EQ(::write(pair[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    std::string read_near(std::size_t size) const {
        std::string text(size, '\0');
        const ssize_t count = ::read(pair[0], text.data(), size);
        text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
        return text;
    }
};
INSTANTIATE_TEST_SUITE_P(platforms, UvPoll, testing::ValuesIn(test::real_platforms_here()),
                         [](const auto& test) { return test.param; });

// test-poll.c: poll_duplex and poll_unidirectional
TEST_P(UvPoll, tells_that_a_descriptor_is_readable_or_writable) {
    std::vector<Events> seen;
    test::Live<FdPoll> poll(loop, pair[0]);
    poll->start(Events::readable | Events::writable,
                [&](FdPoll&, Result<Events> events) { seen.push_back(events.value()); });
    while (seen.empty()) loop.run(RunMode::once);
    write_far("x");
    while (seen.back() == Events::writable) loop.run(RunMode::once);
    EXPECT_EQ(seen.front(), Events::writable);
    EXPECT_EQ(seen.back(), Events::readable | Events::writable);
}

// test-poll->c: level-triggered reads of less than is there
TEST_P(UvPoll, calls_back_in_each_iteration_while_bytes_are_left) {
    std::string got;
    test::Live<FdPoll> poll(loop, pair[0]);
    poll->start(Events::readable, [&](FdPoll& self, Result<Events>) {
        got += read_near(1);
        if (got.size() == 5) self.stop();
    });
    write_far("hello");
    int iterations = 0;
    test::Live<Check> check(loop);
    check->start([&](Check&) { ++iterations; });
    check->unref();
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(got, "hello");
    EXPECT_GE(iterations, 5);
}

// test-poll->c: uv_poll_start with other events
TEST_P(UvPoll, can_be_told_to_watch_for_something_else) {
    Events last = Events::none;
    test::Live<FdPoll> poll(loop, pair[0]);
    const auto note = [&](FdPoll&, Result<Events> events) { last = events.value(); };
    poll->start(Events::readable, note);
    loop.run(RunMode::no_wait);
    EXPECT_EQ(last, Events::none);
    poll->start(Events::writable, note);
    while (last == Events::none) loop.run(RunMode::once);
    EXPECT_EQ(last, Events::writable);
    write_far("x");
    last = Events::none;
    poll->start(Events::readable, note);
    while (last != Events::readable) loop.run(RunMode::once);
}

// test-poll->c: uv_poll_stop and start again
TEST_P(UvPoll, stopped_says_nothing_until_it_is_started_again) {
    int calls = 0;
    test::Live<FdPoll> poll(loop, pair[0]);
    const auto count = [&](FdPoll&, Result<Events>) { ++calls; };
    poll->start(Events::readable, count);
    loop.run(RunMode::no_wait);
    write_far("x");
    poll->stop();
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(calls, 0);
    poll->start(Events::readable, count);
    loop.run(RunMode::once);
    while (calls == 0) loop.run(RunMode::once);
}

// test-poll->c: poll_bad_fdtype and uv_poll_init of a bad number
TEST_P(UvPoll, of_a_number_that_names_nothing_ends_with_an_error) {
    test::Live<FdPoll> poll(loop, 9999);
    Result<Events> told = Events::none;
    poll->start(Events::readable, [&](FdPoll&, Result<Events> events) { told = events; });
    EXPECT_FALSE(loop.run());
    ASSERT_FALSE(told.has_value());
    EXPECT_EQ(told.error().code(), std::errc::bad_file_descriptor);
}

// test-poll-close.c: poll_close
TEST_P(UvPoll, many_of_them_close) {
    int closed = 0;
    std::vector<std::array<Fd, 2>> pairs;
    std::vector<std::unique_ptr<FdPoll>> polls;
    for (int i = 0; i < 32; ++i) {
        pairs.push_back(loop.sockets().connection_pair().value());
        polls.push_back(std::make_unique<FdPoll>(loop, pairs.back()[0]));
        polls.back()->start(Events::readable | Events::writable, [](FdPoll&, Result<Events>) {});
        polls.back()->close([&](Handle&) { ++closed; });
    }
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(closed, 32);
    for (const auto& each : pairs) {
        for (const Fd fd : each) loop.sockets().close_now(fd);
    }
}

// test-poll-multiple-handles.c and the invalidation of a batch in uv__platform_invalidate_fd
TEST_P(UvPoll, stopped_or_closed_by_another_in_the_same_batch_is_not_called) {
    const auto other_pair = loop.sockets().connection_pair().value();
    {
        int calls = 0;
        test::Live<FdPoll> first(loop, pair[0]);
        test::Live<FdPoll> second(loop, other_pair[0]);
        first->start(Events::readable, [&](FdPoll& self, Result<Events>) {
            ++calls;
            second->close();
            self.close();
        });
        second->start(Events::readable, [&](FdPoll& self, Result<Events>) {
            ++calls;
            first->close();
            self.close();
        });
        loop.run(RunMode::no_wait);
        write_far("x");
        EXPECT_EQ(::write(other_pair[1], "x", 1), 1);
        EXPECT_FALSE(loop.run());
        EXPECT_EQ(calls, 1);
    }
    for (const Fd fd : other_pair) loop.sockets().close_now(fd);
}

// test-poll.c: UV_DISCONNECT
TEST_P(UvPoll, tells_that_the_other_side_has_gone) {
    Events seen = Events::none;
    test::Live<FdPoll> poll(loop, pair[0]);
    poll->start(Events::hang_up, [&](FdPoll& self, Result<Events> events) {
        seen = events.value();
        self.stop();
    });
    loop.run(RunMode::no_wait);
    EXPECT_EQ(seen, Events::none);
    ::shutdown(pair[1], SHUT_RDWR);
    EXPECT_FALSE(loop.run());
    EXPECT_TRUE(any(seen & Events::hang_up));
}

// test-poll-oob.c: poll_oob
TEST_P(UvPoll, tells_of_urgent_data) {
    const Fd listener = loop.sockets().listen(Address::loopback(), {}).value();
    const Address at = loop.sockets().local_address(listener).value();
    const Fd client = loop.sockets().stream(Address::Family::ipv4).value();
    sockaddr_storage where{};
    socklen_t size = sizeof where;
    ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&where), &size), 0);
    ASSERT_GT(at.port(), 0);
    ::connect(client, reinterpret_cast<sockaddr*>(&where), size);
    Fd server = -1;
    while (server < 0) server = ::accept(listener, nullptr, nullptr);
    {
        Events seen = Events::none;
        test::Live<FdPoll> poll(loop, server);
        poll->start(Events::priority, [&](FdPoll& self, Result<Events> events) {
            seen = events.value();
            self.stop();
        });
        for (int i = 0; i < 3; ++i) loop.run(RunMode::no_wait);  // The poll waits for an edge.
        EXPECT_EQ(seen, Events::none);
        EXPECT_EQ(::send(client, "!", 1, MSG_OOB), 1);
        EXPECT_FALSE(loop.run());
        EXPECT_EQ(seen, Events::priority);
    }
    for (const Fd fd : {client, server, listener}) loop.sockets().close_now(fd);
}

// test-poll->c: uv_poll_start without events
TEST_P(UvPoll, for_nothing_is_refused) {
    test::Live<FdPoll> poll(loop, pair[0]);
    EXPECT_FALSE(poll->start(Events::none, [](FdPoll&, Result<Events>) {}).get());
}

}  // namespace
}  // namespace gyre::handle
