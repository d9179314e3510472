// SPDX-License-Identifier: Apache-2.0
// ScriptInspection: gyre run --inspect: a debugger for the script, served on a thread of its own. Does nothing
// without the option. The script's thread.
#pragma once

#include <memory>

#include "cli/run.hpp"

namespace gyre::script {
class Script;
class System;
}  // namespace gyre::script

namespace gyre::cli {

class ScriptInspection {
public:
    // Throws a UsageError if the engine has no debugger, or the port cannot be used.
    ScriptInspection(script::Script& script, script::System& system, const RunRequest& request);
    ~ScriptInspection();
    ScriptInspection(const ScriptInspection&) = delete;
    ScriptInspection& operator=(const ScriptInspection&) = delete;

    // With --inspect-brk, before the script starts.
    void wait_for_client();
    // The script has ended.
    void end();

private:
    struct Server;
    std::unique_ptr<Server> server_;
    const bool waits_;
};

}  // namespace gyre::cli
