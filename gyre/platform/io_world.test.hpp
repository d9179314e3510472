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
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/pool/thread_pool.hpp"
#include "tests/support/test_app.hpp"

namespace gyre::platform {

using test::TestApp;

inline std::unique_ptr<Platform> platform_for_test(Clock& clock, std::string_view name) {
    auto made = make_platform(clock, name);
    if (!made) throw std::runtime_error(made.error().message);
    return std::move(*made);
}

class IoWorld {
public:
    explicit IoWorld(std::string_view platform_name = "epoll", LoopOptions options = {})
        : pool_({.thread_count = 2}),
          platform_(platform_for_test(clock_, platform_name)),
          loop(*platform_, app, with_pool(options)) {}
    ~IoWorld() { loop.close(); }

    [[nodiscard]] Platform& platform() { return *platform_; }
    [[nodiscard]] Sockets& sockets() { return platform_->environment()->sockets(); }

    // Turns until the op is completed, and returns its result.
    std::int32_t finish(Op& op) {
        while (op.is_in_flight()) loop.turn();
        return op.result();
    }
    std::int32_t run(Op& op) {
        app.start(op);
        return finish(op);
    }
    std::int32_t cancel(Op& op) {
        app.stop(op);
        return finish(op);
    }
    // Enough turns for an op to reach the platform and be tried, without waiting for its
    // completion. Three sleeps: on a busy machine the interval may be over before the platform has
    // polled the system.
    void settle() {
        for (int i = 0; i < 3; ++i) {
            TimerOp pause(platform_->now() + std::chrono::milliseconds(1));
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

private:
    SystemClock clock_;
    pool::ThreadPool pool_;
    std::unique_ptr<Platform> platform_;

    LoopOptions with_pool(LoopOptions options) {
        options.offload = &pool_;
        return options;
    }

public:
    TestApp app;
    Loop loop;
};

// Two connected stream sockets.
struct Pair {
    explicit Pair(IoWorld& in) : world(in) {
        const auto made = world.sockets().stream_pair();
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

// A test that runs on every platform.
class OnEachPlatform : public testing::TestWithParam<const char*> {};

#define GYRE_ON_EACH_PLATFORM(Suite)                                     \
    class Suite : public OnEachPlatform {};                              \
    INSTANTIATE_TEST_SUITE_P(platforms, Suite, testing::Values("epoll"), \
                             [](const auto& test) { return std::string(test.param); })

constexpr std::int32_t cancelled_result = failure(std::errc::operation_canceled);

}  // namespace gyre::platform
