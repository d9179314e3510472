// SPDX-License-Identifier: Apache-2.0
// Loss, reordering and buffers of simulated datagrams.
#include <algorithm>
#include <set>

#include "gyre/io/socket_ops.hpp"
#include "gyre/sim/test_net.test.hpp"

namespace gyre::sim {
namespace {

struct DatagramNet : Net {
    using Net::Net;

    Fd bound(const Address& at = Address::loopback(), BindOptions how = {}) {
        const Fd fd = sockets().datagram(at.family()).value();
        EXPECT_TRUE(sockets().bind(fd, at, how));
        return fd;
    }
    std::int32_t send_to(Fd fd, std::string_view text, const Address& to) {
        SendToOp op(fd, bytes_of(text), to);
        return result_of(op);
    }
    [[nodiscard]] Address where(Fd fd) { return sockets().local_address(fd).value(); }
    // Receives all datagrams and joins them, with a space after each.
    std::string receive_all(Fd fd) {
        pass_time();
        std::string all;
        for (;;) {
            ReceiveFromOp op(fd, buffer);
            app.start(op);
            pass_time();
            if (op.is_in_flight()) {
                app.stop(op);
                settle();
                return all;
            }
            all += text_of(Bytes(buffer).first(static_cast<std::size_t>(op.result())));
            all += ' ';
        }
    }
    // Sends numbered datagrams and returns those that arrived.
    std::string send_numbers(int count) {
        const Fd here = bound();
        const Fd there = bound();
        const Address to = where(there);
        for (int i = 0; i < count; ++i) EXPECT_GT(send_to(here, std::to_string(i), to), 0);
        return receive_all(there);
    }
};

std::string numbers(int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += std::to_string(i) + ' ';
    return all;
}

TEST(SimDatagrams, of_one_sender_keep_their_order_whatever_the_seed) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        DatagramNet net({.seed = seed});
        EXPECT_EQ(net.send_numbers(30), numbers(30));
    }
}

TEST(SimDatagrams, are_overtaken_where_the_options_say_so_and_by_the_seed_alone) {
    const SimOptions options{.seed = 7, .datagram_overtaken_one_in = 4};
    DatagramNet first(options);
    DatagramNet second(options);
    const std::string seen = first.send_numbers(30);
    EXPECT_NE(seen, numbers(30));
    EXPECT_EQ(seen.size(), numbers(30).size());
    EXPECT_EQ(second.send_numbers(30), seen);
}

TEST(SimDatagrams, are_lost_where_the_options_say_so_and_none_comes_twice) {
    DatagramNet net({.seed = 3, .datagram_loss_one_in = 4});
    const std::string seen = net.send_numbers(100);
    const auto count = std::count(seen.begin(), seen.end(), ' ');
    EXPECT_GT(count, 50);
    EXPECT_LT(count, 100);
    std::set<std::string> distinct;
    std::string word;
    for (const char c : seen) {
        if (c != ' ') {
            word += c;
        } else {
            EXPECT_TRUE(distinct.insert(std::exchange(word, "")).second);
        }
    }
}

TEST(SimDatagrams, beyond_the_buffer_are_dropped_and_counted_with_an_overhead) {
    DatagramNet net({.datagram_buffer_bytes = 9000});
    // Each takes 768 bytes plus its payload: the twelfth exceeds the buffer and is the last.
    EXPECT_EQ(net.send_numbers(30), numbers(12));
}

TEST(SimDatagrams, that_are_larger_than_the_buffer_fit_an_empty_one) {
    DatagramNet net({.datagram_buffer_bytes = 1});
    const Fd here = net.bound();
    const Fd there = net.bound();
    const std::string large(2000, 'x');
    EXPECT_EQ(net.send_to(here, large, net.where(there)), 2000);
    EXPECT_EQ(net.send_to(here, "lost", net.where(there)), 4);
    EXPECT_EQ(net.receive_all(there), large + ' ');
}

