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
class Observer;
class Scope;
class Task;

class TaskReport {
public:
    // A scope lists this many tasks, then the number of the others.
    static constexpr std::size_t tasks_of_scope_max = 100;

    // The tree of scopes and tasks, as Executor::dump_tasks gives it.
    [[nodiscard]] static std::string tasks(const Executor& executor);
    // The same, then the cycles of tasks that wait for each other.
    [[nodiscard]] static std::string tasks_and_cycles(const Executor& executor);
    // The same, then the ops and machines that keep the loop alive, as Executor::report gives it.
    [[nodiscard]] static std::string program(const Executor& executor);
    // One line "task 'x' failed: why", then the awaits that the failure came through, innermost
    // first.
    [[nodiscard]] static std::string failure(const Task& task, const std::exception_ptr& why);
    // The running task and the await that it was resumed from, in one line without a newline;
    // returns its length. Only reads and copies: safe in a signal handler on the executor's thread.
    static std::size_t running(const Executor& executor, std::span<char> into) noexcept;
    // The same place for the same await in the source; null if it is not known.
    [[nodiscard]] static const void* running_place(const Executor& executor) noexcept;

    // Tells the observer what a suspended task waits for, and where.
    static void observe_wait(const Task& task, Observer& observer) noexcept;

    // what() of a std::exception, or a text for another type.
    [[nodiscard]] static std::string text_of(const std::exception_ptr& why);
    // Logs a failure that nobody else reports, unless the task was cancelled.
    static void log_unseen(const Task& task, const std::exception_ptr& why) noexcept;

private:
    class Tree;

    [[nodiscard]] static std::string reasons_to_live(const Executor& executor);
    [[nodiscard]] static std::string name_of(const Task& task);
};

}  // namespace gyre
