// SPDX-License-Identifier: Apache-2.0
// PlatformSetup: a platform by name with its clock, for one scenario on one of gyre's own adapters.
// One thread; owned by the adapter.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "gyre/platform/system_clock.hpp"
#include "gyre/sim/platform.hpp"

namespace gyre::conform {

class PlatformSetup {
public:
    // "sim" or a platform of this machine. The error says why it is not available.
    [[nodiscard]] static std::expected<std::unique_ptr<PlatformSetup>, std::string> make(
        const std::string& name);

    [[nodiscard]] Platform& platform() noexcept { return *platform_; }
    [[nodiscard]] Clock& clock() noexcept;
    [[nodiscard]] bool is_simulated() const noexcept { return platform_->is_simulated(); }
    [[nodiscard]] sim::VirtualClock& virtual_clock() noexcept { return virtual_clock_; }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    // Keeps the thread busy for this time, like a slow callback.
    void block(double ms) noexcept;
    [[nodiscard]] double passed_ms() noexcept;

private:
    PlatformSetup() = default;

    std::string name_;
    platform::SystemClock system_clock_;
    sim::VirtualClock virtual_clock_;
    std::unique_ptr<Platform> platform_;
    Instant begin_;
};

[[nodiscard]] constexpr Duration from_ms(double ms) noexcept {
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(ms));
}
[[nodiscard]] constexpr double to_ms(Duration time) noexcept {
    return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace gyre::conform
