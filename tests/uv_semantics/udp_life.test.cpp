// SPDX-License-Identifier: Apache-2.0
// How datagram handles start, stop and close, as libuv's test-udp-*.c and test-ref.c pin it. Each
// test names the one it restates.
#include <array>
#include <string>

#include "gyre/handle/timer.hpp"
#include "gyre/handle/udp.hpp"
#include "tests/uv_semantics/uv_udp.hpp"

namespace gyre::handle {
namespace {

using namespace std::chrono_literals;

// test-udp-send-hang-loop.c and test-tcp-write-fail.c: what is queued at the close is cancelled
TEST_P(UvUdp, a_close_cancels_the_sends_that_wait_before_it_calls_back) {
    const Address at =
        Address::unix_path(std::string(1, '\0') + "gyre-uv-full-" + GetParam()).value();
    test::Live<Udp> full(loop);
    ASSERT_TRUE(full->bind(at).get());
    test::Live<Udp> client(loop);
    std::array<UdpSend, 600> sends;  // More than any system keeps for a socket that nobody reads.
    std::string order;
    int sent = 0;
    int cancelled = 0;
    for (UdpSend& send : sends) {
        client->send(send, bytes_of("x"), at, [&](UdpSend&, Status status) {
            if (status) {
                ++sent;
            } else {
                EXPECT_EQ(status.error().code(), std::errc::operation_canceled);
                ++cancelled;
            }
        });
    }
    for (int i = 0; i < 5; ++i) loop.run(RunMode::no_wait);
    EXPECT_EQ(client->send_queue_count(), sends.size() - static_cast<std::size_t>(sent));
    EXPECT_EQ(client->try_send(bytes_of("x"), at).get().error().code(),
              std::errc::resource_unavailable_try_again);
    client->close([&](Handle&) {
        EXPECT_EQ(sent + cancelled, 600);
        order += "closed";
    });
    EXPECT_FALSE(loop.run());
    EXPECT_GT(sent, 0);
    EXPECT_GT(cancelled, 0);
    EXPECT_EQ(order, "closed");
    EXPECT_EQ(client->send_queue_count(), 0u);
}

// test-ref.c: udp_ref and udp_recv_ref
TEST_P(UvUdp, keeps_the_loop_alive_while_it_receives_unless_unreferenced) {
    test::Live<Udp> handle(loop);
    bind(*handle);
    EXPECT_FALSE(handle->is_active());
    EXPECT_FALSE(loop.is_alive());
    ASSERT_TRUE(handle->receive_start(buffer, [](Udp&, Result<Udp::Received>) {}).get());
    EXPECT_TRUE(handle->is_active());
    EXPECT_TRUE(loop.is_alive());
    handle->unref();
    EXPECT_FALSE(loop.is_alive());
    EXPECT_FALSE(loop.run());
    handle->ref();
    EXPECT_TRUE(loop.is_alive());
    handle->receive_stop();
    EXPECT_FALSE(handle->is_active());
    EXPECT_FALSE(loop.is_alive());
}

// test-ref.c: a send keeps the loop alive although its handle is unreferenced
TEST_P(UvUdp, a_send_keeps_the_loop_alive_by_itself) {
    test::Live<Udp> server(loop);
    test::Live<Udp> client(loop);
    const Address at = bind(*server);
    client->unref();
    UdpSend send;
    int sent = 0;
    client->send(send, bytes_of("x"), at, [&](UdpSend&, Status) { ++sent; });
    EXPECT_TRUE(loop.is_alive());
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(sent, 1);
}

// test-udp-open.c: uv_udp_recv_start a second time
TEST_P(UvUdp, receives_once_at_a_time_and_stops_as_often_as_one_likes) {
    test::Live<Udp> handle(loop);
    const auto ignore = [](Udp&, Result<Udp::Received>) {};
    EXPECT_TRUE(handle->receive_stop().get());
    ASSERT_TRUE(handle->receive_start(buffer, ignore).get());
    EXPECT_NE(handle->local_address().value().port(), 0);  // Bound to any by itself.
    EXPECT_EQ(handle->receive_start(buffer, ignore).get().error().code(),
              std::errc::connection_already_in_progress);
    EXPECT_TRUE(handle->receive_stop().get());
    EXPECT_TRUE(handle->receive_stop().get());
    EXPECT_TRUE(handle->receive_start(buffer, ignore).get());
    EXPECT_TRUE(handle->receive_stop().get());
}

TEST_P(UvUdp, what_arrives_between_a_stop_and_a_start_is_told_and_nothing_is_lost) {
    test::Live<Udp> server(loop);
    test::Live<Udp> client(loop);
    const Address at = bind(*server);
    std::string got;
    const auto on_receive = [&](Udp&, Result<Udp::Received> one) {
        got += text_of(one.value().data);
    };
    std::string expected;
    for (int round = 0; round < 6; ++round) {
        ASSERT_TRUE(server->receive_start(buffer, on_receive).get());
        for (int i = 0; i < round; ++i) loop.run(RunMode::no_wait);
        const std::string text = std::to_string(round);
        ASSERT_TRUE(client->try_send(bytes_of(text), at).get());
        expected += text;
        // Stopped at once, so that the receive under way has the datagram or leaves it.
        server->receive_stop();
        const std::string before = got;
        for (int i = 0; i < 3; ++i) loop.run(RunMode::no_wait);
        EXPECT_EQ(got, before);
        ASSERT_TRUE(server->receive_start(other_buffer, on_receive).get());
        EXPECT_EQ(got, before);  // Never inside the call.
        while (got.size() < expected.size()) loop.run(RunMode::once);
        server->receive_stop();
    }
    EXPECT_EQ(got, expected);
}

TEST_P(UvUdp, stopped_by_another_callback_of_the_iteration_it_keeps_what_it_had_received) {
    test::Live<Udp> first(loop);
    test::Live<Udp> second(loop);
    test::Live<Udp> client(loop);
    ASSERT_TRUE(client->try_send(bytes_of("1"), bind(*first)).get());
    ASSERT_TRUE(client->try_send(bytes_of("2"), bind(*second)).get());
    Timer arrived(loop);
    arrived.start([](Timer& self) { self.close(); }, 5ms);
    EXPECT_FALSE(loop.run());
    // Both are there, so both receives are done in one wait; the one told first stops the other.
    std::string got;
    const auto on_receive = [&](Udp& self, Result<Udp::Received> one) {
        got += text_of(one.value().data);
        first->receive_stop();
        second->receive_stop();
        EXPECT_FALSE(self.is_active());
    };
    ASSERT_TRUE(first->receive_start(buffer, on_receive).get());
    ASSERT_TRUE(second->receive_start(other_buffer, on_receive).get());
    EXPECT_FALSE(loop.run());
    ASSERT_EQ(got.size(), 1u);
    Udp& other = got == "1" ? *second : *first;
    ASSERT_TRUE(other.receive_start(buffer, on_receive).get());
    EXPECT_EQ(got.size(), 1u);
    EXPECT_FALSE(loop.run());
    EXPECT_TRUE(got == "12" || got == "21") << got;
}

// test-udp-open.c and test-close-fd.c: calls after the close
TEST_P(UvUdp, refuses_everything_once_it_is_closing) {
    test::Live<Udp> handle(loop);
    const Address at = bind(*handle);
    handle->close();
    UdpSend send;
    constexpr auto code = std::errc::invalid_argument;
    EXPECT_EQ(handle->bind(at).get().error().code(), code);
    EXPECT_EQ(handle->connect(at).get().error().code(), code);
    EXPECT_EQ(handle->disconnect().get().error().code(), code);
    EXPECT_EQ(handle->send(send, bytes_of("x"), at, expect_sent).get().error().code(), code);
    EXPECT_EQ(handle->try_send(bytes_of("x"), at).get().error().code(), code);
    EXPECT_EQ(
        handle->receive_start(buffer, [](Udp&, Result<Udp::Received>) {}).get().error().code(),
        code);
    EXPECT_EQ(handle->join({.group = at}).get().error().code(), code);
    EXPECT_EQ(handle->open(0).get().error().code(), code);
}

}  // namespace
}  // namespace gyre::handle
