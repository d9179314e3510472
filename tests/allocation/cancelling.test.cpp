// SPDX-License-Identifier: Apache-2.0
// A cancel allocates nothing, neither for the request nor for its delivery, whatever the tasks wait
// for: the report of it has its texts inside. A text of unusual length is on the heap. The exception is
// the C++ runtime's, which has a reserve (tests/fault/memory). Clause A34.
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "gyre/actor/actor.hpp"
#include "gyre/http/client.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/core/sleep.hpp"
#include "tests/allocation/counting.hpp"
#include "tests/support/named_platform.hpp"
#include "tests/support/test_world.hpp"

namespace gyre::allocation {
namespace {

using namespace std::chrono_literals;

constexpr int crowd = 32;
constexpr int warm_up_rounds = 4;

struct Cost {
    std::uint64_t request = 0;
    std::uint64_t until_ended = 0;
};

using Wait = std::function<Future<void>()>;

// What it costs to cancel a scope with so many tasks that wait.
Future<Cost> cost_of(int count, const Wait& wait) {
    Cost cost;
    std::uint64_t before = 0;
    auto body = [&](Scope& scope) -> Future<void> {
        for (int i = 0; i < count; ++i) scope.spawn([&wait] { return wait(); });
        co_await sleep(1ms);
        const Since since;
        before = allocations_so_far().count;
        scope.cancel("for a reason that is not too short");
        cost.request = since.count();
    };
    co_await with_scope(std::move(body));
    cost.until_ended = allocations_so_far().count - before;
    co_return cost;
}

Future<void> expect_no_allocation(const Wait& wait) {
    for (int i = 0; i < warm_up_rounds; ++i) co_await cost_of(crowd, wait);
    const Cost one = co_await cost_of(1, wait);
    const Cost many = co_await cost_of(crowd, wait);
    EXPECT_EQ(one.request, 0u);
    EXPECT_EQ(many.request, 0u) << "a task that is cancelled costs an allocation";
    EXPECT_EQ(many.until_ended, one.until_ended) << "the end of a cancelled task costs one";
}

struct CancelMemory : testing::Test {
    void SetUp() override {
        if (!has_pools) GTEST_SKIP() << "a sanitizer watches the memory";
    }
    test::TestWorld<Executor> world;
};

TEST_F(CancelMemory, A34_allocates_nothing_for_tasks_that_sleep) {
    // clause: A34
    world.run([]() -> Future<void> {
        co_await expect_no_allocation([]() -> Future<void> { co_await sleep(1h); });
    });
}

TEST_F(CancelMemory, A34_allocates_nothing_for_scopes_with_children) {
    // clause: A34
    world.run([]() -> Future<void> {
        co_await expect_no_allocation([]() -> Future<void> {
            auto body = [](Scope& scope) -> Future<void> {
                scope.spawn([]() -> Future<void> { co_await sleep(1h); });
                co_await sleep(1h);
            };
            co_await with_scope(std::move(body));
        });
    });
}

TEST_F(CancelMemory, A34_allocates_nothing_for_a_pending_receive) {
    // clause: A34
    // Not simulated: the simulation keeps a list of what it delays.
    test::TestWorld<Executor, test::NamedPlatform> real({.name = "epoll"});
    real.run([]() -> Future<void> {
        net::Listener listener = co_await net::listen(Address::loopback());
        net::Connection idle = co_await net::connect(listener.local_address().value());
        net::Connection served = co_await listener.accept();
        // One at a time: a connection has one reader.
        std::array<std::byte, 64> buffer{};
        bool is_reading = false;
        const Wait wait = [&]() -> Future<void> {
            if (std::exchange(is_reading, true)) {
                co_await sleep(1h);
            } else {
                static_cast<void>(co_await served.read(buffer));
            }
        };
        for (int i = 0; i < warm_up_rounds; ++i) {
            is_reading = false;
            co_await cost_of(2, wait);
        }
        is_reading = false;
        const Cost with_a_receive = co_await cost_of(2, wait);
        is_reading = true;
        const Cost without = co_await cost_of(2, wait);
        EXPECT_EQ(with_a_receive.request, without.request);
        EXPECT_EQ(with_a_receive.until_ended, without.until_ended);
    });
}

class Silent : public actor::Actor<Silent> {
public:
    Future<int> handle(int number) {
        co_await sleep(std::chrono::hours(number));
        co_return number;
    }
};

TEST_F(CancelMemory, A34_allocates_nothing_for_asks_of_an_actor) {
    // clause: A34
    const auto body = [](actor::System& system) -> Future<void> {
        const auto silent = system.spawn<Silent>();
        co_await expect_no_allocation(
            [&]() -> Future<void> { static_cast<void>(co_await silent.ask(1)); });
        silent.stop_now();
    };
    world.run([&] { return actor::with_actors(body, {}); });
}

TEST_F(CancelMemory, A34_allocates_nothing_for_a_request_of_the_http_client) {
    // clause: A34
    world.run([]() -> Future<void> {
        net::Listener listener = co_await net::listen(Address::loopback());
        const std::string url = "http://" + listener.local_address().value().to_string() + "/";
        http::Client client;
        const Wait wait = [&]() -> Future<void> { static_cast<void>(co_await client.fetch(url)); };
        for (int i = 0; i < warm_up_rounds; ++i) co_await cost_of(4, wait);
        const Cost one = co_await cost_of(1, wait);
        const Cost many = co_await cost_of(4, wait);
        EXPECT_EQ(one.request, 0u);
        EXPECT_EQ(many.request, 0u) << "a request that is cancelled costs an allocation";
    });
}

}  // namespace
}  // namespace gyre::allocation
