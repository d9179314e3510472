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

    // The first job, which may be called where it stands; jobs may be pushed meanwhile. Not when
    // empty.
    [[nodiscard]] JobCallback& first() noexcept { return jobs_[first_ & (capacity_ - 1)]; }
    // What `first` gave.
    void drop_first(JobCallback& job) noexcept {
        if (outgrown_ == nullptr) {
            job.callback.reset();
        } else {
            drop_moved_first();
        }
        ++first_;
    }
    [[nodiscard]] JobCallback pop() noexcept {
        JobCallback job = std::move(first());
        drop_first(first());
        return job;
    }

private:
    // The memory it grew out of: the first job may run there, on what it was made with.
    struct Outgrown {
        std::unique_ptr<JobCallback[]> jobs;
        std::unique_ptr<Outgrown> before;
    };
    [[gnu::cold, gnu::noinline]] void drop_moved_first() noexcept {
        first().callback.reset();
        outgrown_.reset();
    }
    [[gnu::cold]] void grow() {
        if (capacity_ >= size_max_) {
            throw std::length_error("more than " + std::to_string(size_max_) +
                                    " jobs wait in one queue: raise queue_size_max, or queue less");
        }
        const std::size_t capacity = capacity_ == 0 ? 64 : 2 * capacity_;
        auto jobs = std::make_unique<JobCallback[]>(capacity);
        const std::size_t count = size();
        auto outgrown = std::make_unique<Outgrown>();
        for (std::size_t i = 0; i < count; ++i) {
            jobs[i] = std::move(jobs_[(first_ + i) & (capacity_ - 1)]);
        }
        outgrown->jobs = std::exchange(jobs_, std::move(jobs));
        outgrown->before = std::exchange(outgrown_, nullptr);
        outgrown_ = std::move(outgrown);
        capacity_ = capacity;
        first_ = 0;
        end_ = count;
    }

    const std::size_t size_max_;
    std::unique_ptr<JobCallback[]> jobs_;
    std::unique_ptr<Outgrown> outgrown_;
    std::size_t capacity_ = 0;  // a power of two
    std::size_t first_ = 0;     // counts on without end; its low bits are the place
    std::size_t end_ = 0;
};

}  // namespace gyre::job
