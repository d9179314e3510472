// SPDX-License-Identifier: Apache-2.0
// Streams: transfer, close, and the state after a cancelled await.
#include "gyre/net/connection.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "gyre/net/buffered.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/net/net_world.test.hpp"
#include "gyre/task/combine/shield.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/detail/open_descriptor.hpp"
#include "gyre/task/core/sleep.hpp"
#include "tests/support/platforms.hpp"

namespace gyre::net {
namespace {

using namespace std::chrono_literals;

class Streams : public NetWorld {
protected:
    // More than the socket buffers hold, of the simulation or of the system.
    [[nodiscard]] std::size_t large_size() const {
        return is_simulated() ? std::size_t{256} * 1024 : std::size_t{8} * 1024 * 1024;
    }
    // An open, unlinked file with these bytes.
    [[nodiscard]] OpenDescriptor file_of(const std::vector<std::byte>& bytes) {
        Fd fd = -1;
        if (is_simulated()) {
            sim().put_file("/file", text_of(bytes));
            fd = sim().file_tree()->open_to_read("/file").value();
        } else {
            std::string path = testing::TempDir() + "gyre-net-XXXXXX";
            fd = ::mkstemp(path.data());
            ::unlink(path.c_str());
            EXPECT_EQ(::write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
        }
        EXPECT_GE(fd, 0);
        return {loop().platform(), fd};
    }
};
GYRE_ON_PLATFORMS(Streams, gyre::test::every_platform);

using Buffer = std::array<std::byte, 64>;

std::string text(const Buffer& buffer, std::size_t size) {
    return std::string(text_of(ConstBytes(buffer).first(size)));
}

Future<std::string> read_text(const Connection& stream) {
    Buffer buffer{};
    const std::size_t size = co_await stream.read(buffer);
    co_return text(buffer, size);
}

Future<std::vector<std::byte>> read_all(const Connection& stream) {
    std::vector<std::byte> all;
    std::array<std::byte, 4096> buffer{};
    while (const std::size_t size = co_await stream.read(buffer)) {
        all.insert(all.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(size));
    }
    co_return all;
}

std::vector<std::byte> pattern(std::size_t size) {
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
    return bytes;
}

struct Connected {
    Connection client;
    Connection server;
};
Future<Connected> connected() {
    Listener listener = co_await listen(Address::loopback());
    const Address at = listener.local_address().value();
    Connection client = co_await net::connect(at);
    Connection server = co_await listener.accept();
    co_return Connected{std::move(client), std::move(server)};
}

Future<void> expect_greetings(Address at) {
    Listener listener = co_await listen(at);
    const Address there = listener.local_address().value();
    co_await with_scope([&](Scope& scope) -> Future<void> {
        scope.spawn([&]() -> Future<void> {
            const Connection server = co_await listener.accept();
            co_await server.write(bytes_of("hello, " + co_await read_text(server)));
        });
        Connection client = co_await net::connect(there);
        co_await client.write(bytes_of("stranger"));
        EXPECT_EQ(co_await read_text(client), "hello, stranger");
        EXPECT_EQ(co_await read_text(client), "");
        EXPECT_EQ(client.peer_address().value(), there);
        co_await client.aclose();
        EXPECT_FALSE(client.is_open());
        co_await client.aclose();
    });
}

TEST_P(Streams, carry_bytes_both_ways_over_tcp) {
    // clause: L18
    const int before = descriptor_count();
    run([]() -> Future<void> { return expect_greetings(Address::loopback()); });
    EXPECT_EQ(descriptor_count(), before);
}

TEST_P(Streams, carry_bytes_both_ways_over_a_unix_socket) {
    const Address at = unix_address("greet");
    run([at]() -> Future<void> { return expect_greetings(at); });
}

TEST_P(Streams, an_unused_port_is_an_error_that_names_the_address) {
    run([]() -> Future<void> {
        Listener listener = co_await listen(Address::loopback());
        const Address nobody = listener.local_address().value();
        listener.close();
        const Result<Connection> tried = co_await try_(net::connect(nobody));
        EXPECT_EQ(tried.error(), Error(std::errc::connection_refused));
        std::string said;
        try {
            static_cast<void>(co_await net::connect(nobody));
        } catch (const std::system_error& e) {
            said = e.what();
        }
        EXPECT_NE(said.find("connect to " + nobody.to_string()), std::string::npos) << said;
    });
}

TEST_P(Streams, an_address_of_no_family_is_an_error) {
    run([]() -> Future<void> {
        const Result<Connection> tried = co_await try_(net::connect(Address()));
        EXPECT_EQ(tried.error(), Error(std::errc::address_family_not_supported));
        const Result<Listener> listener = co_await try_(listen(Address()));
        EXPECT_EQ(listener.error(), Error(std::errc::address_family_not_supported));
    });
}

TEST_P(Streams, a_cancelled_read_leaves_the_bytes) {
    run([]() -> Future<void> {
        auto [near, far] = co_await connection_pair();
        Buffer buffer{};
        const auto late = co_await try_(timeout(near.read(buffer), 1ms));
        EXPECT_EQ(late.error(), Error(std::errc::timed_out));
        co_await far.write(bytes_of("later"));
        EXPECT_EQ(co_await read_text(near), "later");
    });
}

TEST_P(Streams, a_read_that_is_cancelled_while_bytes_arrive_loses_none) {
    run([]() -> Future<void> {
        auto [near, far] = co_await connection_pair();
        const auto data = pattern(2000);
        std::vector<std::byte> got;
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn([&]() -> Future<void> {
                for (std::size_t i = 0; i < data.size(); ++i) {
                    co_await far.write(ConstBytes(data).subspan(i, 1));
                    if (i % 64 == 0) co_await yield();
                }
                co_await far.finish();
            });
            for (bool has_ended = false; !has_ended;) {
                Buffer buffer{};
                const auto size = co_await try_(timeout(near.read(buffer), 1us));
                if (!size) continue;
                has_ended = *size == 0;
                got.insert(got.end(), buffer.begin(),
                           buffer.begin() + static_cast<std::ptrdiff_t>(*size));
            }
        });
        EXPECT_EQ(got, data);
    });
}

TEST_P(Streams, a_cancelled_accept_leaves_the_connection) {
    run([]() -> Future<void> {
        Listener listener = co_await listen(Address::loopback());
        const auto late = co_await try_(timeout(listener.accept(), 1ms));
        EXPECT_EQ(late.error(), Error(std::errc::timed_out));
        const Connection client = co_await net::connect(listener.local_address().value());
        const Connection server = co_await listener.accept();
        co_await client.write(bytes_of("still here"));
        EXPECT_EQ(co_await read_text(server), "still here");
    });
}

TEST_P(Streams, a_write_waits_for_a_slow_reader) {
    // clause: K14
    run([size = large_size()]() -> Future<void> {
        auto [client, server] = co_await connected();
        const auto data = pattern(size);
        bool is_written = false;
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn([&]() -> Future<void> {
                co_await client.write(data);
                is_written = true;
                co_await client.finish();
            });
            co_await sleep(5ms);
            EXPECT_FALSE(is_written);
            EXPECT_EQ(co_await read_all(server), data);
        });
        EXPECT_TRUE(is_written);
    });
}

