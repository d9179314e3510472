// SPDX-License-Identifier: Apache-2.0
// The world of fs tests: an executor on the platform of the test, threads for blocking work, and a
// temporary directory. One test, one thread.
#pragma once

#include <dirent.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "gyre/fs/tree.hpp"
#include "gyre/io/environment.hpp"
#include "gyre/task/core/scope.hpp"
#include "tests/support/named_platform.hpp"
#include "tests/support/platforms.hpp"
#include "tests/support/test_world.hpp"

namespace gyre::fs {

// The number of open descriptors; works under fault injection too.
inline std::size_t open_count() {
    std::size_t count = 0;
    DIR* folder = nullptr;
    while (folder == nullptr) folder = ::opendir("/proc/self/fd");
    while (::readdir(folder) != nullptr) ++count;
    ::closedir(folder);
    return count;
}

class World : public test::TestWorld<Executor, test::NamedPlatform> {
public:
    explicit World(const std::string& name) : TestWorld({.name = name}) {}

    // Null if the system does not support the platform.
    static std::unique_ptr<World> make(const std::string& name) {
        try {
            return std::make_unique<World>(name);
        } catch (const test::PlatformRefused&) {
            return nullptr;
        }
    }

    // Runs the task and its children to their end; returns its value or throws.
    template <class F>
    auto run(F function) {
        Scope scope(executor, nullptr, {.name = "test", .cancels_on_failure = false});
        auto handle = scope.spawn(std::move(function));
        (void)TestWorld::loop.run();
        EXPECT_EQ(executor.task_count(), 0u) << executor.dump_tasks();
        return handle.outcome().take();
    }
    [[nodiscard]] Loop& loop() noexcept { return TestWorld::loop; }
    [[nodiscard]] Platform& platform() noexcept { return outside.platform(); }

    Executor& executor = app;
    sim::SimPlatform* sim = outside.sim;
};

// A test on every platform; `world` and `folder` are ready.
class OnPlatform : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        // Descriptors that are opened once and stay, such as those of the clock.
        if (World::make(GetParam()) == nullptr) {
            GYRE_SKIP_REFUSED(GetParam(), "by the system");
        }
        open_before_ = open_count();
        world = World::make(GetParam());
        auto& tree = *world->platform().environment()->file_tree();
        folder = tree.make_unique_folder(tree.temporary_folder(), "gyre-fs-").value();
    }
    void TearDown() override {
        if (world == nullptr) return;
        auto& tree = *world->platform().environment()->file_tree();
        while (tree.stat(folder, Links::themselves)) (void)tree.remove_some(folder, 1000);
        world.reset();
        EXPECT_EQ(open_count(), open_before_) << "descriptors are left open";
    }
    [[nodiscard]] bool is_simulated() const { return world->sim != nullptr; }
    [[nodiscard]] std::string at(const std::string& name) const { return join(folder, name); }

    std::unique_ptr<World> world;
    std::string folder;

private:
    std::size_t open_before_ = 0;
};

// The error of an async function that must fail.
template <class F>
std::errc error_of(World& world, F function) {
    try {
        (void)world.run(std::move(function));
    } catch (const std::system_error& e) {
        return static_cast<std::errc>(e.code().value());
    }
    return std::errc{};
}

#define GYRE_ON_EACH_PLATFORM(Suite)    \
    class Suite : public OnPlatform {}; \
    GYRE_ON_PLATFORMS(Suite, gyre::test::every_platform)
#define GYRE_ON_REAL_PLATFORMS(Suite)   \
    class Suite : public OnPlatform {}; \
    GYRE_ON_PLATFORMS(Suite, gyre::test::real_platforms)

}  // namespace gyre::fs
