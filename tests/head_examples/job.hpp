// SPDX-License-Identifier: Apache-2.0
// What the examples of gyre/job take for granted.
#pragma once

#include "tests/head_examples/common.hpp"

namespace gyre::job_examples {

extern Clock& clock;
extern job::Host& host;

namespace promise_hpp {
extern job::Scheduler& scheduler;
}
namespace pump_hpp {
extern job::Scheduler& scheduler;
extern Platform* platform;
}  // namespace pump_hpp

}  // namespace gyre::job_examples
