// SPDX-License-Identifier: Apache-2.0
// Many connections, many of which end abruptly: afterwards no resource is left.
#include <sys/resource.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstdio>

#include "gyre/base/random.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/net/net_world.test.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/detail/frame_pool.hpp"
#include "gyre/task/core/sleep.hpp"
#include "tests/support/platforms.hpp"

namespace gyre::net {
namespace {

using namespace std::chrono_literals;

GYRE_NET_SUITE(Soak);

Future<void> echo(Connection stream) {
    std::array<std::byte, 1024> buffer{};
    for (;;) {
        const auto size = co_await try_(stream.read(buffer));
        if (!size || *size == 0) break;
        const auto answered = co_await try_(stream.write(ConstBytes(buffer).first(*size)));
        if (!answered) break;
    }
}

// Sends a few requests, and closes in a way chosen by the seed.
Future<void> visit(Address at, std::uint64_t seed) {
    Random random(seed);
    auto made = co_await try_(timeout(net::connect(at), 10s));
    if (!made) co_return;
    Connection stream = std::move(*made);
    std::array<std::byte, 3000> buffer{};
    for (std::uint64_t left = random.below(4); left > 0; --left) {
        const ConstBytes request = ConstBytes(buffer).first(1 + random.below(buffer.size()));
        const auto asked = co_await try_(stream.write(request));
        if (!asked) co_return;
        if (random.one_in(4)) break;
        for (std::size_t got = 0; got < request.size();) {
            const auto size = co_await try_(stream.read(buffer));
            if (!size || *size == 0) co_return;
            got += *size;
        }
    }
    switch (random.below(4)) {
        case 0:  // a reset, with answers unread
            static_cast<void>(stream.set_linger(0));
            break;
        case 1:  // a half-close, then the rest is read
            static_cast<void>(co_await try_(stream.finish()));
            for (;;) {
                const auto size = co_await try_(stream.read(buffer));
                if (!size || *size == 0) break;
            }
            break;
        case 2:  // a read that is given up
            static_cast<void>(co_await try_(timeout(stream.read(buffer), 1ms)));
            break;
        default:
            co_await stream.aclose();
            break;
    }
}

Future<void> soak(int visits, std::uint64_t seed) {
    Listener listener = co_await listen(Address::loopback());
    const Address at = listener.local_address().value();
    co_await with_scope([&](Scope& servers) -> Future<void> {
        servers.spawn([&]() -> Future<void> {
            for (;;) servers.spawn(echo, co_await listener.accept());
        });
        co_await with_scope(
            [&](Scope& visitors) -> Future<void> {
                for (int i = 0; i < visits; ++i) {
                    visitors.spawn(visit, at, seed + static_cast<std::uint64_t>(i));
                }
                co_return;
            },
            {.concurrency_max = 32});
        servers.cancel("all have left");
    });
}

TEST_P(Soak, of_disconnects_resets_and_half_closes_leaves_nothing_behind) {
    const bool is_long = std::getenv("GYRE_TEST_LONG") != nullptr;
    const int before = descriptor_count();
    const std::int64_t frames_before = FramePool::live_count();
    for (std::uint64_t seed : {1u, 2u}) {
        run([&]() -> Future<void> { return soak(is_long ? 20'000 : 300, 1000 * seed); });
        EXPECT_EQ(executor().task_count(), 0u);
        EXPECT_EQ(loop().ops_in_flight(), 0u) << loop().describe_ops();
        EXPECT_EQ(descriptor_count(), before);
        EXPECT_EQ(FramePool::live_count(), frames_before);
    }
}

// ---- Ten thousand ----

constexpr std::size_t wanted_count = 10'000;

// The limit of descriptors, raised as far as possible, minus a reserve.
std::size_t possible_count() {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
    return std::min<std::size_t>(wanted_count, limit.rlim_cur - 100);
}

// The client process, with its own loop: opens all connections, sends on each, then exits.
int be_the_clients(int port_pipe, std::size_t count) {
    std::uint16_t port = 0;
    if (::read(port_pipe, &port, sizeof port) != sizeof port) return 1;
    platform::SystemClock clock;
    auto platform = platform::make_platform(clock, "epoll");
    if (!platform) return 2;
    Executor executor;
    Loop loop(**platform, executor);
    std::size_t answered = 0;
    executor.root().spawn([&]() -> Future<void> {
        std::vector<Connection> streams;
        for (std::size_t i = 0; i < count; ++i) {
            streams.push_back(co_await net::connect(Address::loopback(port)));
        }
        std::array<std::byte, 8> buffer{};
        for (const Connection& stream : streams) co_await stream.write(buffer);
        for (const Connection& stream : streams) {
            answered += co_await stream.read(buffer) > 0 ? 1 : 0;
        }
    });
    static_cast<void>(loop.run());
    loop.close();
    return answered == count ? 0 : 3;
}

class Crowd : public NetWorld {};
GYRE_ON_PLATFORMS(Crowd, gyre::test::real_platforms);

TEST_P(Crowd, of_ten_thousand_is_served_by_one_loop) {
    const std::size_t count = possible_count();
    if (count < wanted_count) {
        std::printf("%zu connections instead of %zu: the limit of descriptors\n", count,
                    wanted_count);
    }
    std::array<int, 2> port_pipe{};
    ASSERT_EQ(::pipe(port_pipe.data()), 0);
    // A loop does not survive a fork: the child makes its own and skips the parent's clean-up.
    const pid_t child = ::fork();
    if (child == 0) ::_exit(be_the_clients(port_pipe[0], count));
    std::size_t most = 0;
    run([&]() -> Future<void> {
        Listener listener = co_await listen(Address::loopback(), {.backlog = 4096});
        const std::uint16_t port = listener.local_address().value().port();
        EXPECT_EQ(::write(port_pipe[1], &port, sizeof port), ssize_t{sizeof port});
        co_await with_scope([&](Scope& scope) -> Future<void> {
            for (std::size_t i = 0; i < count; ++i) {
                scope.spawn(echo, co_await listener.accept());
                most = std::max(most, scope.task_count());
            }
        });
    });
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_GE(most, count);
    for (const int fd : port_pipe) ::close(fd);
}

}  // namespace
}  // namespace gyre::net
