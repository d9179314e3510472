// SPDX-License-Identifier: Apache-2.0
#include "gyre/pool/worker.hpp"

namespace gyre::pool {
namespace {

// How often a joiner looks before it parks: some ten microseconds.
constexpr int looks_before_park = 500;
// Each task that is run while waiting for another one lies above it on the stack.
constexpr std::uint32_t help_depth_max = 64;

}  // namespace

constinit thread_local Worker* Worker::current_ = nullptr;

void Worker::wait_for(Task& task) noexcept {
    // A fork was stolen, and thieves take the oldest first: there is nothing left of its own here.
    // It waits for a task that some worker is running. That one in turn waits only for tasks forked
    // later than this one, so the waiting goes round in no circle, whether it helps or not.
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
    Task* task = nullptr;
    for (std::size_t tries = 0; tries < count_of_all && task == nullptr; ++tries) {
        if (last_victim_ != index_) task = set_.workers[last_victim_]->forks_.steal();
        if (task == nullptr) last_victim_ = (last_victim_ + 1) % count_of_all;
    }
    if (task == nullptr) return false;
    count(steals_);
    // There may be more where it came from.
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
