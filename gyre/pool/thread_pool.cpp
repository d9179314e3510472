// SPDX-License-Identifier: Apache-2.0
#include "gyre/pool/thread_pool.hpp"

#include "gyre/pool/internal/thread_pool_state.hpp"

namespace gyre::pool {

ThreadPool::ThreadPool(ThreadPoolOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}

ThreadPool::~ThreadPool() {
    // A forked child has no threads to join, and a mutex that was locked by a thread of the parent
    // cannot be destroyed: the state is leaked.
    if (!state_->process().is_here()) (void)state_.release();
}

void ThreadPool::renew_after_fork() {
    if (state_->process().is_here()) return;
    auto fresh = std::make_unique<State>(state_->options());
    (void)state_.release();
    state_ = std::move(fresh);
}

bool ThreadPool::start(Op& op, Work work, Loop& home) noexcept {
    check_process();
    return state_->start({&op, work, &home, state_->now()});
}

bool ThreadPool::withdraw(Op& op) noexcept {
    check_process();
    return state_->withdraw(op);
}

PoolMetrics ThreadPool::metrics() const noexcept {
    return state_->metrics();
}

std::size_t ThreadPool::thread_count_max() const noexcept {
    return state_->thread_count_max();
}

void ThreadPool::check_process() const noexcept {
    GYRE_ASSERT(state_->process().is_here(),
                "pool %s is used in a forked child, which has none of its threads: make a new pool "
                "there, or use it in the parent only",
                state_->options().name.c_str());
}

}  // namespace gyre::pool
