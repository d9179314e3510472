// SPDX-License-Identifier: Apache-2.0
// Files, names, user work and computation do not delay each other; sizes come from the environment.
#include "gyre/pool/pools.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <fstream>
#include <mutex>
#include <set>
#include <string>

#include "gyre/io/file_ops.hpp"
#include "gyre/io/io_ops.hpp"
#include "gyre/pool/pool_world.test.hpp"

namespace gyre::pool {
namespace {

using test::do_nothing;
using test::Gate;
using test::GatedWork;
using test::World;

TEST(Pools, one_that_is_blocked_and_full_does_not_delay_the_others) {
    constexpr PoolSize small{.thread_count = 1, .queued_count_max = 1};
    for (const WorkKind blocked : {WorkKind::user, WorkKind::files, WorkKind::names}) {
        Pools pools({.files = small, .names = small, .user = small});
        World world(pools);
        Gate gate;
        GatedWork running(gate, blocked);
        GatedWork queued(gate, blocked);
        GatedWork refused(gate, blocked);
        world.hand_over(running);
        gate.await_arrived(1);
        world.hand_over(queued);
        world.app.submit(refused);
        EXPECT_EQ(world.finish(refused), failure(std::errc::resource_unavailable_try_again));
        for (const WorkKind other : {WorkKind::user, WorkKind::files, WorkKind::names}) {
            if (other == blocked) continue;
            WorkOp work(do_nothing, other);
            world.app.submit(work);
            EXPECT_EQ(world.finish(work), 0);
        }
        world.app.cancel(queued);
        EXPECT_TRUE(world.finish(queued) == failure(std::errc::operation_canceled));
        gate.open();
        EXPECT_EQ(world.finish(running), GatedWork::passed);
    }
}

TEST(Pools, file_ops_go_to_the_files_and_plain_work_to_the_user) {
    Pools pools;
    World world(pools);
    const std::string path = testing::TempDir() + "gyre_pools_test";
    std::ofstream(path) << "text";
    OpenOp open(path.c_str(), {});
    world.app.submit(open);
    const std::int32_t file = world.finish(open);
    ASSERT_GE(file, 0);
    CloseOp close(file);
    world.app.submit(close);
    EXPECT_EQ(world.finish(close), 0);
    std::remove(path.c_str());
    EXPECT_GE(pools.files().done, 1u);
    EXPECT_EQ(pools.user().done, 0u);
    WorkOp work(do_nothing);
    world.app.submit(work);
    world.finish(work);
    EXPECT_EQ(pools.user().done, 1u);
    EXPECT_EQ(pools.names().threads, 0u);
}

TEST(Pools, computation_goes_to_the_workers_or_else_to_the_user) {
    ThreadPool compute({.thread_count = 1});
    {
        Pools pools({.compute = &compute});
        World world(pools);
        WorkOp work(do_nothing, WorkKind::compute);
        world.app.submit(work);
        world.finish(work);
        EXPECT_EQ(compute.metrics().done, 1u);
        EXPECT_EQ(pools.user().done, 0u);
    }
    Pools pools;
    World world(pools);
    WorkOp work(do_nothing, WorkKind::compute);
    world.app.submit(work);
    world.finish(work);
    EXPECT_EQ(pools.user().done, 1u);
}

std::mutex names_mutex;
std::set<std::string> names;

TEST(Pools, name_their_threads_after_their_work) {
    Pools pools({.name_thread = [](std::string_view name) noexcept {
        const std::lock_guard lock(names_mutex);
        names.emplace(name);
    }});
    World world(pools);
    for (const WorkKind kind : {WorkKind::user, WorkKind::files, WorkKind::names}) {
        WorkOp work(do_nothing, kind);
        world.app.submit(work);
        world.finish(work);
    }
    const std::lock_guard lock(names_mutex);
    EXPECT_EQ(names, (std::set<std::string>{"gyre-file-1", "gyre-name-1", "gyre-user-1"}));
}

TEST(Pools, take_their_sizes_from_the_environment) {
    setenv("GYRE_POOL_FILES", "3", 1);
    setenv("GYRE_POOL_NAMES", "2,17", 1);
    setenv("GYRE_POOL_USER", "many", 1);
    const PoolsOptions options = with_environment({.user = {.thread_count = 9}});
    unsetenv("GYRE_POOL_FILES");
    unsetenv("GYRE_POOL_NAMES");
    unsetenv("GYRE_POOL_USER");
    EXPECT_EQ(options.files, (PoolSize{.thread_count = 3}));
    EXPECT_EQ(options.names, (PoolSize{.thread_count = 2, .queued_count_max = 17}));
    EXPECT_EQ(options.user, (PoolSize{.thread_count = 9}));
    EXPECT_EQ(with_environment({}).files, PoolSize{});
}

}  // namespace
}  // namespace gyre::pool
