// SPDX-License-Identifier: Apache-2.0
// ScriptNames: the native of the module `dns`. The script's thread.
#pragma once

#include <string>

#include "gyre/net/resolver.hpp"
#include "gyre/task/core/executor.hpp"
#include "lang/script/script.hpp"

namespace gyre::script {

class ScriptNames {
public:
    ScriptNames(Script& script, Executor& executor) noexcept
        : script_(script), executor_(executor) {}

    // nameFind(id, name, 0, 4 or 6): onDone(id, count, addresses), each with a NUL behind it.
    void find(NativeCall& call);

private:
    [[nodiscard]] Future<void> find_later(double id, std::string name, int family);

    Script& script_;
    Executor& executor_;
    net::Resolver resolver_;
};

}  // namespace gyre::script
