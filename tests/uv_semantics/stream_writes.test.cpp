// SPDX-License-Identifier: Apache-2.0
// Writes and shutdowns of streams, as libuv's test-tcp-write*.c and test-shutdown-*.c pin them. Each
// test names the one it restates.
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/handle/listener_handle.hpp"
#include "gyre/handle/stream_handle.hpp"
#include "tests/uv_semantics/uv_stream.hpp"

namespace gyre::handle {
namespace {

// test-tcp-write-queue-order.c: tcp_write_queue_order
TEST_P(UvStream, writes_go_out_in_their_order) {
    test::Live<Pipe> near(loop);
    test::Live<Pipe> far(loop);
    join(*near, *far);
    std::string got;
    std::string done;
    far->read_start(
        buffer, [&](StreamHandle&, Result<ConstBytes> bytes) { got += text_of(bytes.value()); });
    std::array<Write, 3> writes;
    const std::array<std::string_view, 3> texts = {"one ", "two ", "three"};
    for (std::size_t i = 0; i < writes.size(); ++i) {
        near->write(writes[i], bytes_of(texts[i]),
                    [&done, i](Write&, Status) { done += std::to_string(i); });
    }
    EXPECT_EQ(near->write_queue_size(), 13u);
    while (got.size() < 13) loop.run(RunMode::once);
    EXPECT_EQ(got, "one two three");
    EXPECT_EQ(done, "012");
    EXPECT_EQ(near->write_queue_size(), 0u);
}

// test-tcp-writealot.c: tcp_writealot
TEST_P(UvStream, a_write_of_more_than_fits_is_sent_bit_by_bit) {
    test::Live<Pipe> near(loop);
    test::Live<Pipe> far(loop);
    join(*near, *far);
    const std::string large(1u << 20u, 'x');
    std::vector<std::byte> into(1u << 16u);
    std::size_t got = 0;
    Write write;
    bool is_sent = false;
    near->write(write, bytes_of(large), [&](Write&, Status status) {
        EXPECT_TRUE(status.has_value());
        is_sent = true;
    });
    far->read_start(into, [&](StreamHandle& self, Result<ConstBytes> bytes) {
        got += bytes.value().size();
        EXPECT_LE(near->write_queue_size() + got, large.size());
        if (got == large.size()) self.read_stop();
    });
    EXPECT_FALSE(loop.run());
    EXPECT_TRUE(is_sent);
    EXPECT_EQ(got, large.size());
}

// test-tcp-close.c: tcp_close (writes that are cancelled)
TEST_P(UvStream, closed_cancels_the_writes_that_are_queued_before_its_callback) {
    test::Live<Pipe> near(loop);
    test::Live<Pipe> far(loop);
    join(*near, *far);
    const std::string large(8u << 20u, 'x');
    std::array<Write, 3> writes;
    std::string order;
    for (Write& write : writes) {
        near->write(write, bytes_of(large), [&](Write&, Status status) {
            EXPECT_EQ(status.error().code(), std::errc::operation_canceled);
            order += "write ";
        });
    }
    for (int i = 0; i < 3; ++i) loop.run(RunMode::no_wait);
    near->close([&](Handle&) { order += "close "; });
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(order, "write write write close ");
    EXPECT_EQ(near->write_queue_size(), 0u);
}

// test-tcp-write-fail.c: tcp_write_fail
// clause: L25
TEST_P(UvStream, a_write_to_a_side_that_is_gone_fails) {
    test::Live<Pipe> near(loop);
    test::Live<Pipe> far(loop);
    join(*near, *far);
    far->close();
    loop.run();
    Write write;
    Status outcome;
    near->write(write, bytes_of("x"), [&](Write&, Status status) { outcome = status; });
    EXPECT_FALSE(loop.run());
    ASSERT_FALSE(outcome.has_value());
    EXPECT_EQ(outcome.error().code(), std::errc::broken_pipe);
}

// test-tcp-write-after-connect.c and a write without a connection
TEST_P(UvStream, a_write_without_a_descriptor_is_refused) {
    test::Live<Tcp> stream(loop);
    Write write;
    EXPECT_EQ(
        stream->write(write, bytes_of("x"), [](Write&, Status) { FAIL(); }).get().error().code(),
        std::errc::bad_file_descriptor);
}

// test-tcp-write-to-half-open-connection.c: a write while connecting
TEST_P(UvStream, a_write_queued_while_connecting_goes_out_after_it) {
    test::Live<ListenerHandle> listener(loop);
    test::Live<Tcp> server(loop);
    test::Live<Tcp> client(loop);
    Connect connect;
    Write write;
    std::string order;
    std::string got;
    listener->listen(Address::loopback(), {}, [&](ListenerHandle& self, Status) {
        ASSERT_TRUE(self.accept(*server).get());
        server->read_start(buffer, [&](StreamHandle&, Result<ConstBytes> bytes) {
            got += text_of(bytes.value());
        });
    });
    client->connect(connect, *listener->local_address(),
                    [&](Connect&, Status) { order += "connect "; });
    ASSERT_TRUE(client
                    ->write(write, bytes_of("early"),
                            [&](Write&, Status status) {
                                EXPECT_TRUE(status.has_value());
                                order += "write ";
                            })
                    .get());
    while (got.size() < 5) loop.run(RunMode::once);
    EXPECT_EQ(order, "connect write ");
}

// test-shutdown-eof.c: shutdown_eof
TEST_P(UvStream, a_shutdown_sends_the_end_after_what_was_queued) {
    test::Live<Pipe> near(loop);
    test::Live<Pipe> far(loop);
    join(*near, *far);
    std::string trace;
    Write write;
    Shutdown shutdown;
    far->read_start(buffer, [&](StreamHandle&, Result<ConstBytes> bytes) {
        trace += bytes.value().empty() ? "end " : std::string(text_of(*bytes)) + " ";
    });
    near->write(write, bytes_of("Q"), [&](Write&, Status) { trace += "written "; });
    ASSERT_TRUE(near->shutdown(shutdown,
                               [&](Shutdown&, Status status) {
                                   EXPECT_TRUE(status.has_value());
                                   trace += "shut ";
                               })
                    .get());
    EXPECT_FALSE(loop.run());
    EXPECT_LT(trace.find("written"), trace.find("shut"));
    EXPECT_LT(trace.find("Q"), trace.find("end"));
    EXPECT_FALSE(near->is_writable());
}

// test-shutdown-twice.c: shutdown_twice
// clause: L25
TEST_P(UvStream, a_second_shutdown_is_refused) {
    test::Live<Pipe> near(loop);
    test::Live<Pipe> far(loop);
    join(*near, *far);
    Shutdown first;
    Shutdown second;
    int calls = 0;
    EXPECT_TRUE(near->shutdown(first, [&](Shutdown&, Status) { ++calls; }).get());
    EXPECT_EQ(calls, 0);
    EXPECT_EQ(near->shutdown(second, [](Shutdown&, Status) { FAIL(); }).get().error().code(),
              std::errc::not_connected);
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(calls, 1);
    EXPECT_FALSE(near->shutdown(second, [](Shutdown&, Status) { FAIL(); }).get());
}

// test-tcp-write-after-shutdown.c
TEST_P(UvStream, a_write_after_a_shutdown_is_refused) {
    test::Live<Pipe> near(loop);
    test::Live<Pipe> far(loop);
    join(*near, *far);
    Shutdown shutdown;
    Write write;
    near->shutdown(shutdown, [](Shutdown&, Status) {});
    EXPECT_EQ(
        near->write(write, bytes_of("x"), [](Write&, Status) { FAIL(); }).get().error().code(),
        std::errc::broken_pipe);
    loop.run();
}

// test-tcp-shutdown-after-write.c and test-shutdown-close.c: shutdown_close_tcp
TEST_P(UvStream, a_shutdown_that_is_overtaken_by_the_close_still_calls_back) {
    test::Live<Pipe> near(loop);
    test::Live<Pipe> far(loop);
    join(*near, *far);
    Shutdown shutdown;
    std::string order;
    near->shutdown(shutdown, [&](Shutdown&, Status) { order += "shutdown "; });
    near->close([&](Handle&) { order += "close "; });
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(order, "shutdown close ");
}

// test-callback-order.c and test-tcp-try-write.c: a callback never runs inside the call
TEST_P(UvStream, a_write_never_calls_back_inside_the_call) {
    test::Live<Pipe> near(loop);
    test::Live<Pipe> far(loop);
    join(*near, *far);
    bool is_inside = true;
    Write write;
    near->write(write, bytes_of("x"), [&](Write&, Status) { EXPECT_FALSE(is_inside); });
    is_inside = false;
    EXPECT_FALSE(loop.run());
}

}  // namespace
}  // namespace gyre::handle
