// SPDX-License-Identifier: Apache-2.0
// DurableWorld: the fixture of tests with durable runs: a store in a scratch file of SQLite, in virtual time.
// Process: what a process has, the scheduler, the guest and the worker; it may be ended at any moment, and
// another one begun on the same store. One test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gyre/durable/ops.hpp"
#include "gyre/durable/policy.hpp"
#include "gyre/durable/store.hpp"
#include "gyre/durable/worker.hpp"
#include "gyre/effect/coroutine_guest.hpp"
#include "gyre/task/core/sleep.hpp"
#include "tests/support/named_platform.hpp"
#include "tests/support/platforms.hpp"
#include "tests/support/spied_database.hpp"
#include "tests/support/test_world.hpp"

namespace gyre::durable {

using namespace std::chrono_literals;
using effect::Arguments;
using effect::Effectful;
using effect::perform;
using effect::Value;

struct Work {
    static constexpr effect::ResumeOp<int(int)> step{"test", "step"};
    static constexpr effect::ResumeOp<int(int)> other{"test", "other"};
};

class DurableWorld : public testing::Test {
protected:
    void SetUp() override {
        const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
        folder_ = std::filesystem::temp_directory_path() /
                  ("gyre-durable-" + std::to_string(::getpid()) + "-" + test.name());
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    [[nodiscard]] std::string url() const { return "sqlite:" + (folder_ / "runs.db").string(); }

    // What a process does with the store; its loop ends with it.
    struct Process {
        explicit Process(const std::string& url, WorkerOptions options = {},
                         StoreOptions store_options = {})
            : world(test::NamedPlatformOptions{.name = "sim", .thread_count = 4, .sim = {}}),
              scheduler(world.app),
              database(url),
              store(world.app, std::make_unique<test::SpiedDriver>(database, spy),
                    hourly(std::move(store_options))),
              worker(scheduler, store, std::move(options)) {
            handlers.on(Work::step, [this](int n) {
                ++calls[n];
                if (on_step) on_step(n);
                return n * 10;
            });
        }
        // Others are looked at each hour: these tests have one process at a time.
        static StoreOptions hourly(StoreOptions options) {
            options.poll_every = 1h;
            return options;
        }
        // Runs the function while the worker works; then the worker stops.
        template <class F>
        void run(F body) {
            auto handle = world.app.root().spawn([&]() -> Future<void> {
                co_await store.open();
                auto with_worker = [&](Scope& scope) -> Future<void> {
                    auto working = scope.spawn([this]() { return worker.run(); });
                    co_await body();
                    working.cancel("the test is over");
                };
                co_await with_scope(with_worker);
            });
            static_cast<void>(world.loop.run());
            handle.outcome().take();
        }
        template <class F>
        void add(const std::string& entry, F function, std::string version = {}) {
            guest.add(entry, std::move(function));
            worker.add(entry, guest, handlers, std::move(version));
        }

        test::TestWorld<Executor, test::NamedPlatform> world;
        effect::Scheduler scheduler;
        effect::CoroutineGuest guest;
        effect::Handlers handlers;
        test::DatabaseSpy spy;
        db::Pool database;
        Store store;
        Worker worker;
        std::map<int, int> calls;
        std::function<void(int)> on_step;
    };

    std::filesystem::path folder_;
};

}  // namespace gyre::durable