TEST_P(Streams, a_cancelled_write_says_what_is_left) {
    run([size = large_size()]() -> Future<void> {
        auto [client, server] = co_await connected();
        const auto data = pattern(size);
        ConstBytes rest = data;
        const auto late = co_await try_(timeout(client.write_rest(rest), 5ms));
        EXPECT_EQ(late.error(), Error(std::errc::timed_out));
        EXPECT_GT(rest.size(), 0u);
        EXPECT_LT(rest.size(), data.size());
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn([&]() -> Future<void> {
                co_await client.write_rest(rest);
                co_await client.finish();
            });
            EXPECT_EQ(co_await read_all(server), data);
        });
    });
}

TEST_P(Streams, pieces_go_out_in_their_order) {
    run([size = large_size()]() -> Future<void> {
        auto [client, server] = co_await connected();
        const auto data = pattern(size);
        // More pieces than one send takes; some empty, some larger than the socket buffer.
        std::vector<ConstBytes> pieces;
        std::size_t place = 0;
        for (std::size_t step = 0; place < data.size(); step = step * 3 + 1) {
            const std::size_t here = std::min(step % 700'001, data.size() - place);
            pieces.push_back(ConstBytes(data).subspan(place, here));
            pieces.emplace_back();
            place += here;
        }
        EXPECT_GT(pieces.size(), SendPiecesOp::pieces_max);
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn([&]() -> Future<void> {
                co_await client.write_pieces(pieces);
                co_await client.finish();
            });
            EXPECT_EQ(co_await read_all(server), data);
        });
        for (const ConstBytes piece : pieces) EXPECT_TRUE(piece.empty());
    });
}

