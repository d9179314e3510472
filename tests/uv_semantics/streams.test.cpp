// SPDX-License-Identifier: Apache-2.0
// Streams, as libuv's test-tcp-*.c, test-pipe-*.c, test-connection-fail.c and test-callback-order.c
// pin them. Each test names the one it restates; stream_writes.test.cpp has those about writes.
#include <map>
#include <string>
#include <vector>

#include "gyre/handle/hook.hpp"
#include "gyre/handle/listener_handle.hpp"
#include "gyre/handle/stream_handle.hpp"
#include "tests/uv_semantics/uv_stream.hpp"

namespace gyre::handle {

INSTANTIATE_TEST_SUITE_P(platforms, UvStream, testing::ValuesIn(test::every_platform_here()),
                         [](const auto& test) { return test.param; });

namespace {

// test-ping-pong.c: tcp_ping_pong
TEST_P(UvStream, a_connection_carries_bytes_both_ways_until_the_end) {
    test::Live<ListenerHandle> listener(loop);
    test::Live<Tcp> server(loop);
    test::Live<Tcp> client(loop);
    Write ping;
    Write pong;
    Connect connect;
    std::string got;
    bool has_ended = false;
    ASSERT_TRUE(listener
                    ->listen(Address::loopback(), {},
                             [&](ListenerHandle& self, Status status) {
                                 ASSERT_TRUE(status.has_value());
                                 ASSERT_TRUE(self.accept(*server).get());
                                 server->read_start(buffer, [&](StreamHandle& stream,
                                                                Result<ConstBytes> bytes) {
                                     if (bytes.value().empty()) {
                                         stream.close();
                                         listener->close();
                                         return;
                                     }
                                     EXPECT_EQ(text_of(*bytes), "PING");
                                     stream.write(pong, bytes_of("PONG"),
                                                  [](Write&, Status sent) { EXPECT_TRUE(sent); });
                                 });
                             })
                    .get());
    const Address at = listener->local_address().value();
    ASSERT_TRUE(client
                    ->connect(connect, at,
                              [&](Connect& self, Status status) {
                                  ASSERT_TRUE(status.has_value());
                                  EXPECT_EQ(&self.stream(), &*client);
                                  client->write(ping, bytes_of("PING"),
                                                [](Write&, Status sent) { EXPECT_TRUE(sent); });
                                  client->read_start(other_buffer, [&](StreamHandle& stream,
                                                                       Result<ConstBytes> bytes) {
                                      got += text_of(bytes.value());
                                      if (got.size() == 4) {
                                          has_ended = true;
                                          stream.close();
                                      }
                                  });
                              })
                    .get());
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(got, "PONG");
    EXPECT_TRUE(has_ended);
}

// test-pipe-connect-error.c and test-pipe-getsockname.c
TEST_P(UvStream, a_pipe_listens_at_a_name_and_connects_to_it) {
    const std::string name = std::string(1, '\0') + "gyre-uv-" + GetParam();
    const Address at = Address::unix_path(name).value();
    test::Live<ListenerHandle> listener(loop);
    test::Live<Pipe> server(loop);
    test::Live<Pipe> client(loop);
    Connect connect;
    int connections = 0;
    ASSERT_TRUE(listener
                    ->listen(at, {},
                             [&](ListenerHandle& self, Status) {
                                 ++connections;
                                 ASSERT_TRUE(self.accept(*server).get());
                                 self.close();
                             })
                    .get());
    EXPECT_EQ(listener->local_address().value(), at);
    bool is_connected = false;
    client->connect(connect, at,
                    [&](Connect&, Status status) { is_connected = status.has_value(); });
    EXPECT_FALSE(loop.run());
    EXPECT_TRUE(is_connected);
    EXPECT_EQ(connections, 1);
}

// test-connection-fail.c: connection_fail
// clause: L25
TEST_P(UvStream, a_connection_that_is_refused_says_so_in_the_callback) {
    // A port that was free a moment ago.
    std::uint16_t port = 0;
    {
        test::Live<ListenerHandle> probe(loop);
        ASSERT_TRUE(probe->listen(Address::loopback(), {}, [](ListenerHandle&, Status) {}).get());
        port = probe->local_address()->port();
    }
    test::Live<Tcp> client(loop);
    Connect connect;
    Status outcome;
    int calls = 0;
    ASSERT_TRUE(client
                    ->connect(connect, Address::loopback(port),
                              [&](Connect&, Status status) {
                                  ++calls;
                                  outcome = status;
                              })
                    .get());
    EXPECT_EQ(calls, 0);
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(outcome.error().code(), std::errc::connection_refused);
    EXPECT_FALSE(client->is_readable());
}

// test-tcp-connect-error.c: tcp_connect_error_fault
TEST_P(UvStream, a_connection_to_nowhere_is_refused_inside_the_call) {
    test::Live<Tcp> client(loop);
    Connect connect;
    EXPECT_FALSE(client->connect(connect, Address(), [](Connect&, Status) { FAIL(); }).get());
    EXPECT_FALSE(loop.is_alive());
}

// test-tcp-close-while-connecting.c: tcp_close_while_connecting
TEST_P(UvStream, closed_while_it_connects_cancels_the_connect) {
    test::Live<ListenerHandle> listener(loop);
    ASSERT_TRUE(listener->listen(Address::loopback(), {}, [](ListenerHandle&, Status) {}).get());
    test::Live<Tcp> client(loop);
    Connect connect;
    std::string order;
    ASSERT_TRUE(client
                    ->connect(connect, *listener->local_address(),
                              [&](Connect&, Status status) {
                                  EXPECT_EQ(status.error().code(), std::errc::operation_canceled);
                                  order += "connect ";
                              })
                    .get());
    client->close([&](Handle&) { order += "close "; });
    listener->close();
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(order, "connect close ");
}

// test-tcp-bind-error.c: tcp_bind_error_addrinuse_listen
TEST_P(UvStream, an_address_in_use_is_refused) {
    test::Live<ListenerHandle> first(loop);
    test::Live<ListenerHandle> second(loop);
    ASSERT_TRUE(first->listen(Address::loopback(), {}, [](ListenerHandle&, Status) {}).get());
    EXPECT_EQ(second->listen(*first->local_address(), {}, [](ListenerHandle&, Status) {})
                  .get()
                  .error()
                  .code(),
              std::errc::address_in_use);
    EXPECT_FALSE(first->listen(Address::loopback(), {}, [](ListenerHandle&, Status) {}).get());
}

// test-tcp-bind-error.c: tcp_bind_error_addrnotavail_1
TEST_P(UvStream, an_address_of_somebody_else_is_refused) {
    test::Live<ListenerHandle> other(loop);
    EXPECT_EQ(other->listen(Address::ipv4({4, 4, 4, 4}, 0), {}, [](ListenerHandle&, Status) {})
                  .get()
                  .error()
                  .code(),
              std::errc::address_not_available);
}

// test-delayed-accept.c: delayed_accept
TEST_P(UvStream, a_connection_waits_until_it_is_accepted) {
    test::Live<ListenerHandle> listener(loop);
    test::Live<Tcp> server(loop);
    test::Live<Tcp> second_server(loop);
    test::Live<Tcp> client(loop);
    test::Live<Tcp> second_client(loop);
    Connect connect;
    Connect second_connect;
    int connections = 0;
    int connected = 0;
    const auto count = [&](Connect&, Status) { ++connected; };
    EXPECT_FALSE(listener->accept(*server).get());
    ASSERT_TRUE(
        listener->listen(Address::loopback(), {}, [&](ListenerHandle&, Status) { ++connections; })
            .get());
    const Address at = *listener->local_address();
    client->connect(connect, at, count);
    second_client->connect(second_connect, at, count);
    while (connections == 0 || connected < 2) loop.run(RunMode::once);
    for (int i = 0; i < 5; ++i) loop.run(RunMode::no_wait);
    EXPECT_EQ(connections, 1);  // One at a time.
    EXPECT_TRUE(listener->accept(*server).get());
    while (connections == 1) loop.run(RunMode::once);
    EXPECT_TRUE(listener->accept(*second_server).get());
    EXPECT_EQ(listener->accept(*second_server).get().error().code(),
              std::errc::resource_unavailable_try_again);
}

// test-tcp-read-stop.c: tcp_read_stop
TEST_P(UvStream, nothing_is_told_between_read_stop_and_read_start_and_nothing_is_lost) {
    test::Live<Pipe> near(loop);
    test::Live<Pipe> far(loop);
    join(*near, *far);
    std::string got;
    const auto note = [&](StreamHandle&, Result<ConstBytes> bytes) {
        got += text_of(bytes.value());
    };
    far->read_start(buffer, note);
    loop.run(RunMode::no_wait);
    Write write;
    near->write(write, bytes_of("abc"), [](Write&, Status) {});
    far->read_stop();
    EXPECT_FALSE(far->is_active());
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(got, "");
    far->read_start(buffer, note);
    while (got.size() < 3) loop.run(RunMode::once);
    EXPECT_EQ(got, "abc");
}

// test-tcp-read-stop-start.c: tcp_read_stop_start
TEST_P(UvStream, reading_can_be_stopped_and_started_in_the_callback) {
    test::Live<Pipe> near(loop);
    test::Live<Pipe> far(loop);
    join(*near, *far);
    std::string got;
    std::function<void(StreamHandle&, Result<ConstBytes>)> note = [&](StreamHandle& self,
                                                                      Result<ConstBytes> bytes) {
        got += text_of(bytes.value());
        self.read_stop();
        self.read_start(Bytes(buffer).first(1), note);
    };
    far->read_start(Bytes(buffer).first(1), note);
    Write write;
    near->write(write, bytes_of("hello"), [](Write&, Status) {});
    while (got.size() < 5) loop.run(RunMode::once);
    EXPECT_EQ(got, "hello");
}

// test-tcp-read-stop.c: read_start twice, and without a connection
TEST_P(UvStream, a_second_read_start_is_refused) {
    test::Live<Pipe> near(loop);
    test::Live<Pipe> far(loop);
    EXPECT_EQ(
        far->read_start(buffer, [](StreamHandle&, Result<ConstBytes>) {}).get().error().code(),
        std::errc::not_connected);
    join(*near, *far);
    EXPECT_TRUE(far->read_start(buffer, [](StreamHandle&, Result<ConstBytes>) {}).get());
    EXPECT_EQ(
        far->read_start(buffer, [](StreamHandle&, Result<ConstBytes>) {}).get().error().code(),
        std::errc::connection_already_in_progress);
    EXPECT_TRUE(far->read_stop().get());
    EXPECT_TRUE(far->read_stop().get());
}

// test-tcp-unexpected-read.c and test-tcp-close-accept.c: closing in the read callback
TEST_P(UvStream, can_be_closed_in_its_read_callback) {
    test::Live<Pipe> near(loop);
    test::Live<Pipe> far(loop);
    join(*near, *far);
    int reads = 0;
    far->read_start(buffer, [&](StreamHandle& self, Result<ConstBytes>) {
        ++reads;
        self.close();
    });
    Write write;
    near->write(write, bytes_of("x"), [](Write&, Status) {});
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(reads, 1);
}

// test-tcp-open.c: tcp_open_twice
TEST_P(UvStream, opened_twice_says_busy) {
    test::Live<Pipe> near(loop);
    test::Live<Pipe> far(loop);
    join(*near, *far);
    EXPECT_EQ(near->open(0).get().error().code(), std::errc::device_or_resource_busy);
    test::Live<Pipe> bad(loop);
    EXPECT_FALSE(bad->open(-1).get());
}

// test-tcp-close-accept.c: a listener closed with a connection that nobody accepted
TEST_P(UvStream, a_listener_closes_with_a_connection_that_nobody_accepted) {
    test::Live<ListenerHandle> listener(loop);
    test::Live<Tcp> client(loop);
    Connect connect;
    int connections = 0;
    bool has_ended = false;
    listener->listen(Address::loopback(), {}, [&](ListenerHandle& self, Status) {
        ++connections;
        self.close();
    });
    client->connect(connect, *listener->local_address(), [&](Connect&, Status status) {
        ASSERT_TRUE(status.has_value());
        client->read_start(buffer, [&](StreamHandle&, Result<ConstBytes> bytes) {
            has_ended = !bytes.has_value() || bytes->empty();
        });
    });
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(connections, 1);
    EXPECT_TRUE(has_ended);
}

// test-tcp-write-to-half-open-connection.c: a peer that went with bytes unread
// clause: L25
TEST_P(UvStream, a_reader_is_told_of_an_error_and_not_of_an_end) {
    test::Live<Pipe> near(loop);
    test::Live<Pipe> far(loop);
    join(*near, *far);
    Write write;
    near->write(write, bytes_of("x"), [](Write&, Status) {});
    EXPECT_FALSE(loop.run());
    far->close();
    EXPECT_FALSE(loop.run());
    std::vector<std::errc> told;
    near->read_start(buffer, [&](StreamHandle&, Result<ConstBytes> bytes) {
        told.push_back(bytes ? std::errc() : bytes.error().code());
    });
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(told, std::vector{std::errc::connection_reset});
}

// test-callback-order.c: between which hooks a request hears of its end
// clause: L25
TEST_P(UvStream, a_request_gets_its_status_right_after_the_wait_or_in_the_pending_phase) {
    Address nobody;
    {
        test::Live<ListenerHandle> probe(loop);
        ASSERT_TRUE(probe->listen(Address::loopback(), {}, [](ListenerHandle&, Status) {}).get());
        nobody = *probe->local_address();
    }
    std::map<std::string, std::string> told;
    bool is_after_wait = false;
    const auto note = [&](const char* who, const Status& status) {
        told[who] = std::string(is_after_wait ? "after the wait" : "in the pending phase") +
                    (status ? ", done" : ", " + status.error().message());
    };
    test::Live<Prepare> prepare(loop);
    test::Live<Check> check(loop);
    test::Live<Pipe> near(loop);
    test::Live<Pipe> far(loop);
    test::Live<Tcp> client(loop);
    prepare->start([&](Prepare&) { is_after_wait = true; });
    check->start([&](Check&) { is_after_wait = false; });
    join(*near, *far);
    Connect connect;
    Write write;
    Shutdown shutdown;
    client->connect(connect, nobody, [&](Connect&, Status status) { note("connect", status); });
    near->write(write, bytes_of("x"), [&](Write&, Status status) { note("write", status); });
    far->read_start(buffer, [&](StreamHandle&, Result<ConstBytes> bytes) {
        ASSERT_TRUE(bytes.has_value());
        note(bytes->empty() ? "end" : "read", {});
    });
    while (told.size() < 3) loop.run(RunMode::once);
    near->shutdown(shutdown, [&](Shutdown&, Status status) { note("shutdown", status); });
    EXPECT_EQ(told.size(), 3u);
    while (told.size() < 5) loop.run(RunMode::once);
    const std::string refused = Error(std::errc::connection_refused).message();
    EXPECT_EQ(told, (std::map<std::string, std::string>{
                        {"connect", "after the wait, " + refused},
                        {"end", "after the wait, done"},
                        {"read", "after the wait, done"},
                        {"shutdown", "in the pending phase, done"},
                        {"write", "after the wait, done"},
                    }));
}

}  // namespace
}  // namespace gyre::handle
