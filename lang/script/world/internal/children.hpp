// SPDX-License-Identifier: Apache-2.0
// ScriptChildren: the natives of the module `child_process`: child processes and their ends. The
// pipes to a child are sockets (ScriptSockets::pair), as in Node. The script's thread.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gyre/io/children.hpp"
#include "gyre/task/core/detail/open_descriptor.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/future.hpp"
#include "lang/script/script.hpp"

namespace gyre::script {

class ScriptChildren {
public:
    // Of the children of a script that run at once; one more is EAGAIN.
    static constexpr std::size_t count_max = 4096;

    ScriptChildren(Script& script, Executor& executor) noexcept
        : script_(script), executor_(executor) {}
    // Kills those that run, without those that are detached or that the script has let go of.
    ~ScriptChildren();
    ScriptChildren(const ScriptChildren&) = delete;
    ScriptChildren& operator=(const ScriptChildren&) = delete;

    // childStart(id, program, argv[0], arguments, environment, folder, descriptors, own session,
    // user, group): the process id, or a negative error, or the refusal of a sandbox as a text.
    // Blocks until the program is loaded, so that errors and the process id are there at once.
    // onDone(id, exit code, signal) follows. Texts of several end with NUL each; `descriptors` has for
    // each number of the child "i" (the same of this process), "n" (nothing), a descriptor, or "p" and
    // a descriptor that is closed here. A user or group below 0: that of this process.
    void start(NativeCall& call);
    // childRun(the same without the id, bytes of input, milliseconds or 0, size of each output,
    // signal): blocks until the child has ended. "PID CODE SIGNAL LIMIT SIZE SIZE", or "-ERROR", or
    // "P" and a refusal. childTake(1 or 2, bytes) gets the outputs.
    void run(NativeCall& call);
    void take(NativeCall& call);
    // childKill(id, signal): 0, or a negative error.
    void kill(NativeCall& call);
    // childRefer(id, whether it keeps the loop alive)
    void refer(NativeCall& call);

private:
    struct Child {
        int pid = 0;
        OpenDescriptor exit;  // readable once it has ended
        bool is_detached = false;
        bool is_referenced = true;
    };
    using Shared = std::shared_ptr<Child>;

    // Of the arguments from `first` on. The refusal of a sandbox; empty: none.
    [[nodiscard]] std::string read_plan(NativeCall& call, std::size_t first, SpawnPlan& plan,
                                        std::vector<Fd>& passed);
    void close_all(const std::vector<Fd>& passed) noexcept;
    [[nodiscard]] Children* system() noexcept;
    [[nodiscard]] Future<void> await_end(double id, Shared child);

    Script& script_;
    Executor& executor_;
    Children* system_ = nullptr;  // from the first call on, also when the loop is gone
    std::map<double, Shared> children_;
    std::array<std::string, 2> outputs_;  // of the last run
};

}  // namespace gyre::script
