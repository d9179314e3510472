// SPDX-License-Identifier: Apache-2.0
// Actors that exchange messages in steady state allocate nothing: by send, post and ask, with plain
// handlers and with coroutines. Nor do actors that are spawned and stopped again and again.
#include <gtest/gtest.h>

#include "gyre/actor/actor.hpp"
#include "gyre/sim/platform.hpp"
#include "tests/allocation/counting.hpp"

namespace gyre::allocation {
namespace {

using namespace std::chrono_literals;
using actor::Actor;
using actor::Ref;
using actor::System;

struct Plain {
    int number;
};
struct Waiting {
    int number;
};

class Echo : public Actor<Echo> {
public:
    int handle(Plain plain) { return plain.number; }
    Future<int> handle(Waiting waiting) {
        co_await sleep(1us);
        co_return waiting.number;
    }
};

class Once : public Actor<Once> {
public:
    void handle(Plain) { stop(); }
};

Future<void> exchange(System& system, int rounds, std::uint64_t& allocated) {
    const auto echo = system.spawn<Echo>();
    const auto round = [&](int i) -> Future<void> {
        echo.send(Plain{i});
        echo.send(Waiting{i});
        co_await echo.post(Plain{i});
        static_cast<void>(co_await echo.ask(Plain{i}));
        static_cast<void>(co_await echo.ask(Waiting{i}));
        const auto once = system.spawn<Once>();
        once.send(Plain{i});
        co_await once.ended();
    };
    for (int i = 0; i < 1'000; ++i) co_await round(i);
    const Since since;
    for (int i = 0; i < rounds; ++i) co_await round(i);
    allocated = since.count();
}

TEST(SteadyActors, allocate_nothing) {
    if (!has_pools) GTEST_SKIP() << "a sanitizer watches the memory";
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    Executor executor;
    Loop loop(platform, executor);
    std::uint64_t allocated = 1;
    const auto body = [&](System& system) { return exchange(system, 10'000, allocated); };
    const auto main = [&]() { return actor::with_actors(body); };
    executor.root().spawn(main);
    static_cast<void>(loop.run());
    EXPECT_EQ(allocated, 0u);
    loop.close();
}

}  // namespace
}  // namespace gyre::allocation
