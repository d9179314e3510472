// SPDX-License-Identifier: Apache-2.0
// What the examples of gyre/kernel take for granted.
#pragma once

#include "gyre/pool/pools.hpp"
#include "tests/head_examples/common.hpp"

namespace gyre::kernel_examples {

extern Clock& clock;
extern Machine& app;
extern Instant now;
void submit(Op& op);  // as Machine::submit

namespace loop_hpp {
extern Platform& platform;
}
namespace observer_hpp {
extern Platform& platform;
}
namespace offload_hpp {
extern Platform& platform;
}

}  // namespace gyre::kernel_examples
