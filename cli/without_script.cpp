// SPDX-License-Identifier: Apache-2.0
// gyre run FILE.js in a build without a JavaScript engine: it refuses, and the tour says so.
#include "cli/conform_engines.hpp"
#include "cli/repl.hpp"
#include "cli/run.hpp"
#include "cli/tour/stage.hpp"
#include "cli/usage.hpp"

namespace gyre::cli {

ExitCode run_script(const RunRequest& /*request*/) {
    throw UsageError("this build has no JavaScript engine; run ./dev setup and build again");
}

conform::Results conform_script(const std::string& /*engine*/,
                                const std::vector<std::string>& /*platforms*/) {
    throw UsageError("this build has no JavaScript engine; run ./dev setup and build again");
}

std::unique_ptr<ReplLanguage> make_script_repl(gyre::Program& /*program*/, std::string /*engine*/) {
    throw UsageError("this build has no JavaScript engine; run ./dev setup and build again");
}

bool show_script(const Stage& stage) {
    stage.page.say("This build has no JavaScript engine: ./dev setup installs V8.");
    return true;
}

}  // namespace gyre::cli
