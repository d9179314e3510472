// SPDX-License-Identifier: Apache-2.0
// What the tests of handles share: a PhasedLoop on a platform chosen by name, real or simulated,
// and the macro that runs a test on each of them. One thread; lives as long as the test.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "gyre/handle/phased_loop.hpp"
#include "tests/support/named_platform.hpp"

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

// A handle that is closed at the end of its scope, whatever state the test left it in, and with it
// all others of its loop.
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
        if (!base.is_linked()) return;
        // All of them: what the others' callbacks use may be gone already.
        base.loop().walk([](handle::Handle& each) {
            if (!each.is_closing()) each.close();
        });
        // Given up after a while: then the handle itself says that it is freed while it is open.
        for (int left = rounds_max; base.is_linked() && left > 0; --left) {
            base.loop().run(handle::RunMode::no_wait);
        }
    }

    [[nodiscard]] T* operator->() noexcept { return &handle_; }
    [[nodiscard]] T& operator*() noexcept { return handle_; }

private:
    static constexpr int rounds_max = 20'000'000;

    T handle_;
};

// The platforms that this build knows.
inline std::vector<std::string> real_platforms() {
    std::vector<std::string> names = {"epoll"};
    platform::SystemClock clock;
    const auto uring = platform::make_platform(clock, "uring");
    if (uring) names.emplace_back("uring");
    return names;
}
inline std::vector<std::string> all_platforms() {
    std::vector<std::string> names = real_platforms();
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
#define GYRE_HANDLES_EVERYWHERE(Suite) GYRE_HANDLES_ON(Suite, gyre::test::all_platforms())
#define GYRE_HANDLES_FOR_REAL(Suite) GYRE_HANDLES_ON(Suite, gyre::test::real_platforms())

}  // namespace gyre::test
