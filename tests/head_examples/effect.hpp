// SPDX-License-Identifier: Apache-2.0
// What the examples of gyre/effect take for granted.
#pragma once

#include "tests/head_examples/common.hpp"

namespace gyre::effect_examples {

using namespace gyre::effect;
struct Async {
    static constexpr ResumeOp<int(int)> await{"com.example.async", "await"};
    static constexpr ResumeOp<std::string(std::string)> fetch{"com.example.async", "fetch"};
};
extern Executor& executor;
extern Guest& guest;
extern Handlers& handlers;
void use(int value);
void use(std::size_t size);
Future<std::string> download(std::string url);
Effectful<int> fetch_part(int index);

namespace journal_hpp {
extern Scheduler& scheduler;
}
namespace run_outcome_hpp {
extern RunHandle<int> run;
}

}  // namespace gyre::effect_examples
