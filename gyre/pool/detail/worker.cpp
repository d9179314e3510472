// SPDX-License-Identifier: Apache-2.0
#include "gyre/pool/detail/worker.hpp"

namespace gyre::pool {
namespace {

// How often a joining worker polls before it parks: about ten microseconds.
constexpr int looks_before_park = 500;
// Limits the stack depth: a stolen task runs on top of the task that waits.
constexpr std::uint32_t help_depth_max = 64;

}  // namespace

constinit thread_local Worker* Worker::current_ = nullptr;

void Worker::wait_for(ForkedTask& task) noexcept {
    // Thieves take the oldest fork first, so this worker's own deque is empty here. The stolen task
    // runs on another worker, and can itself only wait for tasks that were forked later. Waits
    // therefore form no cycle, whether this worker helps or not.
    int looks = 0;
    while (!task.joined_.is_done()) {
        const bool may_help = help_depth_ < help_depth_max;
        if (may_help && run_stolen()) {
            looks = 0;
        } else if (++looks < looks_before_park) {
            spin_pause();
        } else {
            looks = 0;
            if (!task.joined_.wait(parker_)) return;
            sleep_in(set_.joining,
                     [&] { return task.joined_.is_done() || (may_help && sees_forks()); });
        }
    }
}

bool Worker::run_stolen() noexcept {
    const std::size_t count_of_all = set_.workers.size();
    ForkedTask* task = nullptr;
    for (std::size_t tries = 0; tries < count_of_all && task == nullptr; ++tries) {
        if (last_victim_ != index_) task = set_.workers[last_victim_]->forks_.steal();
        if (task == nullptr) last_victim_ = (last_victim_ + 1) % count_of_all;
    }
    if (task == nullptr) return false;
    count(steals_);
    // The victim may have more forks.
    if (!set_.idle.empty() && sees_forks()) wake_one_for_fork();
    ++help_depth_;
    task->run_(*task);
    --help_depth_;
    if (Parker* joiner = task->joined_.finish()) joiner->unpark();
    return true;
}

bool Worker::sees_forks() const noexcept {
    for (std::size_t i = 0; i < set_.workers.size(); ++i) {
        if (i != index_ && !set_.workers[i]->forks_.looks_empty()) return true;
    }
    return false;
}

void Worker::wake_one_for_fork() noexcept {
    auto sleeper = set_.idle.pick();
    if (!sleeper) sleeper = set_.joining.pick();
    if (sleeper) set_.workers[*sleeper]->unpark();
}

}  // namespace gyre::pool
