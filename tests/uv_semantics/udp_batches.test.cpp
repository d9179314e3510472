// SPDX-License-Identifier: Apache-2.0
// Datagrams received into memory that is asked for, several by one system call, and the errors of
// datagrams sent, as libuv's test-udp-mmsg.c, test-udp-alloc-cb-fail.c and
// test-udp-send-unreachable.c pin them. Each test names the one it restates.
#include <algorithm>
#include <string>
#include <vector>

#include "gyre/handle/hook.hpp"
#include "gyre/handle/timer.hpp"
#include "tests/uv_semantics/uv_udp.hpp"

namespace gyre::handle {
namespace {

using namespace std::chrono_literals;

class UvUdpBatches : public UvUdp {
protected:
    // Sends datagrams of one letter each, from 'a' on, and waits until the system has taken them.
    void send_letters(Udp& from, const Address& to, int count) {
        for (int i = 0; i < count; ++i) {
            const auto letter = static_cast<std::byte>('a' + i);
            EXPECT_TRUE(from.try_send(ConstBytes(&letter, 1), to).get());
        }
    }
    // On the simulation datagrams are under way for a while.
    void wait_for_delivery() {
        Timer wait(loop);
        wait.start([](Timer& self) { self.close(); }, 10ms);
        loop.run();
    }
    // Binds the server, sends it letters and waits until they have arrived.
    void deliver(Udp& server, Udp& client, int count) {
        send_letters(client, bind(server), count);
        wait_for_delivery();
    }
    // Hands out all of `room` and counts how often.
    auto hand_out() {
        return [this](Udp&, std::size_t, Bytes& into) {
            ++allocations;
            into = Bytes(room.data(), room_size);
        };
    }

    // Receives into `room`, in parts.
    void receive(Udp& server, Udp::OnReceive on_receive) {
        ASSERT_TRUE(server.receive_start(hand_out(), std::move(on_receive), part).get());
    }

