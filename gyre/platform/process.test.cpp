// SPDX-License-Identifier: Apache-2.0
// The number of cores, and the memory: parsing of the control files, and the results of the system.
#include "gyre/platform/process.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>

#include <array>
#include <thread>

#include "gyre/platform/internal/cgroup_quota.hpp"
#include "gyre/platform/thread.hpp"
#include "tests/support/sanitizers.hpp"

namespace gyre::platform {
namespace {

TEST(CgroupQuota, is_rounded_up_to_whole_cores) {
    EXPECT_EQ(cores_of_cpu_max("100000 100000\n"), 1u);
    EXPECT_EQ(cores_of_cpu_max("150000 100000\n"), 2u);
    EXPECT_EQ(cores_of_cpu_max("1000 100000"), 1u);
    EXPECT_EQ(cores_of_cpu_max("1600000 100000"), 16u);
    EXPECT_EQ(cores_of_cfs("250000\n", "100000\n"), 3u);
}

TEST(CgroupQuota, without_a_limit_is_nothing) {
    EXPECT_EQ(cores_of_cpu_max("max 100000\n"), std::nullopt);
    EXPECT_EQ(cores_of_cfs("-1\n", "100000\n"), std::nullopt);
}

TEST(CgroupQuota, that_is_not_understood_is_nothing) {
    for (const char* text : {"", "\n", " ", "1", "1 ", "1 0", "0 1", "x y", "1 2 3", "1  2",
                             "99999999999999999999 1"}) {
        EXPECT_EQ(cores_of_cpu_max(text), std::nullopt) << text;
    }
    EXPECT_EQ(cores_of_cfs("", ""), std::nullopt);
    EXPECT_EQ(cores_of_cfs("1", ""), std::nullopt);
}

TEST(CgroupQuota, beyond_what_a_count_holds_is_the_largest_count) {
    EXPECT_EQ(cores_of_cpu_max("18446744073709551615 1"), ~std::uint32_t{0});
}

TEST(CgroupPath, is_found_by_version) {
    const char* text = "12:pids:/p\n4:cpu,cpuacct:/docker/abc\n1:cpuset:/c\n0::/user.slice/x\n";
    EXPECT_EQ(cgroup_path(text, CgroupVersion::v1), "/docker/abc");
    EXPECT_EQ(cgroup_path(text, CgroupVersion::v2), "/user.slice/x");
    EXPECT_EQ(cgroup_path("1:cpuset:/c\n", CgroupVersion::v1), std::nullopt);
    EXPECT_EQ(cgroup_path("0::relative\n", CgroupVersion::v2), std::nullopt);
    EXPECT_EQ(cgroup_path("", CgroupVersion::v2), std::nullopt);
}

TEST(CgroupPath, leads_up_to_the_root) {
    EXPECT_EQ(cgroup_parent("/a/b"), "/a");
    EXPECT_EQ(cgroup_parent("/a"), "/");
    EXPECT_EQ(cgroup_parent("/"), std::nullopt);
    EXPECT_EQ(cgroup_parent(""), std::nullopt);
}

TEST(CgroupMemory, is_a_number_of_bytes_or_nothing) {
    EXPECT_EQ(bytes_of_memory_max("314572800\n"), 314572800u);
    EXPECT_EQ(bytes_of_memory_max("max\n"), std::nullopt);
    for (const char* text : {"", "\n", "0", "-1", "12 MB", "99999999999999999999999"}) {
        EXPECT_EQ(bytes_of_memory_max(text), std::nullopt) << text;
    }
    EXPECT_EQ(cgroup_path("4:memory:/m\n2:cpu:/c\n", CgroupVersion::v1, "memory"), "/m");
}

TEST(Memory, is_no_more_than_the_limit_of_the_process) {
    if (test::has_address_sanitizer || test::has_thread_sanitizer)
        GTEST_SKIP() << "a sanitizer's own memory is above the limit that this sets";
    const std::uint64_t all = usable_memory_bytes();
    EXPECT_GT(all, 1u << 20u);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_DATA, &before), 0);
    rlimit lower = before;
    lower.rlim_cur = all / 2;
    ASSERT_EQ(::setrlimit(RLIMIT_DATA, &lower), 0);
    EXPECT_EQ(usable_memory_bytes(), all / 2);
    EXPECT_EQ(::setrlimit(RLIMIT_DATA, &before), 0);
}

TEST(Cores, are_at_least_one_and_no_more_than_the_thread_may_use) {
    EXPECT_GE(usable_cores(), 1u);
    EXPECT_LE(usable_cores(), cores_of_this_thread().size());
}

TEST(Cores, are_fewer_for_a_thread_that_is_tied_to_one) {
    std::thread([] {
        const int core = cores_of_this_thread().back();
        ASSERT_TRUE(pin_this_thread(core));
        EXPECT_EQ(cores_of_this_thread(), std::vector<int>{core});
        EXPECT_EQ(usable_cores(), 1u);
    }).join();
}

TEST(Threads, cannot_be_tied_to_a_core_that_is_not_there) {
    EXPECT_EQ(pin_this_thread(-1).error().code(), std::errc::invalid_argument);
    EXPECT_EQ(pin_this_thread(1 << 20).error().code(), std::errc::invalid_argument);
}

TEST(Threads, have_a_name_of_at_most_fifteen_bytes) {
    std::thread([] {
        name_this_thread("a-name-longer-than-the-system-keeps");
        std::array<char, 32> name{};
        ::pthread_getname_np(::pthread_self(), name.data(), name.size());
        EXPECT_STREQ(name.data(), "a-name-longer-t");
    }).join();
}

}  // namespace
}  // namespace gyre::platform
