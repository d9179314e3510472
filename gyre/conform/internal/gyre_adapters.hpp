// SPDX-License-Identifier: Apache-2.0
// gyre's own adapters for the tables: the kernel, the handles (gyre::handle), the jobs and the
// effects. One thread; an adapter lives for one scenario. A far echo of the kernel runs on its own
// loop and thread; in simulated time, on its own loop of the same simulation.
#pragma once

#include <memory>

#include "gyre/conform/effects.hpp"
#include "gyre/conform/internal/platform_setup.hpp"
#include "gyre/conform/jobs.hpp"
#include "gyre/conform/kernel.hpp"
#include "gyre/conform/loop.hpp"
#include "gyre/job/scheduler.hpp"

namespace gyre::conform {

[[nodiscard]] std::unique_ptr<KernelAdapter> make_gyre_kernel(std::unique_ptr<PlatformSetup> setup);
[[nodiscard]] std::unique_ptr<LoopAdapter> make_gyre_loop(std::unique_ptr<PlatformSetup> setup);
[[nodiscard]] std::unique_ptr<JobsAdapter> make_gyre_jobs(std::unique_ptr<PlatformSetup> setup,
                                                          const job::SchedulerOptions& options);
// Without `make` its guests are C++ objects.
[[nodiscard]] std::unique_ptr<EffectsAdapter> make_gyre_effects(
    std::unique_ptr<PlatformSetup> setup, MakeEffectGuest make = {});

}  // namespace gyre::conform
