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

    // Throws std::length_error at the limit.
    void push(Callback<>&& callback, Context context) {
        if (size() == capacity_) grow();
        JobCallback& job = jobs_[end_ & (capacity_ - 1)];
        job.callback = std::move(callback);
        job.context = context;
        ++end_;
    }
    // Not when empty.
    [[nodiscard]] JobCallback pop() noexcept {
        return std::move(jobs_[first_++ & (capacity_ - 1)]);
    }

private:
    [[gnu::cold]] void grow() {
        if (capacity_ >= size_max_) {
            throw std::length_error("more than " + std::to_string(size_max_) +
                                    " jobs wait in one queue: raise queue_size_max, or queue less");
        }
        const std::size_t capacity = capacity_ == 0 ? 64 : 2 * capacity_;
        auto jobs = std::make_unique<JobCallback[]>(capacity);
        const std::size_t count = size();
        for (std::size_t i = 0; i < count; ++i) jobs[i] = pop();
        jobs_ = std::move(jobs);
        capacity_ = capacity;
        first_ = 0;
        end_ = count;
    }

    const std::size_t size_max_;
    std::unique_ptr<JobCallback[]> jobs_;
    std::size_t capacity_ = 0;  // a power of two
    std::size_t first_ = 0;     // counts on without end; its low bits are the place
    std::size_t end_ = 0;
};

}  // namespace gyre::job
