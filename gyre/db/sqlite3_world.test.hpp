// SPDX-License-Identifier: Apache-2.0
// SqliteWorld: the fixture of tests with SQLite, on the platform of the test, with threads for the calls and
// a scratch folder. One test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "gyre/db/pool.hpp"
#include "gyre/task/core/scope.hpp"
#include "tests/support/named_platform.hpp"
#include "tests/support/platforms.hpp"
#include "tests/support/test_world.hpp"

namespace gyre::db {

class SqliteWorld : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        try {
            world_.emplace(
                test::NamedPlatformOptions{.name = GetParam(), .thread_count = 4, .sim = {}});
        } catch (const test::PlatformRefused& refused) {
            GYRE_SKIP_REFUSED(GetParam(), refused.what());
        }
        folder_ = std::filesystem::temp_directory_path() /
                  ("gyre-sqlite-" + std::to_string(::getpid()) + "-" + GetParam());
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override {
        world_.reset();
        if (!folder_.empty()) std::filesystem::remove_all(folder_);
    }
    [[nodiscard]] std::string file() const { return "sqlite:" + (folder_ / "test.db").string(); }
    // For the files of a test.
    [[nodiscard]] std::string folder_name() const { return (folder_ / "files").string(); }
    template <class F>
    void with_pool(const std::string& url, F body, PoolOptions options = {}) {
        auto handle = world_->app.root().spawn([&]() -> Future<void> {
            Pool pool(url, options);
            co_await body(pool);
            EXPECT_EQ(pool.used_count(), 0U);
        });
        static_cast<void>(world_->loop.run());
        handle.outcome().take();
    }
    template <class F>
    void with_memory(F body) {
        with_pool("sqlite::memory:", std::move(body));
    }

private:
    std::optional<test::TestWorld<Executor, test::NamedPlatform>> world_;
    std::filesystem::path folder_;
};

template <class T>
Future<DbError> error_of(Future<T> future) {
    try {
        if constexpr (std::is_void_v<T>) {
            co_await std::move(future);
        } else {
            static_cast<void>(co_await std::move(future));
        }
    } catch (const DbError& e) {
        co_return e;
    }
    co_return DbError(DbError::Kind::failed, "none");
}

}  // namespace gyre::db
