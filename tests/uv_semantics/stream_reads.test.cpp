// SPDX-License-Identifier: Apache-2.0
// What a stream has beyond one buffer: memory asked for when there is something to read, several
// buffers a write, writes without waiting, descriptors, as libuv's test-tcp-alloc-cb-fail.c,
// test-tcp-try-write.c, test-pipe-sendmsg.c, test-tcp-bind-error.c and test-ipc.c pin them.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <deque>
#include <numeric>
#include <string>

#include "gyre/base/bytes.hpp"
#include "gyre/handle/listener_handle.hpp"
#include "gyre/handle/stream_handle.hpp"
#include "gyre/handle/timer.hpp"
#include "tests/support/handle_world.hpp"

namespace gyre::handle {
namespace {

using namespace std::chrono_literals;

class UvReads : public testing::TestWithParam<std::string> {
protected:
    UvReads() {
        const auto made = loop.sockets().connection_pair().value();
        EXPECT_TRUE(near->open(made[0]).get());
        EXPECT_TRUE(far->open(made[1]).get());
    }

    // Reads with memory of this object, and notes what comes.
    void read_all(std::size_t size_max = 64) {
        const Status started =
            near->read_start(
                    [this, size_max](StreamHandle&, std::size_t, Bytes& room) {
                        ++allocations;
                        room = Bytes(memory).first(size_max);
                    },
                    [this](StreamHandle& self, Result<ConstBytes> data) { note(self, data); })
                .get();
        EXPECT_TRUE(started.has_value());
    }
    void note(StreamHandle& self, Result<ConstBytes> data) {
        ++reads;
        if (!data) {
            errors.push_back(data.error().code());
            return;
        }
        EXPECT_TRUE(data->empty() || data->data() == self.read_buffer().data());
        if (data->empty()) has_ended = true;
        text.append(reinterpret_cast<const char*>(data->data()), data->size());
    }
    void write(std::string_view bytes) {
        Write& request = writes.emplace_back();
        far->write(request, bytes_of(bytes), [](Write&, Status status) { EXPECT_TRUE(status); });
    }

