// SPDX-License-Identifier: Apache-2.0
#include "gyre/pool/thread_pool.hpp"

#include "gyre/pool/internal/thread_crew.hpp"

namespace gyre::pool {

ThreadPool::ThreadPool(ThreadPoolOptions options)
    : process_(options.process_id), crew_(std::make_unique<Crew>(std::move(options))) {}

ThreadPool::~ThreadPool() {
    // In a forked child there is nobody to join, and what the threads waited on cannot be
    // destroyed: it goes with the process.
    if (!process_.is_here()) (void)crew_.release();
}

bool ThreadPool::start(Op& op, Work work, Loop& home) noexcept {
    check_process();
    return crew_->start({&op, work, &home, crew_->now()});
}

bool ThreadPool::withdraw(Op& op) noexcept {
    check_process();
    return crew_->withdraw(op);
}

PoolMetrics ThreadPool::metrics() const noexcept {
    return crew_->metrics();
}

std::size_t ThreadPool::thread_count_max() const noexcept {
    return crew_->thread_count_max();
}

void ThreadPool::check_process() const noexcept {
    GYRE_ASSERT(process_.is_here(),
                "pool %s is used in a forked child, which has none of its threads: make a new pool "
                "there, or use it in the parent only",
                crew_->options().name.c_str());
}

}  // namespace gyre::pool
