// SPDX-License-Identifier: Apache-2.0
#include "lang/script/threads/internal/port_hub.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>

namespace gyre::script {
namespace {

PortHub::Message message_of(std::string text) {
    return {.text = std::move(text), .bytes = {}, .ports = {}, .shared = {}};
}

TEST(PortHub, gives_messages_of_a_pair_to_its_other_end_in_order) {
    PortHub hub;
    const PortHub::PortId first = hub.open_pair();
    EXPECT_EQ(hub.post(first, message_of("1")), PortHub::Posted::done);
    EXPECT_EQ(hub.post(first, message_of("2")), PortHub::Posted::done);
    EXPECT_FALSE(hub.take(first).has_value());
    EXPECT_EQ(hub.take(first + 1)->text, "1");
    EXPECT_EQ(hub.take(first + 1)->text, "2");
    EXPECT_FALSE(hub.take(first + 1).has_value());
}

TEST(PortHub, gives_a_message_of_a_group_to_all_other_members) {
    PortHub hub;
    const PortHub::PortId a = hub.open_member("room");
    const PortHub::PortId b = hub.open_member("room");
    const PortHub::PortId c = hub.open_member("room");
    const PortHub::PortId other = hub.open_member("other");
    hub.close(c);
    EXPECT_EQ(hub.post(a, message_of("all")), PortHub::Posted::done);
    EXPECT_FALSE(hub.take(a).has_value());
    EXPECT_EQ(hub.take(b)->text, "all");
    EXPECT_FALSE(hub.take(c).has_value());
    EXPECT_FALSE(hub.take(other).has_value());
}

TEST(PortHub, refuses_more_messages_than_a_port_may_hold_and_takes_them_again_later) {
    PortHub hub;
    const PortHub::PortId first = hub.open_pair();
    for (std::size_t i = 0; i < PortHub::waiting_count_max; ++i) {
        ASSERT_EQ(hub.post(first, message_of({})), PortHub::Posted::done);
    }
    EXPECT_EQ(hub.post(first, message_of({})), PortHub::Posted::full);
    EXPECT_TRUE(hub.take(first + 1).has_value());
    EXPECT_EQ(hub.post(first, message_of({})), PortHub::Posted::done);
}

TEST(PortHub, refuses_more_bytes_than_all_ports_may_hold) {
    PortHub hub;
    const PortHub::PortId first = hub.open_pair();
    PortHub::Message large;
    large.bytes.resize(PortHub::waiting_bytes_max - 1);
    EXPECT_EQ(hub.post(first, std::move(large)), PortHub::Posted::done);
    EXPECT_EQ(hub.post(first, message_of("12")), PortHub::Posted::full);
    EXPECT_EQ(hub.post(first, message_of("1")), PortHub::Posted::done);
    hub.close(first + 1);  // with what waits there
    const PortHub::PortId second = hub.open_pair();
    EXPECT_EQ(hub.post(second, message_of("12")), PortHub::Posted::done);
}

TEST(PortHub, refuses_more_ports_than_a_program_may_open) {
    PortHub hub;
    for (std::size_t i = 0; i < PortHub::port_count_max / 2; ++i) ASSERT_NE(hub.open_pair(), 0u);
    EXPECT_EQ(hub.open_pair(), 0u);
    EXPECT_EQ(hub.open_member("room"), 0u);
}

TEST(PortHub, drops_a_message_for_a_closed_port_with_the_ports_in_it) {
    PortHub hub;
    const PortHub::PortId first = hub.open_pair();
    const PortHub::PortId inner = hub.open_pair();
    hub.close(first + 1);
    PortHub::Message message;
    message.ports.push_back(inner);
    EXPECT_EQ(hub.post(first, std::move(message)), PortHub::Posted::closed);
    EXPECT_EQ(hub.post(inner + 1, message_of("x")), PortHub::Posted::closed);
}

TEST(PortHub, keeps_all_messages_of_threads_that_post_at_once) {
    constexpr int count = 2000;
    PortHub hub;
    const PortHub::PortId first = hub.open_pair();
    const auto post = [&] {
        for (int i = 0; i < count; ++i)
            EXPECT_EQ(hub.post(first, message_of("x")), PortHub::Posted::done);
    };
    std::thread one(post);
    std::thread two(post);
    one.join();
    two.join();
    int taken = 0;
    while (hub.take(first + 1)) ++taken;
    EXPECT_EQ(taken, 2 * count);
}

}  // namespace
}  // namespace gyre::script
