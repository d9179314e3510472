// SPDX-License-Identifier: Apache-2.0
// TaskReport: what a person reads about tasks: who waits on what and where, and how a task failed.
// On the executor's thread; a report is a plain string. It looks, and changes nothing.
#pragma once

#include <cstddef>
#include <exception>
#include <span>
#include <string>

namespace gyre {

class Executor;
class Scope;
class Task;

class TaskReport {
public:
    // A scope lists so many tasks, then how many there are besides.
    static constexpr std::size_t tasks_of_scope_max = 100;

    // The tree of scopes and tasks, as Executor::dump_tasks gives it.
    [[nodiscard]] static std::string tasks(const Executor& executor);
    // One line "task 'x' failed: why", then the awaits that the failure came through, innermost
    // first.
    [[nodiscard]] static std::string failure(const Task& task, const std::exception_ptr& why);
    // The task that runs and its last await, in one line without an end. Reads and copies only, so
    // that a signal handler on the executor's thread may ask. Gives how much it wrote.
    static std::size_t running(const Executor& executor, std::span<char> into) noexcept;

    // What a std::exception says, or that it is none.
    [[nodiscard]] static std::string text_of(const std::exception_ptr& why);
    // A line in the log for a failure that nobody else tells of; none where it was cancelled.
    static void log_unseen(const Task& task, const std::exception_ptr& why) noexcept;

    // A task of `scope` failed with `why`: the trail of that goes on where the scope's owner waits.
    static void pass_trail_on(const Scope& scope, Task& failed, const std::exception_ptr& why);

private:
    class Tree;
};

}  // namespace gyre
