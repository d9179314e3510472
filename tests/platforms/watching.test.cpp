// SPDX-License-Identifier: Apache-2.0
// Poll, readiness and receive into a ring: ops that watch a descriptor.
#include <chrono>

#include "tests/platforms/world.hpp"

namespace gyre::test {
namespace {

GYRE_ON_EACH_PLATFORM(Watching);

Events events_of(const Op& op) {
    return static_cast<Events>(op.result());
}

TEST_P(Watching, a_poll_tells_what_is_ready_already) {
    Pair pair(*world);
    PollOp writable(pair.near, Events::readable | Events::writable);
    world->run(writable);
    EXPECT_EQ(events_of(writable), Events::writable);
    pair.write_far("x");
    world->settle();
    PollOp readable(pair.near, Events::readable);
    world->run(readable);
    EXPECT_EQ(events_of(readable), Events::readable);
}

// clause: K07
TEST_P(Watching, a_poll_waits_once_and_takes_nothing) {
    Pair pair(*world);
    PollOp poll(pair.near, Events::readable);
    for (std::size_t i = 1; i <= 3; ++i) {
        world->app.start(poll);
        world->settle();
        EXPECT_TRUE(poll.is_in_flight());
        pair.write_far("x");
        world->finish(poll);
        EXPECT_EQ(events_of(poll), Events::readable);
        EXPECT_EQ(world->receive(pair.near), "x");
        EXPECT_EQ(world->completions_of(poll), i);
    }
}

TEST_P(Watching, a_poll_sees_the_peer_hang_up) {
    Pair pair(*world);
    PollOp poll(pair.near, Events::readable);
    world->app.start(poll);
    world->settle();
    pair.close_far();
    world->finish(poll);
    EXPECT_TRUE(any(events_of(poll) & Events::hang_up));
}

TEST_P(Watching, a_poll_of_a_listener_tells_that_somebody_came) {
    const Fd listener = world->listen();
    PollOp poll(listener, Events::readable);
    world->app.start(poll);
    world->settle();
    EXPECT_TRUE(poll.is_in_flight());
    const Fd socket = world->stream();
    ConnectOp connect(socket, world->address_of(listener));
    EXPECT_EQ(world->run(connect), 0);
    world->finish(poll);
    EXPECT_EQ(events_of(poll), Events::readable);
    world->close(socket);
    world->close(listener);
}

TEST_P(Watching, a_poll_is_not_ready_when_another_op_took_what_came) {
    if (world->is_simulated()) GTEST_SKIP() << "skipped: there it may see the byte on its way";
    Pair pair(*world);
    std::array<std::byte, 8> buffer{};
    ReceiveOp receive(pair.near, buffer);
    PollOp poll(pair.near, Events::readable);
    world->app.start(receive);
    world->app.start(poll);
    world->settle();
    pair.write_far("x");
    EXPECT_EQ(world->finish(receive), 1);
    world->settle();
    EXPECT_TRUE(poll.is_in_flight());
    EXPECT_EQ(world->cancel(poll), cancelled_result);
}

TEST_P(Watching, polls_do_not_wait_for_each_other) {
    Pair pair(*world);
    PollOp readable(pair.near, Events::readable);
    PollOp writable(pair.near, Events::writable);
    world->app.start(readable);
    world->app.start(writable);
    world->finish(writable);
    EXPECT_EQ(events_of(writable), Events::writable);
    EXPECT_TRUE(readable.is_in_flight());
    EXPECT_EQ(world->cancel(readable), cancelled_result);
}

TEST_P(Watching, a_regular_file_is_always_ready) {
    const Fd fd = world->open(world->file_path(), {.write = true, .create = true});
    PollOp poll(fd, Events::readable | Events::writable);
    world->run(poll);
    EXPECT_EQ(events_of(poll), Events::readable | Events::writable);
    world->close(fd);
}

// clause: K08
TEST_P(Watching, readiness_rings_for_what_is_there_and_for_each_change_until_it_is_cancelled) {
    Pair pair(*world);
    pair.write_far("x");
    ReadinessOp readiness(pair.near, Events::readable);
    world->app.start(readiness);
    world->turn_until_rung(readiness);
    EXPECT_EQ(readiness.take_events(), Events::readable);
    EXPECT_EQ(readiness.take_events(), Events::none);
    for (int i = 0; i < 3; ++i) {
        world->settle();
        EXPECT_EQ(world->receive(pair.near), i == 0 ? "x" : "y");
        world->settle();
        (void)readiness.take_events();
        const std::size_t rings = world->rings_of(readiness);
        pair.write_far("y");
        world->turn_until_rung(readiness, rings + 1);
        EXPECT_EQ(readiness.take_events(), Events::readable);
        EXPECT_TRUE(readiness.is_in_flight());
    }
    EXPECT_EQ(world->cancel(readiness), cancelled_result);
    const std::size_t rings = world->rings_of(readiness);
    pair.write_far("z");
    world->settle();
    EXPECT_EQ(world->completions_of(readiness), 1u);
    EXPECT_EQ(world->rings_of(readiness), rings);
}

TEST_P(Watching, readiness_tells_that_the_peer_hung_up) {
    Pair pair(*world);
    ReadinessOp readiness(pair.near, Events::readable);
    world->app.start(readiness);
    world->settle();
    EXPECT_EQ(world->rings_of(readiness), 0u);  // Writable, which is not in the interest set.
    pair.close_far();
    world->turn_until_rung(readiness);
    EXPECT_TRUE(any(readiness.take_events() & Events::hang_up));
    EXPECT_EQ(world->cancel(readiness), cancelled_result);
}

// Turns until the op gets no notification for a while.
void expect_quiet(World& world, const ReadinessOp& op) {
    world.settle();
    const std::size_t rings = world.rings_of(op);
    world.settle();
    EXPECT_EQ(world.rings_of(op), rings);
}

TEST_P(Watching, a_level_rings_after_each_wait_while_it_is_ready_and_then_no_more) {
    Pair pair(*world);
    ReadinessOp level(pair.near, Events::readable, Trigger::level);
    world->app.start(level);
    expect_quiet(*world, level);
    for (int i = 0; i < 3; ++i) {
        const std::size_t before = world->rings_of(level);
        pair.write_far("ab");
        world->turn_until_rung(level, before + 3);
        EXPECT_EQ(level.take_events(), Events::readable);
        EXPECT_EQ(world->receive(pair.near, 1), "a");
        world->turn_until_rung(level, world->rings_of(level) + 3);
        EXPECT_EQ(world->receive(pair.near, 1), "b");
        expect_quiet(*world, level);
    }
    EXPECT_EQ(world->cancel(level), cancelled_result);
    pair.write_far("x");
    expect_quiet(*world, level);
}

TEST_P(Watching, a_level_can_be_made_to_want_something_else) {
    Pair pair(*world);
    ReadinessOp level(pair.near, Events::readable, Trigger::level);
    world->app.start(level);
    expect_quiet(*world, level);
    for (const Events wanted : {Events::writable, Events::readable, Events::writable}) {
        EXPECT_EQ(world->cancel(level), cancelled_result);
        level.wanted = wanted;
        const std::size_t before = world->rings_of(level);
        world->app.start(level);
        if (wanted == Events::readable) {
            expect_quiet(*world, level);
            EXPECT_EQ(world->rings_of(level), before);
        } else {
            world->turn_until_rung(level, before + 2);
            EXPECT_EQ(level.take_events(), Events::writable);
        }
    }
    EXPECT_EQ(world->cancel(level), cancelled_result);
}

TEST_P(Watching, a_level_stands_beside_ops_that_take_what_comes) {
    Pair pair(*world);
    ReadinessOp level(pair.near, Events::readable, Trigger::level);
    std::array<std::byte, 8> buffer{};
    ReceiveOp receive(pair.near, buffer);
    world->app.start(level);
    world->app.start(receive);
    world->settle();
    for (int i = 0; i < 3; ++i) {
        pair.write_far("x");
        EXPECT_EQ(world->finish(receive), 1);
        expect_quiet(*world, level);  // It may have seen the byte before the other op took it.
        world->app.start(receive);
        world->settle();
    }
    EXPECT_EQ(world->cancel(receive), cancelled_result);
    const std::size_t before = world->rings_of(level);
    pair.write_far("y");
    world->turn_until_rung(level, before + 3);
    EXPECT_EQ(world->receive(pair.near), "y");
    expect_quiet(*world, level);
    EXPECT_EQ(world->cancel(level), cancelled_result);
}

TEST_P(Watching, levels_of_one_descriptor_each_see_what_they_want) {
    Pair pair(*world);
    ReadinessOp readable(pair.near, Events::readable, Trigger::level);
    ReadinessOp writable(pair.near, Events::writable, Trigger::level);
    world->app.start(readable);
    world->app.start(writable);
    world->turn_until_rung(writable, 3);
    EXPECT_EQ(world->rings_of(readable), 0u);
    EXPECT_EQ(world->cancel(writable), cancelled_result);
    expect_quiet(*world, readable);
    pair.write_far("x");
    world->turn_until_rung(readable, 2);
    EXPECT_EQ(readable.take_events(), Events::readable);
    EXPECT_EQ(world->cancel(readable), cancelled_result);
}

TEST_P(Watching, a_level_is_told_that_the_peer_sends_no_more_where_it_wants_that) {
    Pair pair(*world);
    ReadinessOp end(pair.near, Events::hang_up, Trigger::level);
    ReadinessOp urgent(pair.near, Events::priority, Trigger::level);
    world->app.start(end);
    world->app.start(urgent);
    expect_quiet(*world, end);
    ASSERT_TRUE(world->sockets().end_sending(pair.far));
    world->turn_until_rung(end, 3);
    EXPECT_EQ(end.take_events(), Events::hang_up);
    EXPECT_EQ(world->rings_of(urgent), 0u);
    EXPECT_EQ(world->cancel(end), cancelled_result);
    EXPECT_EQ(world->cancel(urgent), cancelled_result);
}

TEST_P(Watching, a_level_that_stays_ready_keeps_nobody_from_time) {
    Pair pair(*world);
    ReadinessOp level(pair.near, Events::writable, Trigger::level);
    world->app.start(level);
    world->turn_until_rung(level, 2);
    TimerOp timer(world->loop().now() + std::chrono::milliseconds(1));
    EXPECT_EQ(world->run(timer), 0);
    EXPECT_EQ(world->cancel(level), cancelled_result);
}

TEST_P(Watching, a_level_on_a_descriptor_that_is_closed_comes_back) {
    Pair pair(*world);
    pair.write_far("x");
    ReadinessOp level(pair.near, Events::readable, Trigger::level);
    world->app.start(level);
    world->turn_until_rung(level, 2);
    pair.close_near();
    EXPECT_EQ(world->finish(level), cancelled_result);
    EXPECT_EQ(world->completions_of(level), 1u);
}

// clause: K08, K11
TEST_P(Watching, a_ring_receives_until_the_end_of_the_stream) {
    Pair pair(*world);
    std::array<std::byte, 64> memory{};
    ByteRing ring(memory);
    ReceiveRingOp op(pair.near, ring, OverflowPolicy::drop_newest);
    world->app.start(op);
    world->settle();
    std::string received;
    for (const char* word : {"one ", "two ", "three"}) {
        const std::size_t rings = world->rings_of(op);
        pair.write_far(word);
        world->turn_until_rung(op, rings + 1);
        std::array<std::byte, 64> out{};
        received += text_of(ConstBytes(out).first(ring.read(out)));
    }
    EXPECT_EQ(received, "one two three");
    EXPECT_TRUE(op.is_in_flight());
    pair.close_far();
    EXPECT_EQ(world->finish(op), 0);
    EXPECT_EQ(world->completions_of(op), 1u);
    EXPECT_EQ(op.stats.received_bytes, 13u);
    EXPECT_EQ(op.stats.lost_bytes, 0u);
    EXPECT_EQ(op.stats.overflows, 0u);
}

// What remains of eight bytes, sent in two writes, in a ring that holds four.
std::string left_in_a_full_ring(World& world, OverflowPolicy policy) {
    Pair pair(world);
    std::array<std::byte, 4> memory{};
    ByteRing ring(memory);
    ReceiveRingOp op(pair.near, ring, policy);
    world.app.start(op);
    world.settle();
    for (const char* text : {"abcdef", "gh"}) {
        pair.write_far(text);
        world.settle();
    }
    EXPECT_EQ(op.stats.received_bytes, 8u);
    EXPECT_EQ(op.stats.lost_bytes, 4u);
    EXPECT_EQ(op.stats.overflows, 2u);
    EXPECT_GE(world.rings_of(op), 1u);
    EXPECT_EQ(world.cancel(op), cancelled_result);
    std::array<std::byte, 8> out{};
    return std::string(text_of(ConstBytes(out).first(ring.read(out))));
}

// clause: K11
TEST_P(Watching, a_ring_that_is_full_drops_the_newest_and_counts) {
    EXPECT_EQ(left_in_a_full_ring(*world, OverflowPolicy::drop_newest), "abcd");
}

// clause: K11
TEST_P(Watching, a_ring_that_is_full_overwrites_the_oldest_and_counts) {
    EXPECT_EQ(left_in_a_full_ring(*world, OverflowPolicy::overwrite_oldest), "efgh");
}

TEST_P(Watching, a_reader_gets_its_tick_before_a_fast_stream_has_filled_a_large_ring) {
    const auto [near, far] = world->connected();
    std::vector<std::byte> memory(std::size_t{1} << 20u);
    ByteRing ring(memory);
    std::vector<std::byte> out(memory.size());
    ReceiveRingOp op(near, ring, OverflowPolicy::drop_newest);
    world->app.on_rung = [&](StandingOp&) { (void)ring.read(out); };
    world->app.start(op);
    const std::vector<std::byte> block(std::size_t{4} << 20u);
    for (int i = 0; i < 4; ++i) {
        ConstBytes left = block;
        while (!left.empty()) {
            SendOp send(far, left);
            const std::int32_t sent = world->run(send);
            ASSERT_GT(sent, 0);
            left = left.subspan(static_cast<std::size_t>(sent));
        }
    }
    world->settle();
    EXPECT_EQ(op.stats.lost_bytes, 0u);
    EXPECT_EQ(world->cancel(op), cancelled_result);
    world->app.on_rung = nullptr;
    world->close(near);
    world->close(far);
}

TEST_P(Watching, who_stands_behind_a_cancelled_ring_gets_what_comes) {
    Pair pair(*world);
    std::array<std::byte, 64> memory{};
    ByteRing ring(memory);
    ReceiveRingOp op(pair.near, ring, OverflowPolicy::drop_newest);
    std::array<std::byte, 8> buffer{};
    ReceiveOp receive(pair.near, buffer);
    world->app.start(op);
    world->app.start(receive);
    world->settle();
    pair.write_far("ring");
    world->turn_until_rung(op);
    EXPECT_EQ(world->cancel(op), cancelled_result);
    pair.write_far("op");
    EXPECT_EQ(world->finish(receive), 2);
    EXPECT_EQ(ring.size_bytes(), 4u);
}

// clause: K09
TEST_P(Watching, rings_that_were_not_taken_yet_are_one_ring_and_lose_nothing) {
    Pair pair(*world);
    std::array<std::byte, 64> memory{};
    ByteRing ring(memory);
    ReceiveRingOp op(pair.near, ring, OverflowPolicy::drop_newest);
    world->app.start(op);
    world->settle();
    SendOp first(pair.far, bytes_of("first "));
    SendOp second(pair.far, bytes_of("second"));
    std::array<TimerOp, 2> pauses;
    world->app.pause();
    for (SendOp* send : {&first, &second}) {
        world->app.start(*send);
        TimerOp* pause = &pauses[send == &first ? 0 : 1];
        pause->deadline = world->loop().now() + std::chrono::milliseconds(2);
        world->app.start(*pause);
        while (pause->state() != OpState::ready) world->turn();
    }
    EXPECT_EQ(op.stats.received_bytes, 12u);
    EXPECT_EQ(world->app.in().count(Lane::notifications), 1u);
    world->app.go_on();
    world->turn_until_rung(op);
    EXPECT_EQ(world->rings_of(op), 1u);
    EXPECT_EQ(ring.size_bytes(), 12u);
    EXPECT_EQ(world->finish(first), 6);
    EXPECT_EQ(world->finish(second), 6);
    for (TimerOp& pause : pauses) EXPECT_EQ(world->finish(pause), 0);
    EXPECT_EQ(world->cancel(op), cancelled_result);
}

}  // namespace
}  // namespace gyre::test
