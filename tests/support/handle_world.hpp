// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of handles: a PhasedLoop on a platform chosen by name, real or simulated, and
// the macro that runs a test on each of them. One thread; lives as long as the test.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "gyre/handle/phased_loop.hpp"
#include "tests/support/named_platform.hpp"
#include "tests/support/platforms.hpp"

namespace gyre::test {

using namespace std::chrono_literals;

class HandleWorld {
public:
    explicit HandleWorld(std::string_view name = "sim", std::uint32_t thread_count = 2)
        : outside_({.name = name, .thread_count = thread_count}),
          loop_(outside_.platform(), {.offload = outside_.offload()}) {}
    // What a test leaves open is closed here, so that every test also tests closing.
    ~HandleWorld() {
        loop_.walk([](handle::Handle& handle) {
            if (!handle.is_closing()) handle.close();
        });
        loop_.run();
        EXPECT_FALSE(loop_.is_alive());
        EXPECT_TRUE(loop_.close().has_value());
        EXPECT_EQ(loop_.ops_in_flight(), 0u);
    }

    [[nodiscard]] handle::PhasedLoop& loop() noexcept { return loop_; }
    [[nodiscard]] Platform& platform() noexcept { return outside_.platform(); }
    [[nodiscard]] bool is_real() const noexcept { return simulated == nullptr; }

private:
    NamedPlatform outside_;
    handle::PhasedLoop loop_;

public:
    sim::VirtualClock& virtual_clock = outside_.virtual_clock;
    sim::SimPlatform* simulated = outside_.sim;  // null on a real platform
};

// A handle that is closed at the end of its scope, in whatever state the test left it, together
// with all others of its loop.
template <class T>
class Live {
public:
    template <class... Args>
    explicit Live(handle::PhasedLoop& loop, Args&&... args)
        : handle_(loop, std::forward<Args>(args)...) {}
    Live(const Live&) = delete;
    Live& operator=(const Live&) = delete;
    ~Live() {
        handle::Handle& base = handle_;
        if (!base.must_be_closed()) return;
        // All of them: objects that the other handles' callbacks use may be destroyed already.
        base.loop().walk([](handle::Handle& each) {
            if (!each.is_closing()) each.close();
        });
        // Limited: if the handle is still open afterwards, its destructor reports that.
        for (int left = rounds_max; base.must_be_closed() && left > 0; --left) {
            base.loop().run(handle::RunMode::no_wait);
        }
    }

    [[nodiscard]] T* operator->() noexcept { return &handle_; }
    [[nodiscard]] T& operator*() noexcept { return handle_; }

private:
    static constexpr int rounds_max = 20'000'000;

    T handle_;
};

// The platforms that this build has, or that the environment demands.
inline std::vector<std::string> real_platforms_here() {
    std::vector<std::string> names;
    platform::SystemClock clock;
    for (const char* name : real_platforms) {
        if (is_required(name) || platform::make_platform(clock, name)) names.emplace_back(name);
    }
    return names;
}
inline std::vector<std::string> every_platform_here() {
    std::vector<std::string> names = real_platforms_here();
    names.emplace_back("sim");
    return names;
}

#define GYRE_HANDLES_ON(Suite, names)                                    \
    class Suite : public testing::TestWithParam<std::string> {           \
    protected:                                                           \
        gyre::test::HandleWorld world{GetParam()};                       \
        gyre::handle::PhasedLoop& loop = world.loop();                   \
    };                                                                   \
    INSTANTIATE_TEST_SUITE_P(platforms, Suite, testing::ValuesIn(names), \
                             [](const auto& test) { return test.param; })
#define GYRE_HANDLES_EVERYWHERE(Suite) GYRE_HANDLES_ON(Suite, gyre::test::every_platform_here())
#define GYRE_HANDLES_FOR_REAL(Suite) GYRE_HANDLES_ON(Suite, gyre::test::real_platforms_here())

}  // namespace gyre::test
