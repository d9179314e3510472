// SPDX-License-Identifier: Apache-2.0
// gyre run FILE.js in a build without a JavaScript engine: it refuses.
#include "cli/run.hpp"
#include "cli/usage.hpp"

namespace gyre::cli {

ExitCode run_script(const RunRequest& /*request*/) {
    throw UsageError("this build has no JavaScript engine; run ./dev setup and build again");
}

}  // namespace gyre::cli
