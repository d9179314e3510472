// SPDX-License-Identifier: Apache-2.0
// Cancellation in each state of an op: before it is routed, held by the platform, ready. The op
// completes once, as cancelled or with its result, and a cancelled op has consumed no data.
#include <memory>

#include "tests/platforms/world.hpp"

namespace gyre::test {
namespace {

GYRE_ON_EACH_PLATFORM(Cancelling);

using Buffer = std::array<std::byte, 16>;

// clause: K10
TEST_P(Cancelling, before_it_was_routed_an_op_does_nothing) {
    Pair pair(*world);
    pair.write_far("kept");
    Buffer buffer{};
    ReceiveOp op(pair.near, buffer);
    world->app.start(op);
    ASSERT_EQ(op.state(), OpState::submitted);
    EXPECT_EQ(world->cancel(op), cancelled_result);
    EXPECT_EQ(world->completions_of(op), 1u);
    EXPECT_EQ(world->receive(pair.near), "kept");
}

// clause: K10
TEST_P(Cancelling, a_held_receive_takes_nothing) {
    Pair pair(*world);
    Buffer buffer{};
    ReceiveOp op(pair.near, buffer);
    world->app.start(op);
    world->settle();
    ASSERT_EQ(op.state(), OpState::held);
    EXPECT_EQ(world->cancel(op), cancelled_result);
    EXPECT_EQ(world->completions_of(op), 1u);
    pair.write_far("kept");
    EXPECT_EQ(world->receive(pair.near), "kept");
}

// clause: K10
TEST_P(Cancelling, a_ready_op_keeps_its_result) {
    Pair pair(*world);
    Buffer buffer{};
    ReceiveOp op(pair.near, buffer);
    world->app.start(op);
    world->settle();
    SendOp send(pair.far, bytes_of("done"));
    world->app.start(send);
    world->app.pause();
    while (op.state() != OpState::ready) world->turn();
    world->app.stop(op);
    world->app.go_on();
    EXPECT_EQ(world->finish(op), 4);
    EXPECT_EQ(world->finish(send), 4);
    EXPECT_EQ(world->completions_of(op), 1u);
}

// clause: K10
TEST_P(Cancelling, while_bytes_arrive_either_the_op_or_the_stream_has_them) {
    Pair pair(*world);
    for (int turns = 0; turns < 6; ++turns) {
        Buffer buffer{};
        ReceiveOp op(pair.near, buffer);
        SendOp send(pair.far, bytes_of("data"));
        world->app.start(op);
        world->settle();
        world->app.start(send);
        for (int i = 0; i < turns && op.is_in_flight(); ++i) world->turn();
        world->app.stop(op);
        const std::int32_t result = world->finish(op);
        ASSERT_EQ(world->finish(send), 4);
        EXPECT_EQ(world->completions_of(op), 1u);
        world->app.done.clear();
        if (result == cancelled_result) {
            EXPECT_EQ(world->receive(pair.near), "data");
        } else {
            EXPECT_EQ(result, 4);
        }
    }
}

TEST_P(Cancelling, twice_is_once) {
    Pair pair(*world);
    Buffer buffer{};
    ReceiveOp op(pair.near, buffer);
    world->app.start(op);
    world->settle();
    world->app.stop(op);
    world->app.stop(op);
    EXPECT_EQ(world->finish(op), cancelled_result);
    world->app.stop(op);  // Idle by now: no effect.
    world->settle();
    EXPECT_EQ(world->completions_of(op), 1u);
}

TEST_P(Cancelling, who_stood_behind_goes_on) {
    Pair pair(*world);
    Buffer buffer{};
    ReceiveOp first(pair.near, buffer);
    ReceiveOp second(pair.near, buffer);
    ReceiveOp third(pair.near, buffer);
    for (ReceiveOp* op : {&first, &second, &third}) world->app.start(*op);
    world->settle();
    EXPECT_EQ(world->cancel(second), cancelled_result);
    EXPECT_EQ(world->cancel(first), cancelled_result);
    pair.write_far("for three");
    EXPECT_EQ(world->finish(third), 9);
}

TEST_P(Cancelling, a_send_that_waits_sends_nothing) {
    Pair pair(*world);
    SendOp op(pair.near, bytes_of("never"));
    const std::size_t before = world->fill(pair.near, op);
    EXPECT_EQ(world->cancel(op), cancelled_result);
    std::size_t received = 0;
    while (received < before) received += world->receive(pair.far, 1u << 20u).size();
    ASSERT_TRUE(world->sockets().end_sending(pair.near));
    EXPECT_EQ(received, before);
    EXPECT_EQ(world->receive(pair.far), "");
}

TEST_P(Cancelling, an_accept_leaves_the_connection_for_the_next) {
    const Fd listener = world->listen();
    AcceptOp accept(listener);
    world->app.start(accept);
    world->settle();
    EXPECT_EQ(world->cancel(accept), cancelled_result);
    const Fd socket = world->stream();
    ConnectOp connect(socket, world->address_of(listener));
    EXPECT_EQ(world->run(connect), 0);
    const Fd accepted = world->run(accept);
    EXPECT_GE(accepted, 0);
    for (const Fd fd : {accepted, socket, listener}) world->close(fd);
}

// A full backlog of a Unix listener makes the next connect wait.
TEST_P(Cancelling, a_connect_leaves_the_socket_for_another_try) {
    const Address at = World::unix_address("cancel");
    const Fd listener = world->listen(at, {.backlog = 0});
    const Fd first = world->stream(Address::Family::unix_path);
    const Fd second = world->stream(Address::Family::unix_path);
    ConnectOp connect(first, at);
    ASSERT_EQ(world->run(connect), 0);
    ConnectOp waits(second, at);
    world->app.start(waits);
    world->settle();
    ASSERT_TRUE(waits.is_in_flight());
    EXPECT_EQ(world->cancel(waits), cancelled_result);

    const Address elsewhere = World::unix_address("cancel-2");
    const Fd other = world->listen(elsewhere);
    ConnectOp again(second, elsewhere);
    EXPECT_EQ(world->run(again), 0);
    for (const Fd fd : {first, second, other, listener}) world->close(fd);
}

TEST_P(Cancelling, a_poll_brings_it_back) {
    Pair pair(*world);
    PollOp poll(pair.near, Events::readable);
    world->app.start(poll);
    world->settle();
    EXPECT_EQ(world->cancel(poll), cancelled_result);
}

// clause: K10
TEST_P(Cancelling, a_standing_op_ends_it_with_one_completion_although_it_was_rung) {
    Pair pair(*world);
    ReadinessOp readiness(pair.near, Events::readable);
    world->app.start(readiness);
    world->settle();
    SendOp send(pair.far, bytes_of("x"));
    world->app.start(send);
    world->app.pause();
    while (!readiness.is_linked()) world->turn();  // Notified: it is in flight to the app.
    world->app.stop(readiness);
    world->app.go_on();
    EXPECT_EQ(world->finish(readiness), cancelled_result);
    EXPECT_EQ(world->finish(send), 1);
    world->settle();
    EXPECT_EQ(world->completions_of(readiness), 1u);
    EXPECT_EQ(world->rings_of(readiness), 0u);
}

}  // namespace
}  // namespace gyre::test
