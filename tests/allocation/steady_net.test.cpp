// SPDX-License-Identifier: Apache-2.0
// An echo between two tasks in steady state allocates nothing: the awaiters are the ops.
#include <gtest/gtest.h>

#include <array>

#include "gyre/net/buffered.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/task/core/scope.hpp"
#include "tests/allocation/counting.hpp"
#include "tests/support/platforms.hpp"

namespace gyre::allocation {
namespace {

constexpr int warm_up_rounds = 200;
constexpr int rounds = 2'000;

class NetMemory : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        if (!has_pools) GTEST_SKIP() << "a sanitizer watches the memory";
    }
};
GYRE_ON_PLATFORMS(NetMemory, gyre::test::real_platforms);

Future<void> echo(net::Connection stream) {
    std::array<std::byte, 4096> buffer{};
    while (const std::size_t size = co_await stream.read(buffer)) {
        co_await stream.write(ConstBytes(buffer).first(size));
    }
}

// What `rounds` of asking cost after the warm-up, both sides counted.
template <class Ask>
std::uint64_t allocations_of(const char* platform_name, Ask ask) {
    platform::SystemClock clock;
    auto platform = platform::make_platform(clock, platform_name);
    if (!platform) return 0;
    Executor executor;
    Loop loop(**platform, executor);
    std::uint64_t count = 1;
    executor.root().spawn([&]() -> Future<void> {
        net::Listener listener = co_await net::listen(Address::loopback());
        net::Connection client = co_await net::connect(listener.local_address().value());
        executor.root().spawn(echo, co_await listener.accept());
        net::Reader reader(client);
        net::Writer writer(client);
        for (int i = 0; i < warm_up_rounds; ++i) co_await ask(client, reader, writer);
        const Since since;
        for (int i = 0; i < rounds; ++i) co_await ask(client, reader, writer);
        count = since.count();
    });
    (void)loop.run();
    loop.close();
    return count;
}

TEST_P(NetMemory, of_an_echo_is_reused) {
    // clause: K15
    EXPECT_EQ(
        allocations_of(GetParam(),
                       [](net::Connection& client, net::Reader&, net::Writer&) -> Future<void> {
                           std::array<std::byte, 64> buffer{};
                           co_await client.write(buffer);
                           for (std::size_t size = 0; size < buffer.size();) {
                               size += co_await client.read(buffer);
                           }
                       }),
        0u);
}

TEST_P(NetMemory, of_lines_through_buffers_is_reused) {
    EXPECT_EQ(allocations_of(
                  GetParam(),
                  [](net::Connection&, net::Reader& reader, net::Writer& writer) -> Future<void> {
                      co_await writer.write("a line\n");
                      co_await writer.flush();
                      static_cast<void>(co_await reader.read_line());
                  }),
              0u);
}

TEST_P(NetMemory, of_vectored_writes_is_reused) {
    EXPECT_EQ(
        allocations_of(GetParam(),
                       [](net::Connection& client, net::Reader&, net::Writer&) -> Future<void> {
                           std::array<std::byte, 64> buffer{};
                           std::array pieces{ConstBytes(buffer).first(10),
                                             ConstBytes(buffer).subspan(10)};
                           co_await client.write_pieces(pieces);
                           for (std::size_t size = 0; size < buffer.size();) {
                               size += co_await client.read(buffer);
                           }
                       }),
        0u);
}

}  // namespace
}  // namespace gyre::allocation