TEST(SimDatagrams, to_sockets_that_share_a_port_keep_to_one_of_them) {
    DatagramNet net;
    const BindOptions shares{.share_port = true};
    const Fd left = net.bound(Address::loopback(), shares);
    const Fd right = net.bound(net.where(left), shares);
    std::set<Fd> chosen;
    for (int sender = 0; sender < 16; ++sender) {
        const Fd here = net.bound();
        for (int i = 0; i < 3; ++i) EXPECT_EQ(net.send_to(here, "x", net.where(left)), 1);
        const std::string at_left = net.receive_all(left);
        const std::string at_right = net.receive_all(right);
        EXPECT_EQ(at_left + at_right, "x x x ");
        EXPECT_TRUE(at_left.empty() || at_right.empty());
        chosen.insert(at_left.empty() ? right : left);
    }
    EXPECT_EQ(chosen.size(), 2u);
}

TEST(SimDatagrams, go_to_whoever_is_there_when_they_arrive) {
    DatagramNet net;
    const Fd here = net.bound();
    const Fd first = net.bound();
    const Address to = net.where(first);
    EXPECT_EQ(net.sockets().try_send_to(here, bytes_of("x"), to).value(), 1u);
    net.sockets().close_now(first);
    const Fd second = net.bound(to);
    EXPECT_EQ(net.receive_all(second), "x ");
}

TEST(SimDatagrams, to_everybody_reach_all_that_are_bound_to_any_address) {
    DatagramNet net;
    const BindOptions shares{.share_address = true};
    const Fd one = net.bound(Address::ipv4({}, 0), shares);
    const std::uint16_t port = net.where(one).port();
    const Fd two = net.bound(Address::ipv4({}, port), shares);
    const Fd particular = net.bound(Address::loopback(port), shares);
    const Fd here = net.bound();
    ASSERT_TRUE(net.sockets().set_option(here, DatagramOption::broadcast, 1));
    EXPECT_EQ(net.send_to(here, "all", Address::ipv4({255, 255, 255, 255}, port)), 3);
    EXPECT_EQ(net.receive_all(one), "all ");
    EXPECT_EQ(net.receive_all(two), "all ");
    EXPECT_EQ(net.receive_all(particular), "");
}

TEST(SimDatagrams, to_a_group_of_ipv6_reach_its_members) {
    DatagramNet net;
    const Fd member = net.bound(Address::ipv6({}, 0));
    const std::array<std::uint8_t, 16> group = {0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 7};
    ASSERT_TRUE(net.sockets().join(member, {.group = Address::ipv6(group, 0)}));
    const Fd here = net.sockets().datagram(Address::Family::ipv6).value();
    EXPECT_EQ(net.send_to(here, "six", Address::ipv6(group, net.where(member).port())), 3);
    EXPECT_EQ(net.receive_all(member), "six ");
}

// The path of a closed Unix datagram socket stays, and a stream cannot bind to it.
TEST(SimDatagrams, at_a_path_leave_it_on_the_disk) {
    DatagramNet net;
    const Address at = Address::unix_path("/run/datagrams").value();
    const Fd there = net.bound(at);
    const Fd here = net.sockets().datagram(Address::Family::unix_path).value();
    EXPECT_EQ(net.send_to(here, "x", at), 1);
    EXPECT_EQ(net.receive_all(there), "x ");
    EXPECT_EQ(net.sockets().listen(at, {}).error().code(), std::errc::address_in_use);
    EXPECT_EQ(net.close(there), 0);
    EXPECT_EQ(net.send_to(here, "x", at), number(std::errc::connection_refused));
    EXPECT_EQ(net.sockets().bind(here, at, {}).error().code(), std::errc::address_in_use);
    const Address stream = Address::unix_path("/run/streams").value();
    (void)net.listen(stream);
    EXPECT_EQ(net.send_to(here, "x", stream), number(std::errc::wrong_protocol_type));
}

TEST(SimDatagrams, of_a_unix_sender_that_waits_fail_when_the_receiver_goes) {
    DatagramNet net({.unix_datagram_count_max = 1});
    const Fd there = net.bound(Address::unix_path("/run/full").value());
    const Fd here = net.sockets().datagram(Address::Family::unix_path).value();
    EXPECT_EQ(net.send_to(here, "x", net.where(there)), 1);
    SendToOp waits(here, bytes_of("y"), net.where(there));
    net.app.start(waits);
    net.pass_time();
    ASSERT_TRUE(waits.is_in_flight());
    EXPECT_EQ(net.close(there), 0);
    net.settle();
    EXPECT_EQ(waits.result(), number(std::errc::connection_refused));
}

}  // namespace
}  // namespace gyre::sim
