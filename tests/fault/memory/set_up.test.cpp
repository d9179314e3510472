// SPDX-License-Identifier: Apache-2.0
// Construction that runs out of memory: whichever allocation fails, the result is an error or a
// bad_alloc, and neither memory nor a descriptor leaks.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <new>

#include "gyre/app/runtime.hpp"
#include "gyre/base/log.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/pool/thread_pool.hpp"
#include "tests/fault/memory/failing_new.hpp"
#include "tests/support/fake_platform.hpp"
#include "tests/support/platforms.hpp"

namespace gyre::test {
namespace {

class Quiet final : public Machine {
public:
    Quiet() noexcept : Machine("quiet") {}
    using Machine::submit;

private:
    void tick(Instant /*now*/) override {
        while (next_completion() != nullptr) {
        }
        while (Op* op = next_submission()) complete(*op, 0);
    }
};

std::size_t descriptor_count() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry :
         std::filesystem::directory_iterator("/proc/self/fd")) {
        ++count;
    }
    return count;
}

enum class Outcome { made, refused };

// Refuses the first allocation of the set-up, then the second and so on, until it does without.
// Returns how many had to be refused.
template <class SetUp>
int refuse_each_allocation_of(SetUp set_up) {
    set_log_sink([](LogLevel, std::string_view) {});
    EXPECT_EQ(set_up(), Outcome::made);  // What is made once a process is there now.
    const std::size_t descriptors_before = descriptor_count();
    int refusals = 0;
    for (long n = 1;; ++n) {
        const long alive_before = allocations_alive();
        Outcome outcome = Outcome::refused;
        refuse_allocation(n);
        try {
            outcome = set_up();
        } catch (const std::bad_alloc&) {
        }
        const bool was_refused = stop_refusing();
        EXPECT_EQ(allocations_alive(), alive_before) << "allocation " << n;
        EXPECT_EQ(descriptor_count(), descriptors_before) << "allocation " << n;
        if (!was_refused) {
            EXPECT_EQ(outcome, Outcome::made);
            break;
        }
        ++refusals;
    }
    set_log_sink(nullptr);
    return refusals;
}

class OutOfMemory : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        const auto made = platform::make_platform(clock, GetParam());
        if (!made) GYRE_SKIP_REFUSED(GetParam(), made.error().message);
    }
    platform::SystemClock clock;
};
GYRE_ON_PLATFORMS(OutOfMemory, gyre::test::real_platforms);

TEST_P(OutOfMemory, a_platform_is_an_error_and_leaves_nothing_behind) {
    const int refusals = refuse_each_allocation_of([this] {
        const auto made = platform::make_platform(clock, GetParam());
        if (!made) {
            EXPECT_EQ(made.error().error.code(), std::errc::not_enough_memory);
        }
        return made ? Outcome::made : Outcome::refused;
    });
    EXPECT_GE(refusals, 2);
}

TEST_P(OutOfMemory, a_runtime_starts_no_loop_or_all) {
    const int refusals = refuse_each_allocation_of([this] {
        RuntimeOptions options;
        options.loop_count = 3;
        options.make_platform = [this](ThreadId) -> Result<std::unique_ptr<Platform>> {
            auto made = platform::make_platform(clock, GetParam());
            if (!made) return std::unexpected(made.error().error);
            return std::move(*made);
        };
        options.make_app = [](ThreadId) { return std::make_unique<Quiet>(); };
        Runtime runtime(std::move(options));
        const Result<void> started = runtime.start();
        if (!started) {
            EXPECT_EQ(started.error().code(), std::errc::not_enough_memory);
        }
        return started ? Outcome::made : Outcome::refused;
    });
    EXPECT_GE(refusals, 10);
}

TEST(OutOfMemoryForLoops, a_loop_with_a_tree_of_machines_leaves_nothing_behind) {
    FakePlatform fake;
    const int refusals = refuse_each_allocation_of([&fake] {
        Quiet app;
        Quiet child;
        app.add_child(child);
        {
            const Loop loop(fake, app);
        }
        app.remove_child(child);
        return Outcome::made;
    });
    EXPECT_GE(refusals, 1);
}

TEST(OutOfMemoryForLoops, a_child_that_finds_no_room_is_not_added) {
    FakePlatform fake;
    const int refusals = refuse_each_allocation_of([&fake] {
        Quiet app;
        std::array<Quiet, 200> children;
        Loop loop(fake, app);
        for (Quiet& child : children) app.add_child(child);
        for (Quiet& child : children) app.remove_child(child);
        return Outcome::made;
    });
    EXPECT_GE(refusals, 2);
}

TEST(OutOfMemoryForLoops, peers_leave_nothing_behind) {
    const int refusals = refuse_each_allocation_of([] {
        const Peers peers(8);
        return Outcome::made;
    });
    EXPECT_EQ(refusals, 1);
}

// Its threads start with the first work, which is refused where there is no memory for one.
TEST(OutOfMemoryForPools, a_pool_and_its_first_work_leave_nothing_behind) {
    platform::SystemClock clock;
    const int refusals = refuse_each_allocation_of([&clock] {
        pool::ThreadPool pool({.thread_count = 2});
        auto platform = platform::make_platform(clock, "epoll");
        if (!platform) return Outcome::refused;
        Quiet app;
        Loop loop(**platform, app, {.offload = &pool});
        WorkOp work([](WorkOp&) noexcept -> std::int32_t { return 5; });
        app.submit(work);
        while (work.is_in_flight()) loop.turn();
        loop.close();
        if (work.result() == 5) return Outcome::made;
        EXPECT_EQ(work.result(), failure(std::errc::resource_unavailable_try_again));
        return Outcome::refused;
    });
    EXPECT_GE(refusals, 5);
}

}  // namespace
}  // namespace gyre::test