TEST_P(Streams, cancelled_pieces_say_what_is_left) {
    run([size = large_size()]() -> Future<void> {
        auto [client, server] = co_await connected();
        const auto data = pattern(size);
        std::array pieces{ConstBytes(data).first(1000), ConstBytes(data).subspan(1000)};
        const auto late = co_await try_(timeout(client.write_pieces(pieces), 5ms));
        EXPECT_EQ(late.error(), Error(std::errc::timed_out));
        EXPECT_EQ(pieces[0].size(), 0u);
        EXPECT_GT(pieces[1].size(), 0u);
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn([&]() -> Future<void> {
                co_await client.write_pieces(pieces);
                co_await client.finish();
            });
            EXPECT_EQ(co_await read_all(server), data);
        });
    });
}

TEST_P(Streams, of_nothing_at_all_a_write_ends_at_once) {
    run([]() -> Future<void> {
        auto [near, far] = co_await connection_pair();
        co_await near.write({});
        co_await near.write_pieces({});
        co_await near.finish();
        EXPECT_EQ(co_await read_text(far), "");
    });
}

TEST_P(Streams, one_direction_may_end_before_the_other) {
    run([]() -> Future<void> {
        auto [client, server] = co_await connected();
        co_await client.write(bytes_of("the question"));
        co_await client.finish();
        EXPECT_EQ(co_await read_text(server), "the question");
        EXPECT_EQ(co_await read_text(server), "");
        co_await server.write(bytes_of("the answer"));
        EXPECT_EQ(co_await read_text(client), "the answer");
        const auto more = co_await try_(client.write_some(bytes_of("more")));
        EXPECT_EQ(more.error(), Error(std::errc::broken_pipe));
    });
}

TEST_P(Streams, a_linger_of_zero_resets_the_peer) {
    run([]() -> Future<void> {
        auto [client, server] = co_await connected();
        EXPECT_TRUE(client.set_linger(0));
        EXPECT_EQ(client.option(StreamOption::linger_s), 0);
        co_await client.aclose();
        Buffer buffer{};
        const auto got = co_await try_(server.read(buffer));
        EXPECT_EQ(got.error(), Error(std::errc::connection_reset));
    });
}

TEST_P(Streams, keep_the_options_they_are_given) {
    run([]() -> Future<void> {
        auto [client, server] = co_await connected();
        EXPECT_TRUE(client.set_no_delay(true));
        EXPECT_EQ(client.option(StreamOption::no_delay), 1);
        EXPECT_TRUE(client.set_keep_alive(KeepAlive{.idle_s = 30, .interval_s = 5, .count = 3}));
        EXPECT_EQ(client.option(StreamOption::keep_alive), 1);
        EXPECT_EQ(client.option(StreamOption::keep_alive_idle_s), 30);
        EXPECT_EQ(client.option(StreamOption::keep_alive_interval_s), 5);
        EXPECT_EQ(client.option(StreamOption::keep_alive_count), 3);
        EXPECT_TRUE(client.set_keep_alive(std::nullopt));
        EXPECT_EQ(client.option(StreamOption::keep_alive), 0);
        EXPECT_TRUE(client.set_linger(7));
        EXPECT_EQ(client.option(StreamOption::linger_s), 7);
        EXPECT_TRUE(client.set_linger(std::nullopt));
        EXPECT_EQ(client.option(StreamOption::linger_s), -1);
        EXPECT_TRUE(server.set_send_buffer(65536));
        EXPECT_GE(server.option(StreamOption::send_buffer_bytes).value(), 65536);
        EXPECT_TRUE(server.set_receive_buffer(65536));
        EXPECT_GE(server.option(StreamOption::receive_buffer_bytes).value(), 65536);
        EXPECT_EQ(client.set_send_buffer(0).error(), Error(std::errc::invalid_argument));
    });
}

TEST_P(Streams, of_the_unix_kind_have_no_options_of_tcp) {
    run([]() -> Future<void> {
        auto [near, far] = co_await connection_pair();
        EXPECT_EQ(near.set_no_delay(true).error(), Error(std::errc::operation_not_supported));
        EXPECT_TRUE(far.set_send_buffer(65536));
    });
}

TEST_P(Streams, a_read_ends_when_another_task_closes_the_stream) {
    run([]() -> Future<void> {
        auto [near, far] = co_await connection_pair();
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn([&]() -> Future<void> {
                co_await sleep(1ms);
                co_await near.aclose();
            });
            Buffer buffer{};
            const auto got = co_await try_(near.read(buffer));
            EXPECT_EQ(got.error(), Error(std::errc::operation_canceled));
        });
    });
}

