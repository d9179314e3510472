// SPDX-License-Identifier: Apache-2.0
// A loop on a UringPlatform with options of the test's choice. One thread; lives as long as the
// test. A test begins with GYRE_NEEDS_URING, which skips it if the system refuses io_uring.
#pragma once

#include "gyre/io/environment.hpp"
#include "gyre/platform/internal/uring/uring.hpp"
#include "gyre/platform/io_world.test.hpp"
#include "tests/support/platforms.hpp"

namespace gyre::platform {

inline std::unique_ptr<UringPlatform> uring_for_test(Clock& clock, const UringOptions& options) {
    auto made = UringPlatform::make(clock, options);
    if (!made) throw std::runtime_error("io_uring refused: " + made.error().message());
    return std::move(*made);
}

#define GYRE_NEEDS_URING()                                               \
    do {                                                                 \
        SystemClock probe_clock;                                         \
        const auto probe = UringPlatform::make(probe_clock);             \
        if (!probe) GYRE_SKIP_REFUSED("uring", probe.error().message()); \
    } while (false)

// The outside of a TestWorld: io_uring with these options.
class UringOutside {
public:
    using Options = UringOptions;

    explicit UringOutside(const UringOptions& options) : uring(uring_for_test(clock, options)) {}

    [[nodiscard]] Platform& platform() noexcept { return *uring; }
    [[nodiscard]] static Offload* offload() noexcept { return nullptr; }

    SystemClock clock;
    std::unique_ptr<UringPlatform> uring;
};

class UringWorld : public test::TestWorld<TestApp, UringOutside> {
public:
    explicit UringWorld(const UringOptions& options = {}) : TestWorld(options) {}

    // Enough non-blocking turns for an op to reach the system, however long each of them takes.
    void settle() {
        for (int i = 0; i < 10; ++i) loop.turn(loop.now());
    }
    std::array<Fd, 2> pair() {
        const auto made = platform->environment()->sockets().connection_pair();
        if (!made) throw std::runtime_error("no socket pair: " + made.error().message());
        fds_.insert(fds_.end(), made->begin(), made->end());
        return *made;
    }
    // Two ends of a TCP connection: only TCP sockets use multishot receives.
    std::array<Fd, 2> tcp_pair() {
        Sockets& sockets = platform->environment()->sockets();
        const Fd listener = sockets.listen(Address::loopback(), {}).value();
        const Fd near = sockets.stream(Address::Family::ipv4).value();
        ConnectOp connect(near, sockets.local_address(listener).value());
        AcceptOp accept(listener);
        app.start(accept);
        EXPECT_EQ(run(connect), 0);
        const Fd far = finish(accept);
        EXPECT_GE(far, 0);
        sockets.close_now(listener);
        fds_.insert(fds_.end(), {near, far});
        return {near, far};
    }
    void close_pairs() {
        for (const Fd fd : std::exchange(fds_, {}))
            platform->environment()->sockets().close_now(fd);
    }

    UringPlatform* platform = outside.uring.get();

private:
    std::vector<Fd> fds_;
};

inline void write_to(Fd fd, std::string_view text) {
    EXPECT_EQ(::write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

}  // namespace gyre::platform
