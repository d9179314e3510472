// SPDX-License-Identifier: Apache-2.0
// NamedPlatform: a platform by its name (epoll, uring, sim), with its clock, and on a real platform
// with a pool for blocking work. The outside of a TestWorld for tests that run on every platform.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/pool/thread_pool.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/sim/virtual_clock.hpp"

namespace gyre::test {

// The system or the build lacks the platform: a test is skipped then.
class PlatformRefused : public std::runtime_error {
public:
    using runtime_error::runtime_error;
};

struct NamedPlatformOptions {
    std::string_view name = "sim";
    std::uint32_t thread_count = 2;  // of the pool of a real platform; 0: no offload on any
    std::size_t queued_count_max = 1024;
    sim::SimOptions sim = {};
};

class NamedPlatform {
public:
    using Options = NamedPlatformOptions;

    explicit NamedPlatform(const Options& options = {}) : has_offload_(options.thread_count > 0) {
        if (options.name == "sim") {
            auto made = std::make_unique<sim::SimPlatform>(virtual_clock, options.sim);
            sim = made.get();
            platform_ = std::move(made);
            return;
        }
        auto made = platform::make_platform(system_clock, options.name);
        if (!made) throw PlatformRefused(made.error().message);
        platform_ = std::move(*made);
        if (!has_offload_) return;
        pool_.emplace(pool::ThreadPoolOptions{.thread_count = options.thread_count,
                                              .queued_count_max = options.queued_count_max});
    }

    [[nodiscard]] Platform& platform() noexcept { return *platform_; }
    [[nodiscard]] bool is_simulated() const noexcept { return sim != nullptr; }
    // Null for a thread_count of 0.
    [[nodiscard]] Offload* offload() noexcept {
        if (sim != nullptr) return has_offload_ ? &sim->offload() : nullptr;
        return pool_ ? &*pool_ : nullptr;
    }

    platform::SystemClock system_clock;
    sim::VirtualClock virtual_clock;
    sim::SimPlatform* sim = nullptr;  // null on a real platform

private:
    const bool has_offload_;
    std::optional<pool::ThreadPool> pool_;
    std::unique_ptr<Platform> platform_;
};

}  // namespace gyre::test
