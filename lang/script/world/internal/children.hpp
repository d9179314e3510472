// SPDX-License-Identifier: Apache-2.0
// ScriptChildren: the natives of the module `child_process`: child processes, their pipes and their
// ends. The script's thread.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "gyre/process/process.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/future.hpp"
#include "gyre/task/sync/event.hpp"
#include "lang/script/script.hpp"

namespace gyre::script {

class ScriptChildren {
public:
    ScriptChildren(Script& script, Executor& executor) noexcept
        : script_(script), executor_(executor) {}

    // childStart(id, program, arguments, environment, folder, streams, has own group): the event S
    // with the process id, then onDone with the exit code and "C SIGNAL"; or "E" with the error.
    // Texts of several end with NUL each; `streams` has a letter for each of three: i, n or p.
    void start(NativeCall& call);
    // childRead(done id, id, 1 or 2): onDone(done id, size); childTake(done id, bytes). 0: the end.
    void read(NativeCall& call);
    void take(NativeCall& call);
    // childWrite(done id, id, bytes); without bytes it closes the child's input.
    void write(NativeCall& call);
    // childDrop(id): nothing of it is read or written any more.
    void drop(NativeCall& call);
    // childKill(id, signal): 0, or the number of the error.
    void kill(NativeCall& call);

private:
    struct Child {
        std::unique_ptr<process::Process> process;  // null before the start, and if that fails
        Event has_started;                          // or failed
    };
    using Shared = std::shared_ptr<Child>;

    [[nodiscard]] Future<void> run(double id, std::unique_ptr<process::Command> command,
                                   Shared child);
    [[nodiscard]] Future<void> read_part(double done_id, Shared child, bool is_error);
    [[nodiscard]] Future<void> write_part(double done_id, Shared child, std::string data);
    [[nodiscard]] Shared find(double id) const;

    Script& script_;
    Executor& executor_;
    std::map<double, Shared> children_;
    std::map<double, std::string> read_;
};

}  // namespace gyre::script
