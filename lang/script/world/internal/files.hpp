// SPDX-License-Identifier: Apache-2.0
// ScriptFiles: the natives of the module `fs`: fsNow, fsStart and fsTake, and the files that the
// script has opened. The script's thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/future.hpp"
#include "lang/script/script.hpp"
#include "lang/script/world/internal/fs_call.hpp"

namespace gyre::script {

class ScriptFiles {
public:
    ScriptFiles(Script& script, Executor& executor) noexcept
        : script_(script), executor_(executor) {}

    // fsNow(verb, path, other, x, y, z, bytes, fd): "NUMBER TEXT".
    void run_now(NativeCall& call);
    // fsStart(id, verb, path, other, x, y, z, bytes, fd): onDone(id, number, text) follows.
    void start(NativeCall& call);
    // fsTake(id, bytes): copies what a call has read; 0 is the last fsNow.
    void take(NativeCall& call);

private:
    // The call whose first argument has this index; empty: it has ended already, with `number`.
    [[nodiscard]] FsCall read_call(NativeCall& call, std::size_t first);
    [[nodiscard]] bool run_on_standard(NativeCall& call, std::size_t first, FsCall& made);
    void finish(FsCall& call);
    [[nodiscard]] Future<void> run_elsewhere(double id, std::unique_ptr<FsCall> call);
    [[nodiscard]] FileTree* tree() const;
    [[nodiscard]] FileCalls* calls() const;

    Script& script_;
    Executor& executor_;
    std::map<Fd, std::shared_ptr<OpenFile>> open_;
    std::map<double, std::vector<std::byte>> read_;
    std::string input_;  // of standard input, read and not taken
};

}  // namespace gyre::script
