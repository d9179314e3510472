// SPDX-License-Identifier: Apache-2.0
// gyre's own adapter for the tables of jobs. One thread, one scenario.
#pragma once

#include <memory>

#include "gyre/conform/ground.hpp"
#include "gyre/conform/jobs.hpp"
#include "gyre/job/options.hpp"

namespace gyre::conform {

[[nodiscard]] std::unique_ptr<JobsAdapter> make_gyre_jobs(std::unique_ptr<Ground> ground,
                                                          const job::SchedulerOptions& options);

}  // namespace gyre::conform
