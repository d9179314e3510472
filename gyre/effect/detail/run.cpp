// SPDX-License-Identifier: Apache-2.0
#include "gyre/effect/detail/run.hpp"

namespace gyre::effect {

// The ready tasks of a family are a circular list; last_ready is its tail.
void Run::push_in_family(RunTask& task) noexcept {
    RunTask*& last = family()->last_ready;
    task.next_ready = last == nullptr ? &task : std::exchange(last->next_ready, &task);
    last = &task;
}

RunTask& Run::pop_from_family() noexcept {
    GYRE_ASSERT(family()->last_ready != nullptr, "pop a ready task only from a run that has one");
    RunTask& first = *family()->last_ready->next_ready;
    remove_ready(first);
    return first;
}

// No effect on a running task, which is not queued.
void Run::remove_ready(const RunTask& task) noexcept {
    if (family() == nullptr) {
        is_root_ready = false;
        return;
    }
    RunTask*& last = family()->last_ready;
    if (last == nullptr) return;
    RunTask* before = last;
    while (before->next_ready != &task) {
        before = before->next_ready;
        if (before == last) return;
    }
    before->next_ready = task.next_ready;
    if (last == &task) last = before == &task ? nullptr : before;
}

}  // namespace gyre::effect
