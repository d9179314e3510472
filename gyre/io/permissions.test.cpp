// SPDX-License-Identifier: Apache-2.0
#include "gyre/io/permissions.hpp"

#include <gtest/gtest.h>

namespace gyre {
namespace {

TEST(Permissions, allow_nothing_by_default) {
    const Permissions none;
    EXPECT_FALSE(none.allows_host("127.0.0.1", 80));
    EXPECT_FALSE(none.allows_variable("HOME"));
    EXPECT_EQ(none.folder_of("/"), nullptr);
}

TEST(Permissions, compare_hosts_and_ports_as_text) {
    const Permissions some{.hosts = {"127.0.0.1:80", "*:443", "::1:53"},
                           .variables = {"HOME", "*"}};
    EXPECT_TRUE(some.allows_host("127.0.0.1", 80));
    EXPECT_FALSE(some.allows_host("127.0.0.1", 81));
    EXPECT_FALSE(some.allows_host("127.1", 80));
    EXPECT_FALSE(some.allows_host("any.example", 443));
    EXPECT_TRUE(some.allows_host("::1", 53));
    EXPECT_TRUE(some.allows_variable("HOME"));
    EXPECT_FALSE(some.allows_variable("PATH"));
}

TEST(Permissions, of_every_port_are_for_one_host) {
    const Permissions some{.hosts = {"127.0.0.1:*", "::1:*", "[::1]:*", "any.example:*"}};
    EXPECT_TRUE(some.allows_host("127.0.0.1", 0));
    EXPECT_TRUE(some.allows_host("127.0.0.1", 65535));
    EXPECT_TRUE(some.allows_host("::1", 53));
    EXPECT_TRUE(some.allows_place("[::1]:53"));
    EXPECT_FALSE(some.allows_host("127.0.0.10", 80));
    EXPECT_FALSE(some.allows_host("27.0.0.1", 80));
    EXPECT_FALSE(some.allows_host("::1:2", 80));
    EXPECT_FALSE(some.allows_host("sub.any.example", 80));
    EXPECT_FALSE(some.allows_place("127.0.0.1:"));
    EXPECT_FALSE(some.allows_place("127.0.0.1:80:81"));
    EXPECT_FALSE(some.allows_place("127.0.0.1"));
}

TEST(Permissions, of_a_folder_end_at_its_name) {
    const Permissions some{.folders = {"/data", "/srv/"}};
    EXPECT_NE(some.folder_of("/data"), nullptr);
    EXPECT_NE(some.folder_of("/data/a/b"), nullptr);
    EXPECT_NE(some.folder_of("/srv/x"), nullptr);
    EXPECT_EQ(some.folder_of("/database"), nullptr);
    EXPECT_EQ(some.folder_of("/"), nullptr);
}

}  // namespace
}  // namespace gyre
