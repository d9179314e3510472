// SPDX-License-Identifier: Apache-2.0
// The cached time after a wait. libuv's loop updates it when the poll returns, so I/O callbacks and
// check hooks see the present (docs/src/guide/eventloops: "updates its concept of now").
#include <array>

#include "gyre/base/bytes.hpp"
#include "gyre/handle/hook.hpp"
#include "gyre/handle/stream_handle.hpp"
#include "gyre/handle/timer.hpp"
#include "tests/support/handle_world.hpp"

namespace gyre::handle {
namespace {

using namespace std::chrono_literals;

GYRE_HANDLES_EVERYWHERE(UvTime);

// uv_run: uv__io_poll updates the time, whatever ended it.
// clause: L26
TEST_P(UvTime, of_a_check_hook_is_that_after_the_wait_although_only_a_timer_ended_it) {
    test::Live<Prepare> prepare(loop);
    test::Live<Check> check(loop);
    test::Live<Timer> timer(loop);
    Instant before;
    Instant after;
    prepare->start([&](Prepare&) { before = loop.now(); });
    check->start([&](Check&) { after = loop.now(); });
    timer->start([](Timer&) {}, 20ms);
    loop.run(RunMode::once);
    EXPECT_GE(after - before, 19ms);
    EXPECT_LE(after, world.platform().now());
}

// A connection is quiet for a while; its read callback sets an idle timeout.
// clause: L26
TEST_P(UvTime, lets_a_timer_of_a_read_callback_run_its_whole_delay) {
    constexpr Duration quiet = 60ms;
    constexpr Duration delay = 30ms;
    const auto made = loop.sockets().connection_pair();
    ASSERT_TRUE(made.has_value());
    test::Live<Pipe> near(loop);
    test::Live<Pipe> far(loop);
    test::Live<Timer> writer(loop);
    test::Live<Timer> timeout(loop);
    ASSERT_TRUE(near->open((*made)[0]).get());
    ASSERT_TRUE(far->open((*made)[1]).get());
    std::array<std::byte, 16> room{};
    Instant read_at;
    Instant fired_at;
    near->read_start(room, [&](StreamHandle& stream, Result<ConstBytes>) {
        read_at = world.platform().now();
        stream.read_stop();
        timeout->start([&](Timer&) { fired_at = world.platform().now(); }, delay);
    });
    Write write;
    writer->start([&](Timer&) { far->write(write, bytes_of("x"), [](Write&, Status) {}); }, quiet);
    loop.run();
    // The simulated clock moves by a microsecond with each reading.
    EXPECT_GE(fired_at - read_at, delay - 1ms);
    EXPECT_NE(fired_at, Instant());
}

}  // namespace
}  // namespace gyre::handle
