// SPDX-License-Identifier: Apache-2.0
// ScriptWatches: the natives of fs.watch. The script's thread.
#pragma once

#include <map>
#include <string>

#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/future.hpp"
#include "gyre/task/core/scope.hpp"
#include "lang/script/script.hpp"

namespace gyre::script {

class ScriptWatches {
public:
    ScriptWatches(Script& script, Executor& executor) noexcept
        : script_(script), executor_(executor) {}

    // watchStart(id, path, recursive): events of this id follow: W when it
    // watches, then "R NAME" (a name came or went) and "M NAME" (a file has changed), NAME below the
    // path. The end is onDone: a negative number is an error, "D" a refused path.
    void start(NativeCall& call);
    void stop(NativeCall& call);

private:
    [[nodiscard]] Future<void> watch(double id, std::string path, bool is_recursive);

    Script& script_;
    Executor& executor_;
    std::map<double, TaskHandle<void>> tasks_;
};

}  // namespace gyre::script
