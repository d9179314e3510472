// SPDX-License-Identifier: Apache-2.0
#include "gyre/io/address.hpp"

#include <gtest/gtest.h>

namespace gyre {
namespace {

using Groups = std::array<unsigned, 8>;

std::string text_of_ipv6(const Groups& groups, std::uint16_t port = 80) {
    std::array<std::uint8_t, 16> bytes{};
    for (std::size_t i = 0; i < 8; ++i) {
        bytes[2 * i] = static_cast<std::uint8_t>(groups[i] >> 8u);
        bytes[2 * i + 1] = static_cast<std::uint8_t>(groups[i] & 0xffu);
    }
    return Address::ipv6(bytes, port).to_string();
}

TEST(Address, without_anything_names_none) {
    EXPECT_EQ(Address().family(), Address::Family::none);
    EXPECT_EQ(Address().to_string(), "none");
}

TEST(Address, of_ipv4_reads_as_usual) {
    EXPECT_EQ(Address::loopback(8080).to_string(), "127.0.0.1:8080");
    EXPECT_EQ(Address::ipv4({255, 255, 255, 255}, 65'535).to_string(), "255.255.255.255:65535");
    EXPECT_EQ(Address::ipv4({0, 0, 0, 0}, 0).to_string(), "0.0.0.0:0");
    const Address address = Address::ipv4({1, 2, 3, 4}, 5);
    EXPECT_EQ(address.family(), Address::Family::ipv4);
    EXPECT_EQ(address.port(), 5);
    EXPECT_EQ(address.ip(), (std::array<std::uint8_t, 16>{1, 2, 3, 4}));
}

TEST(Address, of_ipv6_without_zeros_is_written_in_full_and_without_leading_zeros) {
    EXPECT_EQ(text_of_ipv6({0x2001, 0xdb8, 0x1, 0x20, 0x300, 0x4000, 0xffff, 0xa}),
              "[2001:db8:1:20:300:4000:ffff:a]:80");
}

TEST(Address, of_ipv6_shortens_a_run_of_zeros_wherever_it_stands) {
    EXPECT_EQ(text_of_ipv6({0, 0, 0, 0, 0, 0, 0, 0}), "[::]:80");
    EXPECT_EQ(text_of_ipv6({0, 0, 0, 0, 0, 0, 0, 1}), "[::1]:80");
    EXPECT_EQ(text_of_ipv6({1, 0, 0, 0, 0, 0, 0, 0}), "[1::]:80");
    EXPECT_EQ(text_of_ipv6({0xfe80, 0, 0, 0, 1, 2, 3, 4}), "[fe80::1:2:3:4]:80");
    EXPECT_EQ(text_of_ipv6({1, 2, 3, 4, 5, 6, 0, 0}), "[1:2:3:4:5:6::]:80");
    EXPECT_EQ(text_of_ipv6({0, 0, 3, 4, 5, 6, 7, 8}), "[::3:4:5:6:7:8]:80");
}

TEST(Address, of_ipv6_shortens_the_longest_run_and_of_equals_the_first) {
    EXPECT_EQ(text_of_ipv6({1, 0, 0, 2, 0, 0, 0, 3}), "[1:0:0:2::3]:80");
    EXPECT_EQ(text_of_ipv6({1, 0, 0, 2, 3, 0, 0, 4}), "[1::2:3:0:0:4]:80");
    EXPECT_EQ(text_of_ipv6({0, 0, 1, 0, 0, 0, 1, 0}), "[0:0:1::1:0]:80");
}

TEST(Address, of_ipv6_never_shortens_a_single_zero) {
    EXPECT_EQ(text_of_ipv6({1, 0, 2, 3, 4, 5, 6, 7}), "[1:0:2:3:4:5:6:7]:80");
    EXPECT_EQ(text_of_ipv6({0, 1, 2, 3, 4, 5, 6, 0}), "[0:1:2:3:4:5:6:0]:80");
}

TEST(Address, of_a_path_keeps_it_up_to_the_limit_of_the_system) {
    const Address address = Address::unix_path("/run/gyre.sock").value();
    EXPECT_EQ(address.family(), Address::Family::unix_path);
    EXPECT_EQ(address.path(), "/run/gyre.sock");
    EXPECT_EQ(address.to_string(), "unix:/run/gyre.sock");
    const std::string longest(Address::path_size_max, 'x');
    EXPECT_EQ(Address::unix_path(longest).value().path(), longest);
}

TEST(Address, of_a_path_beyond_the_limit_is_an_error) {
    const auto made = Address::unix_path(std::string(Address::path_size_max + 1, 'x'));
    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error().code(), std::errc::filename_too_long);
    EXPECT_FALSE(Address::unix_path(std::string(1'000, 'x')).has_value());
}

TEST(Address, is_equal_where_all_of_it_is) {
    EXPECT_EQ(Address::loopback(1), Address::ipv4({127, 0, 0, 1}, 1));
    EXPECT_NE(Address::loopback(1), Address::loopback(2));
    EXPECT_NE(Address::unix_path("/a").value(), Address::unix_path("/b").value());
    EXPECT_NE(Address::ipv4({0, 0, 0, 0}, 0), Address::ipv6({}, 0));
}

}  // namespace
}  // namespace gyre
