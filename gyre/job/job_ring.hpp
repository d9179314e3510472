// SPDX-License-Identifier: Apache-2.0
// JobRing: a queue of JobCallbacks, first in, first out. It doubles where it is full, up to its
// limit, and never shrinks: in steady state it allocates nothing. One thread; lives in a scheduler.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "gyre/job/job.hpp"

namespace gyre::job {

class JobRing {
public:
    explicit JobRing(std::size_t size_max) noexcept : size_max_(size_max) {}

    [[nodiscard]] bool empty() const noexcept { return first_ == end_; }
    [[nodiscard]] std::size_t size() const noexcept { return end_ - first_; }

    // Throws std::length_error at the limit. The callback is made in its place: a copy of what was
    // just written, in other sizes, would stall the processor.
    template <class Callable>
    void push(Callable&& callable, Context context) {
        if (size() == capacity_) grow();
        JobCallback& job = jobs_[end_ & (capacity_ - 1)];
        std::construct_at(&job.callback, std::forward<Callable>(callable));
        job.context = context;
        ++end_;
    }

    // The first job, to be run where it stands until `end_first`; jobs may be pushed meanwhile. Not
    // when empty.
    [[nodiscard]] JobCallback& begin_first() noexcept {
        is_running_ = true;
        return first();
    }
    void end_first(JobCallback& job) noexcept {
        job.callback.reset();
        is_running_ = false;
        ++first_;
        if (running_in_ != nullptr) running_in_.reset();
    }
    // Not when empty, nor while the first one runs.
    [[nodiscard]] JobCallback pop() noexcept {
        JobCallback job = std::move(first());
        ++first_;
        return job;
    }

private:
    [[nodiscard]] JobCallback& first() noexcept { return jobs_[first_ & (capacity_ - 1)]; }

    [[gnu::cold]] void grow() {
        if (capacity_ >= size_max_) {
            throw std::length_error("more than " + std::to_string(size_max_) +
                                    " jobs wait in one queue: raise queue_size_max, or queue less");
        }
        const std::size_t capacity = capacity_ == 0 ? 64 : 2 * capacity_;
        auto jobs = std::make_unique<JobCallback[]>(capacity);
        const std::size_t count = size();
        // One that runs stays where it is, and its memory with it; its new place stays empty.
        for (std::size_t i = is_running_ ? 1 : 0; i < count; ++i) {
            jobs[i] = std::move(jobs_[(first_ + i) & (capacity_ - 1)]);
        }
        if (is_running_ && running_in_ == nullptr) running_in_ = std::move(jobs_);
        jobs_ = std::move(jobs);
        capacity_ = capacity;
        first_ = 0;
        end_ = count;
    }

    const std::size_t size_max_;
    std::unique_ptr<JobCallback[]> jobs_;
    std::unique_ptr<JobCallback[]> running_in_;  // the memory it grew out of while a job ran there
    bool is_running_ = false;
    std::size_t capacity_ = 0;  // a power of two
    std::size_t first_ = 0;     // counts on without end; its low bits are the place
    std::size_t end_ = 0;
};

}  // namespace gyre::job