    static constexpr std::size_t part = 16;
    std::array<std::byte, 4 * part> room{};
    std::size_t room_size = room.size();
    int allocations = 0;
    std::string got;  // a letter for each datagram, and a bar at the end of each memory
    int unused = 0;
    auto note() {
        return [this](Udp&, Result<Udp::Received> one) {
            if (!one) {
                EXPECT_EQ(one.error().code(), std::errc::resource_unavailable_try_again);
                ++unused;
                return;
            }
            got += text_of(one->data);
            if (one->is_last) got += '|';
        };
    }
};
INSTANTIATE_TEST_SUITE_P(platforms, UvUdpBatches, testing::ValuesIn(test::every_platform_here()),
                         [](const auto& test) { return test.param; });

// test-udp-mmsg.c: udp_mmsg
TEST_P(UvUdpBatches, receive_several_datagrams_by_one_call) {
    test::Live<Udp> server(loop);
    test::Live<Udp> client(loop);
    deliver(*server, *client, 6);
    receive(*server, note());
    Timer stop(loop);
    stop.start(
        [&](Timer& self) {
            self.close();
            server->receive_stop();
        },
        10ms);
    loop.run();
    EXPECT_EQ(got.substr(0, 8), "abcd|ef|");
    EXPECT_EQ(got.size(), 8u);
    EXPECT_EQ(allocations, 2 + unused);
}

TEST_P(UvUdpBatches, of_one_take_all_the_memory) {
    test::Live<Udp> server(loop);
    test::Live<Udp> client(loop);
    const Address at = bind(*server);
    room_size = 2 * part - 1;  // less than for two
    const std::string text(room_size, 'x');
    EXPECT_TRUE(client->try_send(bytes_of(text), at).get());
    receive(*server, [&](Udp& self, Result<Udp::Received> one) {
        if (!one) return;
        EXPECT_EQ(one->data.size(), room_size);
        EXPECT_FALSE(one->is_truncated);
        EXPECT_TRUE(one->is_last);
        self.close();
    });
    loop.run();
    EXPECT_TRUE(server->is_closing());
}

TEST_P(UvUdpBatches, say_which_datagram_was_truncated_and_who_sent_it) {
    test::Live<Udp> server(loop);
    test::Live<Udp> client(loop);
    const Address at = bind(*server);
    const Address from = bind(*client);
    EXPECT_TRUE(client->try_send(bytes_of(std::string(part + 1, 'x')), at).get());
    EXPECT_TRUE(client->try_send(bytes_of("y"), at).get());
    std::vector<bool> truncated;
    receive(*server, [&](Udp& self, Result<Udp::Received> one) {
        if (!one) return;
        EXPECT_EQ(one->from, from);
        truncated.push_back(one->is_truncated);
        if (truncated.size() == 2) self.close();
    });
    loop.run();
    // The simulated network may let one datagram overtake the other only when told to.
    EXPECT_EQ(truncated, (std::vector<bool>{true, false}));
}

// test-udp-alloc-cb-fail.c: udp_alloc_cb_fail
TEST_P(UvUdpBatches, without_memory_are_an_error_and_go_on) {
    test::Live<Udp> server(loop);
    test::Live<Udp> client(loop);
    const Address at = bind(*server);
    send_letters(*client, at, 1);
    int failures = 0;
    room_size = 0;
    receive(*server, [&](Udp& self, Result<Udp::Received> one) {
        if (one) {
            got += text_of(one->data);
            self.close();
            return;
        }
        EXPECT_EQ(one.error().code(), std::errc::no_buffer_space);
        ++failures;
        room_size = room.size();
    });
    loop.run();
    EXPECT_EQ(failures, 1);
    EXPECT_EQ(got, "a");
}

// test-udp-recv-in-a-row.c: udp_recv_in_a_row. A fast peer does not hold up the loop.
TEST_P(UvUdpBatches, let_others_run_between_many_datagrams) {
    test::Live<Udp> server(loop);
    test::Live<Udp> client(loop);
    room_size = part;  // one at a time
    constexpr int count = 40;
    deliver(*server, *client, count);
    int first_iteration = 0;
    int received = 0;
    Check check(loop);
    check.start([&](Check& self) {
        if (received == 0) return;
        first_iteration = received;
        self.close();
    });
    receive(*server, [&](Udp& self, Result<Udp::Received> one) {
        if (one && ++received == count) self.close();
    });
    loop.run();
    EXPECT_EQ(first_iteration, 32);
    EXPECT_EQ(received, count);
}

TEST_P(UvUdpBatches, are_all_told_although_a_callback_stops_the_handle) {
    test::Live<Udp> server(loop);
    test::Live<Udp> client(loop);
    deliver(*server, *client, 3);
    receive(*server, [&](Udp& self, Result<Udp::Received> one) {
        if (!one) return;
        got += text_of(one->data);
        self.receive_stop();
    });
    loop.run();
    EXPECT_EQ(got, "abc");
    EXPECT_EQ(allocations, 1);
}

TEST_P(UvUdpBatches, end_with_a_close_in_a_callback) {
    test::Live<Udp> server(loop);
    test::Live<Udp> client(loop);
    deliver(*server, *client, 3);
    receive(*server, [&](Udp& self, Result<Udp::Received> one) {
        got += text_of(one.value().data);
        self.close();
    });
    loop.run();
    EXPECT_EQ(got, "a");
}

TEST_P(UvUdpBatches, are_refused_without_callbacks_or_while_receiving) {
    test::Live<Udp> server(loop);
    (void)bind(*server);
    const auto code = [&](auto on_allocate, auto on_receive, std::size_t size) {
        return server->receive_start(std::move(on_allocate), std::move(on_receive), size)
            .get()
            .error()
            .code();
    };
    EXPECT_EQ(code(hand_out(), Udp::OnReceive(), part), std::errc::invalid_argument);
    EXPECT_EQ(code(Udp::OnAllocate(), note(), part), std::errc::invalid_argument);
    EXPECT_EQ(code(hand_out(), note(), 0), std::errc::invalid_argument);
    EXPECT_TRUE(server->receive_start(hand_out(), note(), part).get());
    EXPECT_EQ(code(hand_out(), note(), part), std::errc::connection_already_in_progress);
    EXPECT_EQ(server->receive_start(buffer, note()).get().error().code(),
              std::errc::connection_already_in_progress);
}

class UvRealUdpErrors : public UvUdp {};
INSTANTIATE_TEST_SUITE_P(platforms, UvRealUdpErrors, testing::ValuesIn(test::real_platforms_here()),
                         [](const auto& test) { return test.param; });

// test-udp-send-unreachable.c: udp_send_unreachable. The socket is not connected.
TEST_P(UvRealUdpErrors, of_datagrams_sent_are_told_with_their_addresses) {
    test::Live<Udp> client(loop);
    (void)bind(*client);
    int errors = 0;
    ASSERT_TRUE(client
                    ->report_send_errors([&](Udp& self, const DatagramError& error) {
                        EXPECT_EQ(error.error.code(), std::errc::connection_refused);
                        EXPECT_EQ(error.to, nobody());
                        EXPECT_EQ(error.reported_by.with_port(0), Address::loopback(0));
                        ++errors;
                        self.close();
                    })
                    .get());
    client->receive_start([&](Udp&, std::size_t, Bytes& into) { into = buffer; },
                          [](Udp&, Result<Udp::Received> one) {
                              // An error that was told is not told once more.
                              EXPECT_EQ(one.error().code(),
                                        std::errc::resource_unavailable_try_again);
                          });
    EXPECT_TRUE(client->try_send(bytes_of("x"), nobody()).get());
    loop.run();
    EXPECT_EQ(errors, 1);
}

TEST_P(UvRealUdpErrors, need_a_socket) {
    test::Live<Udp> client(loop);
    EXPECT_EQ(client->report_send_errors([](Udp&, const DatagramError&) {}).get().error().code(),
              std::errc::bad_file_descriptor);
}

}  // namespace
}  // namespace gyre::handle
