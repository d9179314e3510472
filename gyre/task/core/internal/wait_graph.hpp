// SPDX-License-Identifier: Apache-2.0
// WaitGraph: which task waits for which other one, through a mutex, a semaphore, a channel, a
// handle or a scope. For reports, on the executor's thread; made for one report, since it keeps
// pointers to tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gyre/task/core/detail/suspension.hpp"

namespace gyre {

class Scope;

class WaitGraph {
public:
    static constexpr std::size_t cycle_count_max = 10;

    explicit WaitGraph(const Executor& executor);

    // Null if it has ended.
    [[nodiscard]] const Task* find(std::uint32_t task_id) const noexcept;
    [[nodiscard]] const std::vector<const Scope*>& scopes_of(const Task* owner) const noexcept;
    // The waiting task's object: "mutex 'm'", "room in a channel"; for a task without such an
    // object what() of its wait.
    [[nodiscard]] static std::string subject_of(const Suspension& wait);

    // The cycles, a line for each task in them; empty if there are none.
    [[nodiscard]] std::string cycles() const;

private:
    class Search;

    [[nodiscard]] std::vector<const Task*> waited_for(const Task& task) const;
    // The lines of one cycle, in which each task waits for the next and the last for the first.
    [[nodiscard]] static std::string text_of(const std::vector<const Task*>& cycle);

    std::map<const Task*, std::vector<const Scope*>> scopes_of_;
    std::map<std::uint32_t, const Task*> tasks_;
};

}  // namespace gyre
