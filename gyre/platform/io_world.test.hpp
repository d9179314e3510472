// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of platforms: a loop on a real platform, chosen by name, with an app machine
// that the test controls. One thread; lives as long as the test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/io/environment.hpp"
#include "gyre/io/io_ops.hpp"
#include "tests/support/named_platform.hpp"
#include "tests/support/platforms.hpp"
#include "tests/support/test_app.hpp"
#include "tests/support/test_world.hpp"

namespace gyre::platform {

using test::TestApp;

class IoWorld : public test::TestWorld<TestApp, test::NamedPlatform> {
public:
    explicit IoWorld(std::string_view platform_name = "epoll", LoopOptions options = {})
        : TestWorld({.name = platform_name}, options) {}

    [[nodiscard]] Platform& platform() { return outside.platform(); }
    [[nodiscard]] Sockets& sockets() { return platform().environment()->sockets(); }

    // Enough turns for an op to reach the platform and be tried, without waiting for its end. Three
    // pauses: on a busy machine one may be over before the platform has asked the system.
    void settle() {
        for (int i = 0; i < 3; ++i) {
            TimerOp pause(platform().now() + std::chrono::milliseconds(1));
            run(pause);
        }
    }
    [[nodiscard]] std::size_t rings_of(const Op& op) const {
        return static_cast<std::size_t>(std::count(app.rung.begin(), app.rung.end(), &op));
    }
    void turn_until_rung(const Op& op, std::size_t times = 1) {
        while (rings_of(op) < times) loop.turn();
    }
    void close(Fd fd) {
        CloseOp op(fd);
        EXPECT_EQ(run(op), 0);
    }
};

// Two connected stream sockets.
struct Pair {
    explicit Pair(IoWorld& in) : world(in) {
        const auto made = world.sockets().connection_pair();
        if (!made) throw std::runtime_error("no socket pair: " + made.error().message());
        near = (*made)[0];
        far = (*made)[1];
    }
    ~Pair() {
        if (near >= 0) world.sockets().close_now(near);
        if (far >= 0) world.sockets().close_now(far);
    }
    void close_far() { world.sockets().close_now(std::exchange(far, -1)); }
    void write_far(std::string_view text) const {
        EXPECT_EQ(::write(far, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    // Reads what has arrived at the far end, up to a size.
    [[nodiscard]] std::string read_far(std::size_t size_max = 4096) const {
        std::string text(size_max, '\0');
        const ssize_t count = ::read(far, text.data(), text.size());
        text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
        return text;
    }

    IoWorld& world;
    Fd near;
    Fd far;
};

// A test that runs on every real platform.
class OnEachPlatform : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        SystemClock clock;
        const auto made = make_platform(clock, GetParam());
        if (!made) GYRE_SKIP_REFUSED(GetParam(), made.error().message);
    }
};

#define GYRE_ON_EACH_PLATFORM(Suite)        \
    class Suite : public OnEachPlatform {}; \
    GYRE_ON_PLATFORMS(Suite, gyre::test::real_platforms)

constexpr std::int32_t cancelled_result = failure(std::errc::operation_canceled);

}  // namespace gyre::platform