    test::HandleWorld world{GetParam()};
    PhasedLoop& loop = world.loop();
    std::deque<Write> writes;
    std::array<std::byte, 64> memory{};
    int allocations = 0;
    int reads = 0;
    bool has_ended = false;
    std::string text;
    std::vector<std::errc> errors;
    test::Live<Pipe> near{loop};
    test::Live<Pipe> far{loop};
};
INSTANTIATE_TEST_SUITE_P(platforms, UvReads, testing::ValuesIn(test::every_platform_here()),
                         [](const auto& test) { return test.param; });

// test-tcp-read-stop.c and uv_alloc_cb: memory is asked for when there is something to read.
// clause: L18
TEST_P(UvReads, ask_for_memory_only_when_there_is_something_to_read) {
    read_all();
    for (int i = 0; i < 3; ++i) loop.run(RunMode::no_wait);
    EXPECT_EQ(allocations, 0);
    write("some");
    while (text != "some") loop.run(RunMode::once);
    EXPECT_EQ(allocations, reads);
    far->close();
    EXPECT_FALSE(loop.run());
    EXPECT_TRUE(has_ended);
    EXPECT_FALSE(near->is_active());
    EXPECT_EQ(allocations, reads);
    EXPECT_TRUE(errors.empty() || errors.front() == std::errc::resource_unavailable_try_again);
}

// clause: L18
TEST_P(UvReads, take_as_many_reads_as_the_memory_is_small) {
    write("0123456789");
    read_all(4);
    while (text.size() < 10) loop.run(RunMode::once);
    EXPECT_EQ(text, "0123456789");
    EXPECT_GE(reads, 3);
    near->read_stop();
    EXPECT_FALSE(loop.run());
}

// test-tcp-alloc-cb-fail.c
TEST_P(UvReads, without_memory_report_that_and_go_on) {
    bool has_memory = false;
    near->read_start(
        [&](StreamHandle&, std::size_t suggested, Bytes& room) {
            EXPECT_EQ(suggested, std::size_t{64} * 1024);
            if (has_memory) room = memory;
        },
        [&](StreamHandle& self, Result<ConstBytes> data) {
            note(self, data);
            has_memory = true;
        });
    write("x");
    while (text.empty()) loop.run(RunMode::once);
    ASSERT_FALSE(errors.empty());
    EXPECT_EQ(errors.front(), std::errc::no_buffer_space);
    near->read_stop();
    EXPECT_FALSE(loop.run());
}

TEST_P(UvReads, that_are_stopped_and_started_miss_nothing) {
    read_all(1);
    write("abc");
    while (text.empty()) loop.run(RunMode::once);
    near->read_stop();
    const std::string before = text;
    for (int i = 0; i < 3; ++i) loop.run(RunMode::no_wait);
    EXPECT_EQ(text, before);
    read_all(1);
    while (text.size() < 3) loop.run(RunMode::once);
    EXPECT_EQ(text, "abc");
    near->close();
    far->close();
    EXPECT_FALSE(loop.run());
}

// ---- Several buffers, and writes without waiting ----

// test-pipe-sendmsg.c, and uv_write with many buffers: more than one call takes, some of them empty
// clause: L25
TEST_P(UvReads, get_several_buffers_as_if_they_were_one) {
    std::vector<std::string> texts;
    for (int i = 0; i < 50; ++i) texts.push_back(i % 7 == 0 ? "" : std::to_string(i) + ",");
    std::vector<ConstBytes> pieces;
    for (const std::string& each : texts) pieces.push_back(bytes_of(each));
    const std::string all = std::accumulate(texts.begin(), texts.end(), std::string());
    Write request;
    bool is_written = false;
    const Status started =
        far->write(request, pieces, [&](Write&, Status status) { is_written = status.has_value(); })
            .get();
    ASSERT_TRUE(started.has_value());
    EXPECT_EQ(far->write_queue_size(), all.size());
    read_all();
    while (text.size() < all.size()) loop.run(RunMode::once);
    EXPECT_EQ(text, all);
    EXPECT_TRUE(is_written);
    EXPECT_EQ(far->write_queue_size(), 0u);
    near->read_stop();
    EXPECT_FALSE(loop.run());
}

// test-tcp-try-write.c
// clause: L25
TEST_P(UvReads, get_what_was_written_without_waiting) {
    const std::array<ConstBytes, 2> pieces = {bytes_of("try "), bytes_of("write")};
    EXPECT_EQ(far->try_write(pieces).get(), std::size_t{9});
    std::vector<std::byte> much(1 << 20);
    const std::array<ConstBytes, 1> one = {ConstBytes(much)};
    std::size_t sent = 0;
    Result<std::size_t> got;
    while ((got = far->try_write(one).get())) sent += *got;
    EXPECT_EQ(got.error().code(), std::errc::resource_unavailable_try_again);
    EXPECT_GT(sent, 0u);
    // With a write in the queue nothing overtakes it, although there is room again.
    write("last");
    std::size_t taken = 0;
    if (world.is_real()) taken = loop.sockets().try_receive(near->fd(), much).value().size;
    EXPECT_FALSE(far->try_write(one).get());
    read_all();
    while (!text.ends_with("last")) loop.run(RunMode::once);
    EXPECT_TRUE(taken > 0 || text.starts_with("try write"));
    EXPECT_EQ(text.size() + taken, 9 + sent + 4);
    near->read_stop();
    EXPECT_FALSE(loop.run());
}

// test-close-fd.c and uv_close: the number is free when close returns
// clause: L14
TEST_P(UvReads, and_all_else_end_with_a_close_that_frees_the_descriptor_in_the_call) {
    read_all();
    Write request;
    far->write(request, bytes_of("never read"), [](Write&, Status) {});
    const Fd number = near->fd();
    near->close();
    const auto again = loop.sockets().connection_pair().value();
    EXPECT_EQ(again[0], number);
    EXPECT_EQ(near->fd(), -1);
    for (const Fd fd : again) loop.sockets().close_now(fd);
    far->close();
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(allocations, 0);
}

// ---- Descriptors ----

// test-ipc.c, over one process
TEST_P(UvReads, get_descriptors_that_the_peer_passes) {
    const auto passed = loop.sockets().connection_pair().value();
    EXPECT_TRUE(near->accept_passed().get());
    Write request;
    const std::array<ConstBytes, 2> pieces = {bytes_of("f"), bytes_of("d")};
    const std::array<Fd, 1> fds = {passed[0]};
    const Status started =
        far->write(request, pieces, [](Write&, Status status) { EXPECT_TRUE(status); }, fds).get();
    ASSERT_TRUE(started.has_value());
    read_all();
    while (text.size() < 2) loop.run(RunMode::once);
    ASSERT_EQ(near->passed_count(), 1u);
    const Fd fd = near->take_passed();
    EXPECT_GE(fd, 0);
    EXPECT_EQ(near->take_passed(), -1);
    {
        test::Live<Pipe> got(loop);
        ASSERT_TRUE(got->open(fd).get());
        const std::array<ConstBytes, 1> hello = {bytes_of("hello")};
        EXPECT_EQ(got->try_write(hello).get(), std::size_t{5});
    }
    near->close();
    far->close();
    EXPECT_FALSE(loop.run());
    for (const Fd each : passed) loop.sockets().close_now(each);
}

// ---- Real systems only ----

GYRE_HANDLES_FOR_REAL(UvRealReads);

// test-pipe-set-non-blocking.c and uv_pipe_open: a pipe is no socket
TEST_P(UvRealReads, and_writes_of_several_buffers_go_over_a_pipe) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    test::Live<Pipe> reader(loop);
    test::Live<Pipe> writer(loop);
    ASSERT_TRUE(reader->open(ends[0]).get());
    ASSERT_TRUE(writer->open(ends[1]).get());
    const std::array<ConstBytes, 3> pieces = {bytes_of("one "), bytes_of("two "),
                                              bytes_of("three")};
    Write request;
    writer->write(request, pieces, [&](Write&, Status status) {
        EXPECT_TRUE(status);
        EXPECT_EQ(writer->try_write(std::array{bytes_of(" four")}).get(), std::size_t{5});
        writer->close();
    });
    std::string text;
    std::array<std::byte, 8> memory{};
    reader->read_start([&](StreamHandle&, std::size_t, Bytes& room) { room = memory; },
                       [&](StreamHandle&, Result<ConstBytes> data) {
                           if (!data) return;
                           text.append(reinterpret_cast<const char*>(data->data()), data->size());
                       });
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(text, "one two three four");
}

// test-tcp-bind-error.c, test-tcp-connect6-error.c: uv_tcp_bind before uv_tcp_connect
TEST_P(UvRealReads, and_writes_start_from_the_address_that_was_bound) {
    test::Live<ListenerHandle> listener(loop);
    test::Live<Tcp> client(loop);
    test::Live<Tcp> server(loop);
    ASSERT_TRUE(listener
                    ->listen(Address::loopback(), {},
                             [&](ListenerHandle& self, Status) {
                                 EXPECT_TRUE(self.accept(*server).get());
                                 self.close();
                             })
                    .get());
    const Address at = listener->local_address().value();
    ASSERT_TRUE(client->bind(Address::ipv4({127, 0, 0, 1}, 0)).get());
    const Address bound = client->local_address().value();
    EXPECT_NE(bound.port(), 0);
    EXPECT_EQ(client->bind(bound).get().error().code(), std::errc::device_or_resource_busy);
    Connect connect;
    bool is_connected = false;
    ASSERT_TRUE(client
                    ->connect(connect, at,
                              [&](Connect&, Status status) { is_connected = status.has_value(); })
                    .get());
    EXPECT_FALSE(loop.run());
    EXPECT_TRUE(is_connected);
    EXPECT_EQ(client->local_address().value().port(), bound.port());
    test::Live<Tcp> other(loop);
    EXPECT_FALSE(other->bind(at).get());  // Taken.
}

// uv_tcp_open and uv_listen on a descriptor that a supervisor has made
TEST_P(UvRealReads, come_from_a_listening_socket_that_was_adopted) {
    const Fd fd = loop.sockets().listen(Address::loopback(), {}).value();
    test::Live<ListenerHandle> listener(loop);
    test::Live<Tcp> client(loop);
    test::Live<Tcp> server(loop);
    int accepted = 0;
    ASSERT_TRUE(listener
                    ->open(fd,
                           [&](ListenerHandle& self, Status status) {
                               EXPECT_TRUE(status);
                               EXPECT_TRUE(self.accept(*server).get());
                               ++accepted;
                               self.close();
                           })
                    .get());
    EXPECT_EQ(listener->open(fd, [](ListenerHandle&, Status) {}).get().error().code(),
              std::errc::device_or_resource_busy);
    Connect connect;
    client->connect(connect, listener->local_address().value(), [](Connect&, Status) {});
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(accepted, 1);
    EXPECT_EQ(::fcntl(fd, F_GETFD), -1);
}

}  // namespace
}  // namespace gyre::handle
