// SPDX-License-Identifier: Apache-2.0
// Which sanitizers a test is built with: some of what the system can do is not for programs of theirs.
#pragma once

namespace gyre::test {

#if defined(__has_feature)
constexpr bool has_thread_sanitizer = __has_feature(thread_sanitizer);
constexpr bool has_address_sanitizer = __has_feature(address_sanitizer);
#else
constexpr bool has_thread_sanitizer = false;
constexpr bool has_address_sanitizer = false;
#endif

}  // namespace gyre::test

// At the head of a test whose forked child uses threads.
#define GYRE_SKIP_THREADS_AFTER_FORK()    \
    if (gyre::test::has_thread_sanitizer) \
    GTEST_SKIP() << "skipped: the thread sanitizer allows no threads after a fork"
