// SPDX-License-Identifier: Apache-2.0
// The system refuses the set-up: make() returns an error and releases all resources. tests/fault
// tests set-up without memory.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "gyre/platform/internal/epoll/epoll.hpp"
#include "gyre/platform/system_clock.hpp"

namespace gyre::platform {
namespace {

Fd next_descriptor() {
    const Fd fd = ::dup(0);
    ::close(fd);
    return fd;
}

TEST(SettingUpEpoll, fails_cleanly_whichever_descriptor_is_refused) {
    SystemClock clock;
    ASSERT_TRUE(EpollPlatform::make(clock)) << "not even without a limit";
    const Fd next = next_descriptor();
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    for (const int allowed : {0, 1}) {
        rlimit limit = before;
        limit.rlim_cur = static_cast<rlim_t>(next + allowed);
        ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
        const auto made = EpollPlatform::make(clock);
        ::setrlimit(RLIMIT_NOFILE, &before);
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().code(), std::errc::too_many_files_open);
        EXPECT_EQ(next_descriptor(), next);
    }
}

}  // namespace
}  // namespace gyre::platform
