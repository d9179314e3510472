// SPDX-License-Identifier: Apache-2.0
// ManualPlatform: a platform that serves nothing and never waits, and whose time is a number that
// the case sets: what is left to measure is the loop. Belongs to one loop's thread and outlives it.
#pragma once

#include "gyre/kernel/platform.hpp"
#include "gyre/platform/socket_calls.hpp"

namespace gyre::bench {

class ManualPlatform final : public Platform {
public:
    ManualPlatform() : Platform("manual") {}

    Instant wait(Instant) noexcept override { return time; }
    void wake() noexcept override {}
    Instant now() noexcept override { return time; }
    bool is_simulated() const noexcept override { return true; }
    Sockets& sockets() noexcept override { return sockets_; }

    Instant time;

protected:
    void tick(Instant) override {}

private:
    class NoSockets final : public platform::SystemSockets {
        void forget(Fd) noexcept override {}
    };
    NoSockets sockets_;
};

}  // namespace gyre::bench
