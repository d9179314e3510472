// SPDX-License-Identifier: Apache-2.0
// TaskReport: texts about tasks for people: which task waits on what and where, and how a task
// failed. On the executor's thread; a report is a plain string.
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
    // A scope lists this many tasks, then the number of the others.
    static constexpr std::size_t tasks_of_scope_max = 100;

    // The tree of scopes and tasks, as Executor::dump_tasks gives it.
    [[nodiscard]] static std::string tasks(const Executor& executor);
    // One line "task 'x' failed: why", then the awaits that the failure came through, innermost
    // first.
    [[nodiscard]] static std::string failure(const Task& task, const std::exception_ptr& why);
    // The running task and its last await, in one line without a newline; returns its length. Only
    // reads and copies: safe in a signal handler on the executor's thread.
    static std::size_t running(const Executor& executor, std::span<char> into) noexcept;

    // what() of a std::exception, or a text for another type.
    [[nodiscard]] static std::string text_of(const std::exception_ptr& why);
    // Logs a failure that nobody else reports, unless the task was cancelled.
    static void log_unseen(const Task& task, const std::exception_ptr& why) noexcept;

    // A task of `scope` failed with `why`: appends the awaits of the scope's owner to its trail.
    static void pass_trail_on(const Scope& scope, Task& failed, const std::exception_ptr& why);

private:
    class Tree;
};

}  // namespace gyre
