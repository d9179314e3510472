// SPDX-License-Identifier: Apache-2.0
// The world of net tests: an executor on the platform of the test: epoll, io_uring or the
// simulation. One test, one thread. GYRE_REQUIRE_PLATFORMS=epoll,uring,sim turns a skip into a
// failure.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gyre/sim/platform.hpp"
#include "gyre/task/core/scope.hpp"
#include "tests/support/named_platform.hpp"
#include "tests/support/platforms.hpp"
#include "tests/support/test_world.hpp"

namespace gyre::net {

class NetWorld : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override { make_world({}); }
    void make_world(const sim::SimOptions& sim_options) {
        world_.reset();
        try {
            world_.emplace(test::NamedPlatformOptions{
                .name = GetParam(), .thread_count = 0, .sim = sim_options});
        } catch (const test::PlatformRefused& refused) {
            refuse(refused.what());
        }
    }
    void TearDown() override { world_.reset(); }
    // The platform stays.
    void close_loop() { world_->loop.close(); }

    [[nodiscard]] bool is_simulated() const { return world_->outside.is_simulated(); }
    [[nodiscard]] sim::SimPlatform& sim() { return *world_->outside.sim; }
    [[nodiscard]] Loop& loop() { return world_->loop; }
    [[nodiscard]] Executor& executor() { return world_->app; }
    // Open descriptors, of the process or of the simulation.
    [[nodiscard]] int descriptor_count() {
        if (is_simulated()) return sim().descriptor_count();
        int count = 0;
        for (int fd = 0; fd < 1024; ++fd) count += ::lseek(fd, 0, SEEK_CUR) >= 0 || errno != EBADF;
        return count;
    }
    [[nodiscard]] static Address unix_address(std::string_view name) {
        std::string path(1, '\0');
        path.append("gyre-net-").append(std::to_string(::getpid())).append("-").append(name);
        return Address::unix_path(path).value();
    }

    template <class F>
    auto spawn(F function) {
        return executor().root().spawn(std::move(function));
    }
    // Runs the task and its children to their end; returns its value or throws.
    template <class F>
    auto run(F function) {
        auto handle = spawn(std::move(function));
        static_cast<void>(loop().run());
        EXPECT_TRUE(executor().root().has_only_daemons()) << executor().dump_tasks();
        return handle.outcome().take();
    }

private:
    static void refuse(const std::string& why) { GYRE_SKIP_REFUSED(GetParam(), why); }

    std::optional<test::TestWorld<Executor, test::NamedPlatform>> world_;
};

#define GYRE_NET_SUITE(Suite)         \
    class Suite : public NetWorld {}; \
    GYRE_ON_PLATFORMS(Suite, gyre::test::every_platform)

}  // namespace gyre::net
