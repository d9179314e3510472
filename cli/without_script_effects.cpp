// SPDX-License-Identifier: Apache-2.0
// gyre:effects in a build without a WebAssembly engine: the module is not there.
#include "cli/script_effects.hpp"

namespace gyre::cli {

std::shared_ptr<void> add_script_effects(script::Script& /*script*/, Executor& /*executor*/,
                                         Program& /*program*/, const RunRequest& /*request*/) {
    return nullptr;
}

std::string effects_main(const RunRequest& /*request*/) {
    return {};
}

}  // namespace gyre::cli
