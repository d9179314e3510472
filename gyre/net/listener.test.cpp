// SPDX-License-Identifier: Apache-2.0
// Listeners: ports that are shared, and ports that are in use.
#include "gyre/net/listener.hpp"

#include <array>
#include <chrono>

#include "gyre/net/net_world.test.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task.hpp"

namespace gyre::net {
namespace {

using namespace std::chrono_literals;

GYRE_NET_SUITE(Listeners);

TEST_P(Listeners, share_a_port) {
    run([]() -> Future<void> {
        Listener first = co_await listen(Address::loopback(), {.share_port = true});
        const Address at = first.local_address().value();
        Listener second = co_await listen(at, {.share_port = true});
        const auto third = co_await try_(listen(at));
        EXPECT_EQ(third.error(), Error(std::errc::address_in_use));
        int accepted = 0;
        co_await with_scope([&](Scope& scope) -> Future<void> {
            for (const Listener* listener : {&first, &second}) {
                scope.spawn([&accepted, listener]() -> Future<void> {
                    for (;; ++accepted) static_cast<void>(co_await listener->accept());
                });
            }
            for (int i = 0; i < 8; ++i) {
                const Connection client = co_await net::connect(at);
                std::array<std::byte, 8> buffer{};
                EXPECT_EQ(co_await client.read(buffer), 0U);
            }
            scope.cancel("all have been there");
        });
        EXPECT_EQ(accepted, 8);
    });
}

TEST_P(Listeners, within_a_time_wait_for_a_port_in_use) {
    run([]() -> Future<void> {
        Listener first = co_await listen(Address::loopback());
        const Address at = first.local_address().value();
        const auto refused = co_await try_(listen_within(1ms, at));
        EXPECT_EQ(refused.error(), Error(std::errc::address_in_use));
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn([&]() -> Future<void> {
                co_await sleep(1ms);
                first.close();
            });
            const Listener second = co_await listen_within(1min, at);
            EXPECT_EQ(second.local_address().value(), at);
        });
    });
}

TEST_P(Listeners, within_a_time_wait_for_nothing_but_a_port) {
    run([]() -> Future<void> {
        const Address nowhere = Address::ipv4({192, 0, 2, 1}, 0);  // of documents, of no interface
        const Task& task = co_await this_task();
        const Instant start = task.executor().now();
        const auto refused = co_await try_(listen_within(1h, nowhere));
        EXPECT_EQ(refused.error(), Error(std::errc::address_not_available));
        EXPECT_LT(task.executor().now() - start, 1h);
    });
}

}  // namespace
}  // namespace gyre::net
