// SPDX-License-Identifier: Apache-2.0
// A loop on the platform that a test runs on, with its clock, its Offload and an app machine. The
// tests use only this header and no system calls, so that they mean the same on every platform;
// both sides of a connection are driven by ops. One thread; lives as long as the test.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/io/environment.hpp"
#include "gyre/io/file_ops.hpp"
#include "gyre/io/socket_ops.hpp"
#include "gyre/kernel/loop.hpp"
#include "tests/support/named_platform.hpp"
#include "tests/support/platforms.hpp"
#include "tests/support/test_app.hpp"
#include "tests/support/test_world.hpp"

namespace gyre::test {

constexpr std::int32_t cancelled_result = failure(std::errc::operation_canceled);

struct WorldOptions {
    LoopOptions loop = {};
    std::size_t queued_work_max = 1024;
};

class World : public TestWorld<TestApp, NamedPlatform> {
public:
    // Null if the machine or the build lacks the platform; `refusal` says why.
    static std::unique_ptr<World> make(std::string_view name, const WorldOptions& options,
                                       std::string& refusal);
    World(std::string_view name, const WorldOptions& options);
    ~World();

    [[nodiscard]] Loop& loop() { return TestWorld::loop; }
    [[nodiscard]] Platform& platform() { return outside.platform(); }
    [[nodiscard]] Sockets& sockets() { return platform().environment()->sockets(); }
    [[nodiscard]] bool is_simulated() const { return outside.is_simulated(); }
    // The process gets a signal.
    void raise(int signal_number);

    // One turn. Ends a test that waits for an event that never comes, instead of hanging.
    void turn();
    // Turns until the op is completed, and returns its result.
    std::int32_t finish(Op& op);
    std::int32_t run(Op& op);
    std::int32_t cancel(Op& op);
    // Long enough for an op to reach the platform and be tried, and for bytes to arrive.
    void settle();
    void turn_until_rung(const Op& op, std::size_t times = 1);
    [[nodiscard]] std::size_t rings_of(const Op& op) const;
    [[nodiscard]] std::size_t completions_of(const Op& op) const;
    // The ops of this list that have completed, in the order of their completions.
    [[nodiscard]] std::vector<const Op*> order_of(const std::vector<const Op*>& ops) const;

    // Each of these runs one op to completion.
    void close(Fd fd);
    std::int32_t send(Fd fd, std::string_view text);
    // The bytes of one receive; empty at the end of the stream.
    std::string receive(Fd fd, std::size_t size_max = 4096);
    Fd open(const std::string& path, OpenOptions options);

    [[nodiscard]] Fd listen(const Address& at = Address::loopback(), ListenOptions options = {});
    [[nodiscard]] Fd stream(Address::Family family = Address::Family::ipv4);
    [[nodiscard]] Address address_of(Fd fd);
    // Two stream sockets connected over TCP: the client's and the server's.
    [[nodiscard]] std::array<Fd, 2> connected();
    // Sends until the system accepts no more: `op` is pending then. Returns the number of bytes
    // accepted before.
    std::size_t fill(Fd fd, SendOp& op);

    // A path for a file of this test, and an address that leaves no file behind.
    [[nodiscard]] std::string file_path(std::string_view name = "file");
    [[nodiscard]] static Address unix_address(std::string_view name);

private:
    std::vector<std::string> files_;
};

// Two connected stream sockets, closed with the test.
struct Pair {
    explicit Pair(World& in);
    ~Pair();
    void close_near();
    void close_far();
    void write_far(std::string_view text) const;

    World& world;
    Fd near;
    Fd far;
};

// A test that runs on every platform, with `world` set up.
class OnPlatform : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override { make_world({}); }
    void make_world(const WorldOptions& options);

    std::unique_ptr<World> world;
};

#define GYRE_ON_EACH_PLATFORM(Suite)    \
    class Suite : public OnPlatform {}; \
    GYRE_ON_PLATFORMS(Suite, gyre::test::every_platform)

}  // namespace gyre::test
