// SPDX-License-Identifier: Apache-2.0
#include "gyre/conform/ground.hpp"

#include "gyre/platform/choose.hpp"

namespace gyre::conform {

std::expected<std::unique_ptr<Ground>, std::string> Ground::make(const std::string& name) {
    std::unique_ptr<Ground> ground(new Ground);
    ground->name_ = name;
    if (name == "sim") {
        ground->platform_ = std::make_unique<sim::SimPlatform>(ground->virtual_clock_);
    } else {
        auto made = platform::make_platform(ground->system_clock_, name);
        if (!made) return std::unexpected(made.error().message);
        ground->platform_ = std::move(*made);
    }
    ground->begin_ = ground->clock().now();
    return ground;
}

Clock& Ground::clock() noexcept {
    if (is_simulated()) return virtual_clock_;
    return system_clock_;
}

void Ground::block(double ms) noexcept {
    if (is_simulated()) {
        virtual_clock_.advance(from_ms(ms));
        return;
    }
    const Instant end = system_clock_.now() + from_ms(ms);
    while (system_clock_.now() < end) {
    }
}

double Ground::passed_ms() noexcept {
    return to_ms(clock().now() - begin_);
}

}  // namespace gyre::conform
