// SPDX-License-Identifier: Apache-2.0
// An iteration of a PhasedLoop in steady state allocates nothing for timers, asyncs, polls, streams,
// hooks and work, on each real platform.
#include <gtest/gtest.h>
#include <unistd.h>

#include "gyre/handle/async.hpp"
#include "gyre/handle/fd_poll.hpp"
#include "gyre/handle/hook.hpp"
#include "gyre/handle/request.hpp"
#include "gyre/handle/stream_handle.hpp"
#include "gyre/handle/timer.hpp"
#include "tests/allocation/counting.hpp"
#include "tests/support/handle_world.hpp"

namespace gyre::allocation {
namespace {

using namespace handle;
using namespace std::chrono_literals;

GYRE_HANDLES_FOR_REAL(SteadyHandles);

constexpr int warm_up_rounds = 100;
constexpr int rounds = 2'000;

// Runs until each of the counts has grown by so much.
template <std::size_t count>
void run_until_all_have(PhasedLoop& loop, const std::array<int, count>& counts, int more) {
    std::array<int, count> wanted = counts;
    for (int& each : wanted) each += more;
    const auto is_behind = [&] {
        for (std::size_t i = 0; i < count; ++i) {
            if (counts[i] < wanted[i]) return true;
        }
        return false;
    };
    while (is_behind()) loop.run(RunMode::once);
}

// Requests that are made again when they are done, as long as they shall.
struct Again {
    PhasedLoop& loop;
    StreamHandle& stream;
    int& sent;
    int& worked;
    bool goes_on = true;
    std::array<std::byte, 1> byte{};
    Write write{};
    Work work{loop};

    void send() {
        stream.write(write, byte, [this](Write&, Status) {
            ++sent;
            if (goes_on) send();
        });
    }
    void queue() {
        work.queue([] {},
                   [this](Work&, Status) {
                       ++worked;
                       if (goes_on) queue();
                   });
    }
};

TEST_P(SteadyHandles, allocate_nothing_when_they_call_back) {
    // clause: K15
    const auto polled = loop.sockets().connection_pair().value();
    const auto joined = loop.sockets().connection_pair().value();
    std::array<int, 7> counts{};
    {
        test::Live<Timer> timer(loop);
        timer->start([&](Timer&) { ++counts[0]; }, 1us, 1us);
        test::Live<Async> async(loop);
        async->start([&](Async& self) {
            ++counts[1];
            self.send();
        });
        async->send();
        test::Live<FdPoll> poll(loop, polled[0]);
        poll->start(Events::readable, [&](FdPoll&, Result<Events>) {
            std::byte byte{};
            EXPECT_EQ(::read(polled[0], &byte, 1), 1);
            EXPECT_EQ(::write(polled[1], &byte, 1), 1);
            ++counts[2];
        });
        EXPECT_EQ(::write(polled[1], "x", 1), 1);
        test::Live<Check> check(loop);
        check->start([&](Check&) { ++counts[3]; });

        std::array<std::byte, 64> buffer{};  // outlives the reader, which ends when it is closed
        test::Live<Pipe> reader(loop);
        test::Live<Pipe> writer(loop);
        ASSERT_TRUE(reader->open(joined[0]).get());
        ASSERT_TRUE(writer->open(joined[1]).get());
        reader->read_start(buffer, [&](StreamHandle&, Result<ConstBytes>) { ++counts[4]; });
        Again again{loop, *writer, counts[5], counts[6]};
        again.send();
        again.queue();

        run_until_all_have(loop, counts, warm_up_rounds);
        const Since since;
        run_until_all_have(loop, counts, rounds);
        EXPECT_EQ(since.count(), 0u);
        again.goes_on = false;
        while (loop.active_request_count() > 0) loop.run(RunMode::once);
    }
    for (const Fd fd : polled) loop.sockets().close_now(fd);
}

TEST_P(SteadyHandles, that_take_a_large_callback_are_seen_to_allocate) {
    test::Live<Timer> timer(loop);
    const Since since;
    std::array<std::uint64_t, 4> large{};
    timer->start([large](Timer&) { (void)large; }, 1h);
    EXPECT_EQ(since.count(), 1u);
}

}  // namespace
}  // namespace gyre::allocation
