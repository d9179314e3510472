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

#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre::net {

class NetWorld : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override { make_world({}); }
    void make_world(const sim::SimOptions& sim_options) {
        close_loop();
        const std::string_view name = GetParam();
        if (name == "sim") {
            auto sim = std::make_unique<sim::SimPlatform>(virtual_clock_, sim_options);
            sim_ = sim.get();
            platform_ = std::move(sim);
        } else {
            auto made = platform::make_platform(clock_, name);
            if (!made) return refuse(made.error().message);
            platform_ = std::move(*made);
        }
        executor_ = std::make_unique<Executor>();
        loop_ = std::make_unique<Loop>(*platform_, *executor_);
    }
    void TearDown() override { close_loop(); }
    void close_loop() {
        if (loop_ != nullptr) loop_->close();
        loop_.reset();
        executor_.reset();
    }

    [[nodiscard]] bool is_simulated() const { return sim_ != nullptr; }
    [[nodiscard]] sim::SimPlatform& sim() { return *sim_; }
    [[nodiscard]] Loop& loop() { return *loop_; }
    [[nodiscard]] Executor& executor() { return *executor_; }
    // Open descriptors, of the process or of the simulation.
    [[nodiscard]] int descriptor_count() {
        if (is_simulated()) return sim_->descriptor_count();
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
        return executor_->root().spawn(std::move(function));
    }
    // Runs the task and its children to their end; returns its value or throws.
    template <class F>
    auto run(F function) {
        auto handle = spawn(std::move(function));
        static_cast<void>(loop_->run());
        EXPECT_EQ(executor_->task_count(), 0u) << executor_->dump_tasks();
        return handle.outcome().take();
    }

private:
    static void refuse(const std::string& why) {
        const char* required = std::getenv("GYRE_REQUIRE_PLATFORMS");
        const std::string_view names = required == nullptr ? "" : required;
        if (names.find(GetParam()) != std::string_view::npos) FAIL() << why;
        GTEST_SKIP() << "skipped: " << GetParam() << " refused: " << why;
    }

    platform::SystemClock clock_;
    sim::VirtualClock virtual_clock_;
    std::unique_ptr<Platform> platform_;
    sim::SimPlatform* sim_ = nullptr;
    std::unique_ptr<Executor> executor_;
    std::unique_ptr<Loop> loop_;
};

#define GYRE_NET_SUITE(Suite)                                                   \
    class Suite : public NetWorld {};                                           \
    INSTANTIATE_TEST_SUITE_P(, Suite, testing::Values("epoll", "uring", "sim"), \
                             [](const auto& test) { return std::string(test.param); })

}  // namespace gyre::net
