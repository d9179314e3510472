// SPDX-License-Identifier: Apache-2.0
// Fixture for tests of actors on four loops, each on its own thread, in real time; also for the
// thread sanitizer. No test sleeps: each ends when the expected events have happened.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "gyre/actor/actor.hpp"
#include "gyre/app/runtime.hpp"
#include "gyre/base/log.hpp"
#include "tests/support/thread_platform.hpp"

namespace gyre::actor {

using namespace std::chrono_literals;

constexpr std::uint32_t loop_count = 4;

// A million messages with GYRE_TEST_LONG=1.
inline int message_count() {
    const char* is_long = std::getenv("GYRE_TEST_LONG");
    return is_long != nullptr && std::string_view(is_long) == "1" ? 250'000 : 5'000;
}

inline std::string loop_name(ThreadId thread) {
    return std::to_string(thread);
}

// Runs the body as a task of the first of four loops, with the system open on all of them.
inline void on_four_loops(System& system, const std::function<Future<void>(System&)>& body,
                          const std::function<Observer*(ThreadId)>& observer_of = nullptr) {
    std::atomic<std::uint32_t> open_count = 0;
    Runtime runtime({.loop_count = loop_count,
                     .make_platform = [](ThreadId) -> Result<std::unique_ptr<Platform>> {
                         return std::make_unique<test::ThreadPlatform>();
                     },
                     .make_app = [](ThreadId) { return std::make_unique<Executor>(); },
                     .on_started =
                         [&](Runtime& all, Loop& loop, Machine& app) {
                             Scope& root = static_cast<Executor&>(app).root();
                             system.open(root, loop_name(loop.thread_id()));
                             ++open_count;
                             if (loop.thread_id() != 1) return;
                             const auto main = [&]() -> Future<void> {
                                 while (open_count < loop_count) co_await yield();
                                 co_await body(system);
                                 all.stop();
                             };
                             root.spawn(main);
                         },
                     .observer_of = observer_of});
    ASSERT_TRUE(runtime.start());
    runtime.join();
}

class ActorsOnLoops : public ::testing::Test {
protected:
    ActorsOnLoops() : before_(log_level()) { set_log_level(LogLevel::off); }
    ~ActorsOnLoops() override { set_log_level(before_); }

private:
    const LogLevel before_;
};

struct Total {};
struct Die {};
struct Chore {
    int number;
};
class Mortal : public Actor<Mortal> {
public:
    explicit Mortal(std::atomic<int>* handled) : handled_(handled) {}
    void handle(Chore) { ++*handled_; }
    Future<int> handle(Total) {
        co_await yield();
        co_return 1;
    }
    void handle(Die) { throw std::runtime_error("crash"); }

private:
    std::atomic<int>* handled_;
};

}  // namespace gyre::actor
