// SPDX-License-Identifier: Apache-2.0
// JobQueue: a bounded FIFO of jobs that wait for a thread; a job can be withdrawn by its op in
// constant time. Not synchronized: its owner locks. It allocates only in the first push.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "gyre/base/detail/intrusive.hpp"
#include "gyre/kernel/clock.hpp"
#include "gyre/kernel/offload.hpp"

namespace gyre::pool {

struct Job {
    Op* op = nullptr;
    Offload::Work work = nullptr;
    Loop* home = nullptr;
    Instant queued_at{};
};

class JobQueue {
public:
    explicit JobQueue(std::size_t count_max);
    ~JobQueue();

    // False when it is full, or when the first push cannot allocate.
    [[nodiscard]] bool push(const Job& job) noexcept;
    [[nodiscard]] std::optional<Job> pop() noexcept;
    // False when the op is not in the queue.
    [[nodiscard]] bool withdraw(const Op& op) noexcept;

    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    [[nodiscard]] std::size_t count_max() const noexcept { return count_max_; }

private:
    struct OrderLinks;
    struct BucketLinks;
    struct Entry : Link<OrderLinks>, Link<BucketLinks> {
        Job job;
        Entry* next_free = nullptr;
    };
    using Bucket = Queue<Entry, BucketLinks>;

    [[nodiscard]] bool allocate() noexcept;
    [[nodiscard]] Bucket& bucket_of(const Op& op) const noexcept;
    void release(Entry& entry) noexcept;

    const std::size_t count_max_;
    const std::size_t bucket_count_;  // a power of two
    std::size_t count_ = 0;
    std::unique_ptr<Entry[]> entries_;
    std::unique_ptr<Bucket[]> buckets_;
    Entry* free_ = nullptr;  // a LIFO list
    Queue<Entry, OrderLinks> waiting_;
};

}  // namespace gyre::pool
