// SPDX-License-Identifier: Apache-2.0
// Datagrams, as libuv's test-udp-*.c and test-getsockname.c pin them. Each test names the one it
// restates; udp_options.test.cpp has those about options, groups and descriptors, udp_life.test.cpp
// those about starting, stopping and closing.
#include <array>
#include <string>
#include <string_view>

#include "gyre/handle/timer.hpp"
#include "gyre/handle/udp.hpp"
#include "tests/uv_semantics/uv_udp.hpp"

namespace gyre::handle {

INSTANTIATE_TEST_SUITE_P(platforms, UvUdp, testing::ValuesIn(test::every_platform_here()),
                         [](const auto& test) { return test.param; });

namespace {

using namespace std::chrono_literals;

// test-udp-send-and-recv.c: udp_send_and_recv
TEST_P(UvUdp, a_datagram_goes_there_and_the_answer_comes_back) {
    test::Live<Udp> server(loop);
    test::Live<Udp> client(loop);
    UdpSend ping;
    UdpSend pong;
    const Address at = bind(*server);
    std::string got;
    int sent = 0;
    ASSERT_TRUE(server
                    ->receive_start(buffer,
                                    [&](Udp& self, Result<Udp::Received> one) {
                                        EXPECT_EQ(text_of(one.value().data), "PING");
                                        EXPECT_FALSE(one->is_truncated);
                                        self.receive_stop();
                                        self.send(pong, bytes_of("PONG"), one->from,
                                                  [&](UdpSend& done, Status status) {
                                                      EXPECT_TRUE(status.has_value());
                                                      ++sent;
                                                      done.handle().close();
                                                  });
                                    })
                    .get());
    const auto on_sent = [&](UdpSend& done, Status status) {
        EXPECT_TRUE(status.has_value());
        ++sent;
        EXPECT_TRUE(done.handle()
                        .receive_start(other_buffer,
                                       [&](Udp& self, Result<Udp::Received> one) {
                                           got = text_of(one.value().data);
                                           EXPECT_EQ(one->from, at);
                                           self.close();
                                       })
                        .get());
    };
    ASSERT_TRUE(client->send(ping, bytes_of("PING"), at, on_sent).get());
    EXPECT_EQ(client->send_queue_size(), 4u);
    EXPECT_EQ(client->send_queue_count(), 1u);
    EXPECT_EQ(sent, 0);  // Never inside the call.
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(got, "PONG");
    EXPECT_EQ(sent, 2);
}

// test-udp-send-immediate.c: udp_send_immediate
TEST_P(UvUdp, sends_call_back_in_their_order_and_leave_the_queue_empty) {
    test::Live<Udp> server(loop);
    test::Live<Udp> client(loop);
    const Address at = bind(*server);
    std::array<UdpSend, 3> sends;
    const std::array<std::string_view, 3> texts = {"one", "two", "three"};
    std::string done;
    for (std::size_t i = 0; i < sends.size(); ++i) {
        ASSERT_TRUE(client
                        ->send(sends[i], bytes_of(texts[i]), at,
                               [&done, i](UdpSend&, Status) { done += std::to_string(i); })
                        .get());
    }
    EXPECT_EQ(client->send_queue_count(), 3u);
    EXPECT_EQ(client->send_queue_size(), 11u);
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(done, "012");
    EXPECT_EQ(client->send_queue_count(), 0u);
    EXPECT_EQ(client->send_queue_size(), 0u);
}

// test-udp-recv-in-a-row.c: udp_recv_in_a_row
TEST_P(UvUdp, everything_that_waits_is_received_in_its_order) {
    test::Live<Udp> server(loop);
    test::Live<Udp> client(loop);
    const Address at = bind(*server);
    for (const char* text : {"a", "b", "c", "d", "e"}) {
        EXPECT_EQ(client->try_send(bytes_of(text), at).get().value(), 1u);
    }
    std::string got;
    server->receive_start(buffer, [&](Udp& self, Result<Udp::Received> one) {
        got += text_of(one.value().data);
        if (got.size() == 5) self.close();
    });
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(got, "abcde");
}

// test-udp-dgram-too-big.c: udp_dgram_too_big
TEST_P(UvUdp, a_datagram_that_is_too_big_fails_in_its_callback) {
    test::Live<Udp> client(loop);
    const std::string large(65536, 'x');
    UdpSend send;
    Status outcome;
    ASSERT_TRUE(client
                    ->send(send, bytes_of(large), Address::loopback(9),
                           [&](UdpSend&, Status status) { outcome = status; })
                    .get());
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(outcome.error().code(), std::errc::message_size);
}

// test-udp-send-and-recv.c: a buffer that is too small (UV_UDP_PARTIAL)
TEST_P(UvUdp, what_does_not_fit_the_buffer_is_cut_off_and_told) {
    test::Live<Udp> server(loop);
    test::Live<Udp> client(loop);
    const Address at = bind(*server);
    std::string got;
    server->receive_start(Bytes(buffer).first(4), [&](Udp& self, Result<Udp::Received> one) {
        got += text_of(one.value().data);
        got += one->is_truncated ? " cut off, " : " whole";
        if (!one->is_truncated) self.close();
    });
    EXPECT_TRUE(client->try_send(bytes_of("long one"), at).get());
    EXPECT_TRUE(client->try_send(bytes_of("next"), at).get());
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(got, "long cut off, next whole");
}

// test-udp-alloc-cb-fail.c: udp_alloc_cb_fail. Memory is the caller's before the start, so the lack
// of it is known there.
TEST_P(UvUdp, a_receive_without_memory_is_refused_and_takes_nothing) {
    test::Live<Udp> server(loop);
    test::Live<Udp> client(loop);
    const Address at = bind(*server);
    EXPECT_TRUE(client->try_send(bytes_of("kept"), at).get());
    EXPECT_EQ(server->receive_start(Bytes(), [](Udp&, Result<Udp::Received>) { FAIL(); })
                  .get()
                  .error()
                  .code(),
              std::errc::invalid_argument);
    EXPECT_FALSE(loop.is_alive());
    std::string got;
    server->receive_start(buffer, [&](Udp& self, Result<Udp::Received> one) {
        got = text_of(one.value().data);
        self.close();
    });
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(got, "kept");
}

// test-udp-send-and-recv.c: zero-length datagrams are told with their sender
TEST_P(UvUdp, an_empty_datagram_is_one_too) {
    test::Live<Udp> server(loop);
    test::Live<Udp> client(loop);
    const Address at = bind(*server);
    const Address from = bind(*client);
    bool came = false;
    server->receive_start(buffer, [&](Udp& self, Result<Udp::Received> one) {
        came = one.value().data.empty() && one->from == from;
        self.close();
    });
    UdpSend send;
    client->send(send, ConstBytes(), at, expect_sent);
    EXPECT_FALSE(loop.run());
    EXPECT_TRUE(came);
}

// test-udp-try-send.c: udp_try_send
TEST_P(UvUdp, a_send_tried_at_once_is_done_or_refused_inside_the_call) {
    test::Live<Udp> server(loop);
    test::Live<Udp> client(loop);
    const Address at = bind(*server);
    EXPECT_EQ(client->try_send(bytes_of("x"), Address::loopback(0)).get().error().code(),
              std::errc::invalid_argument);
    EXPECT_EQ(client->try_send(bytes_of("EXIT"), at).get().value(), 4u);
    UdpSend queued;
    client->send(queued, bytes_of("queued"), at, expect_sent);
    EXPECT_EQ(client->try_send(bytes_of("must not overtake"), at).get().error().code(),
              std::errc::resource_unavailable_try_again);
    std::string got;
    server->receive_start(buffer, [&](Udp& self, Result<Udp::Received> one) {
        got += text_of(one.value().data);
        if (got.size() == 10) self.close();
    });
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(got, "EXITqueued");
}

// test-udp-connect.c: udp_connect
TEST_P(UvUdp, connected_it_sends_to_its_peer_and_to_nobody_else) {
    test::Live<Udp> server(loop);
    test::Live<Udp> client(loop);
    const Address at = bind(*server);
    EXPECT_EQ(client->disconnect().get().error().code(), std::errc::not_connected);
    EXPECT_FALSE(client->peer_address());
    ASSERT_TRUE(client->connect(at).get());
    EXPECT_TRUE(client->is_connected());
    EXPECT_EQ(client->connect(at).get().error().code(), std::errc::already_connected);
    EXPECT_EQ(client->peer_address().value(), at);

    UdpSend send;
    EXPECT_EQ(client->send(send, bytes_of("x"), at, expect_sent).get().error().code(),
              std::errc::already_connected);
    EXPECT_EQ(client->try_send(bytes_of("x"), at).get().error().code(),
              std::errc::already_connected);
    ASSERT_TRUE(client->send(send, bytes_of("EXIT"), Address(), expect_sent).get());
    std::string got;
    server->receive_start(buffer, [&](Udp& self, Result<Udp::Received> one) {
        got += text_of(one.value().data);
        if (got.size() == 8) self.close();
    });
    while (send.is_active()) loop.run(RunMode::once);

    ASSERT_TRUE(client->disconnect().get());
    EXPECT_FALSE(client->is_connected());
    EXPECT_EQ(client->disconnect().get().error().code(), std::errc::not_connected);
    EXPECT_EQ(client->peer_address().error().code(), std::errc::not_connected);
    EXPECT_EQ(client->send(send, bytes_of("x"), Address(), expect_sent).get().error().code(),
              std::errc::destination_address_required);
    EXPECT_EQ(client->try_send(bytes_of("x"), Address()).get().error().code(),
              std::errc::destination_address_required);
    EXPECT_EQ(client->try_send(bytes_of("EXIT"), at).get().value(), 4u);
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(got, "EXITEXIT");
}

// test-udp-send-unreachable.c: udp_send_unreachable
TEST_P(UvUdp, a_datagram_to_nobody_counts_as_sent_and_tells_nothing) {
    const Address to = nobody();
    test::Live<Udp> client(loop);
    UdpSend send;
    int sent = 0;
    client->receive_start(buffer, [](Udp&, Result<Udp::Received>) { FAIL(); });
    Timer over(loop);
    const auto close = [&](Timer& self) {
        self.close();
        client->close();
    };
    client->send(send, bytes_of("PING"), to, [&](UdpSend&, Status status) {
        EXPECT_TRUE(status.has_value());
        ++sent;
        over.start(close, 20ms);  // Time for a refusal to come back.
    });
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(sent, 1);
}

// test-udp-recv-cb-close-pollerr.c: udp_recv_cb_close_pollerr
TEST_P(UvUdp, a_peer_that_is_not_there_is_told_and_may_be_answered_by_a_close) {
    test::Live<Udp> client(loop);
    ASSERT_TRUE(client->connect(nobody()).get());
    std::string order;
    client->receive_start(buffer, [&](Udp& self, Result<Udp::Received> one) {
        EXPECT_EQ(one.error().code(), std::errc::connection_refused);
        order += "refused ";
        self.close([&](Handle&) { order += "closed"; });
    });
    EXPECT_TRUE(client->try_send(bytes_of("PING"), Address()).get());
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(order, "refused closed");
}

// test-udp-sendmmsg-error.c: udp_sendmmsg_error
TEST_P(UvUdp, sends_to_a_peer_that_is_not_there_all_call_back_once) {
    test::Live<Udp> client(loop);
    ASSERT_TRUE(client->connect(nobody()).get());
    std::array<UdpSend, 20> sends;
    int done = 0;
    for (UdpSend& send : sends) {
        client->send(send, bytes_of("x"), Address(), [&](UdpSend&, Status status) {
            EXPECT_TRUE(status || status.error().code() == std::errc::connection_refused);
            ++done;
        });
    }
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(done, 20);
    EXPECT_EQ(client->send_queue_size(), 0u);
}

// An error does not end the receiving: test-udp-send-unreachable.c, its second half
TEST_P(UvUdp, receives_on_after_an_error) {
    test::Live<Udp> client(loop);
    test::Live<Udp> peer(loop);
    Address at = nobody();
    const Address own = bind(*client);
    ASSERT_TRUE(client->connect(at).get());
    std::string got;
    client->receive_start(buffer, [&](Udp& self, Result<Udp::Received> one) {
        if (!one) {
            got += "refused ";
            ASSERT_TRUE(peer->bind(at).get());
            EXPECT_TRUE(peer->try_send(bytes_of("here now"), own).get());
            return;
        }
        got += text_of(one->data);
        self.close();
    });
    EXPECT_TRUE(client->try_send(bytes_of("PING"), Address()).get());
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(got, "refused here now");
}

// test-udp-send-unix.c: udp_send_unix
TEST_P(UvUdp, a_handle_sends_to_a_name_too) {
    const Address at =
        Address::unix_path(std::string(1, '\0') + "gyre-uv-udp-" + GetParam()).value();
    test::Live<Udp> server(loop);
    test::Live<Udp> client(loop);
    ASSERT_TRUE(server->bind(at).get());
    EXPECT_EQ(server->local_address().value(), at);
    UdpSend send;
    std::string got;
    server->receive_start(buffer, [&](Udp& self, Result<Udp::Received> one) {
        got = text_of(one.value().data);
        EXPECT_EQ(one->from, Address());
        self.close();
    });
    client->send(send, bytes_of("PING"), at, expect_sent);
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(got, "PING");
}

}  // namespace
}  // namespace gyre::handle