TEST_P(Streams, may_be_moved_while_they_are_read) {
    run([]() -> Future<void> {
        auto [near, far] = co_await connection_pair();
        Connection elsewhere;
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn([&]() -> Future<void> { EXPECT_EQ(co_await read_text(near), "moved"); });
            co_await sleep(1ms);
            elsewhere = std::move(near);
            co_await far.write(bytes_of("moved"));
            co_await sleep(1ms);
        });
    });
}

// Closing the loop leaks no descriptor, whatever its tasks wait for.
TEST_P(Streams, a_loop_that_closes_leaves_no_descriptor) {
    const int before = descriptor_count();
    for (int turns = 0; turns < 12; ++turns) {
        executor().root().spawn([]() -> Future<void> {
            Listener listener = co_await listen(Address::loopback());
            const Address at = listener.local_address().value();
            co_await with_scope([&](Scope& scope) -> Future<void> {
                scope.spawn([&]() -> Future<void> {
                    for (;;) static_cast<void>(co_await listener.accept());
                });
                for (;;) {
                    const Connection client = co_await net::connect(at);
                    static_cast<void>(co_await read_text(client));
                }
            });
        });
        for (int i = 0; i <= turns; ++i) loop().turn(loop().now() + 1ms);
        close_loop();
        EXPECT_EQ(descriptor_count(), before) << turns;
        make_world({});
    }
}

TEST_P(Streams, send_a_part_of_a_file_behind_other_bytes) {
    if (is_simulated()) make_world({.seed = 7, .short_transfer_one_in = 3});
    const std::vector<std::byte> bytes = pattern(large_size());
    const OpenDescriptor file = file_of(bytes);
    run([&]() -> Future<void> {
        auto [near, far] = co_await connection_pair();
        co_await with_scope([&](Scope& scope) -> Future<void> {
            auto reading = scope.spawn(
                [&far]() -> Future<std::vector<std::byte>> { co_return co_await read_all(far); });
            ConstBytes before = bytes_of("head");
            FileSlice part{.file = file.fd(), .offset = 3, .size_bytes = bytes.size() - 5};
            co_await near.write_file(before, part);
            EXPECT_TRUE(before.empty());
            EXPECT_EQ(part.size_bytes, 0u);
            EXPECT_EQ(part.offset, bytes.size() - 2);
            near.close();
            const std::vector<std::byte> got = co_await std::move(reading);
            const ConstBytes all(got);
            EXPECT_EQ(text_of(all.first(4)), "head");
            EXPECT_TRUE(
                std::ranges::equal(all.subspan(4), ConstBytes(bytes).subspan(3, bytes.size() - 5)));
        });
    });
}

TEST_P(Streams, say_by_how_much_a_file_was_too_short) {
    const OpenDescriptor file = file_of(pattern(100));
    run([&]() -> Future<void> {
        auto [near, far] = co_await connection_pair();
        ConstBytes before = bytes_of("head");
        FileSlice part{.file = file.fd(), .offset = 40, .size_bytes = 72};
        std::string why;
        try {
            co_await near.write_file(before, part);
        } catch (const FileEnded& ended) {
            why = ended.what();
        }
        EXPECT_EQ(why, "the file ended 12 bytes before the end of the slice to send");
        EXPECT_TRUE(before.empty());
        EXPECT_EQ(part.offset, 100u);
        EXPECT_EQ(part.size_bytes, 12u);
        near.close();
        const std::vector<std::byte> got = co_await read_all(far);
        EXPECT_EQ(got.size(), 64u);
    });
}

TEST_P(Streams, count_what_of_a_file_went_before_a_cancel) {
    const std::vector<std::byte> bytes = pattern(large_size());
    const OpenDescriptor file = file_of(bytes);
    run([&]() -> Future<void> {
        auto [near, far] = co_await connection_pair();
        ConstBytes before = bytes_of("head");
        FileSlice part{.file = file.fd(), .offset = 0, .size_bytes = bytes.size()};
        std::size_t came = 0;
        co_await with_scope([&](Scope& scope) -> Future<void> {
            auto sending =
                scope.spawn([&]() -> Future<void> { co_await near.write_file(before, part); });
            Buffer buffer{};
            came = co_await far.read(buffer);
            sending.cancel("enough");
        });
        near.close();
        const std::vector<std::byte> rest = co_await read_all(far);
        EXPECT_EQ(came + rest.size(), 4 + part.offset);
        EXPECT_EQ(part.offset + part.size_bytes, bytes.size());
        EXPECT_GT(part.size_bytes, 0u);
    });
}

}  // namespace
}  // namespace gyre::net
