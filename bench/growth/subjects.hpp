// SPDX-License-Identifier: Apache-2.0
// The tables of bench_growth, one a source file of the same name. Called once by main.
#pragma once

#include <vector>

#include "bench/growth/meter.hpp"

namespace gyre::bench {

std::vector<Subject> task_subjects();
std::vector<Subject> descriptor_subjects();
std::vector<Subject> language_subjects();
std::vector<Subject> http_subjects();

}  // namespace gyre::bench
