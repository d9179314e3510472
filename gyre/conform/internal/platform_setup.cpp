// SPDX-License-Identifier: Apache-2.0
#include "gyre/conform/internal/platform_setup.hpp"

#include "gyre/platform/choose.hpp"

namespace gyre::conform {

std::expected<std::unique_ptr<PlatformSetup>, std::string> PlatformSetup::make(
    const std::string& name) {
    std::unique_ptr<PlatformSetup> setup(new PlatformSetup);
    setup->name_ = name;
    if (name == "sim") {
        setup->platform_ = std::make_unique<sim::SimPlatform>(setup->virtual_clock_);
    } else {
        auto made = platform::make_platform(setup->system_clock_, name);
        if (!made) return std::unexpected(made.error().message);
        setup->platform_ = std::move(*made);
    }
    setup->begin_ = setup->clock().now();
    return setup;
}

Clock& PlatformSetup::clock() noexcept {
    if (is_simulated()) return virtual_clock_;
    return system_clock_;
}

void PlatformSetup::block(double ms) noexcept {
    if (is_simulated()) {
        virtual_clock_.advance(from_ms(ms));
        return;
    }
    const Instant end = system_clock_.now() + from_ms(ms);
    while (system_clock_.now() < end) {
    }
}

double PlatformSetup::passed_ms() noexcept {
    return to_ms(clock().now() - begin_);
}

}  // namespace gyre::conform
