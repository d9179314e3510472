// SPDX-License-Identifier: Apache-2.0
#include "gyre/pool/internal/job_queue.hpp"

#include <bit>
#include <cstdint>
#include <new>

namespace gyre::pool {

JobQueue::JobQueue(std::size_t count_max)
    : count_max_(count_max), bucket_count_(std::bit_ceil(count_max)) {
    GYRE_ASSERT(count_max > 0, "queued_count_max is 0: allow at least one queued job");
}

JobQueue::~JobQueue() {
    GYRE_ASSERT(count_ == 0, "a job queue is destroyed with %zu jobs: run or withdraw them first",
                count_);
}

bool JobQueue::push(const Job& job) noexcept {
    if (entries_ == nullptr && !allocate()) return false;
    if (free_ == nullptr) return false;
    Entry& entry = *free_;
    free_ = entry.next_free;
    entry.job = job;
    waiting_.push_back(entry);
    bucket_of(*job.op).push_back(entry);
    ++count_;
    return true;
}

std::optional<Job> JobQueue::pop() noexcept {
    Entry* entry = waiting_.front();
    if (entry == nullptr) return std::nullopt;
    const Job job = entry->job;
    release(*entry);
    return job;
}

bool JobQueue::withdraw(const Op& op) noexcept {
    if (count_ == 0) return false;
    Entry* found = nullptr;
    bucket_of(op).for_each([&](Entry& entry) {
        if (entry.job.op == &op) found = &entry;
    });
    if (found == nullptr) return false;
    release(*found);
    return true;
}

bool JobQueue::allocate() noexcept {
    try {
        auto entries = std::make_unique<Entry[]>(count_max_);
        buckets_ = std::make_unique<Bucket[]>(bucket_count_);
        entries_ = std::move(entries);
    } catch (const std::bad_alloc&) {
        return false;
    }
    for (std::size_t i = count_max_; i > 0; --i) {
        entries_[i - 1].next_free = free_;
        free_ = &entries_[i - 1];
    }
    return true;
}

JobQueue::Bucket& JobQueue::bucket_of(const Op& op) const noexcept {
    // Ops are aligned and often adjacent: the upper half of the product spreads their addresses.
    const auto address = reinterpret_cast<std::uintptr_t>(&op);
    const std::uint64_t mixed = static_cast<std::uint64_t>(address) * 0x9E3779B97F4A7C15u;
    return buckets_[static_cast<std::size_t>(mixed >> 32u) & (bucket_count_ - 1)];
}

void JobQueue::release(Entry& entry) noexcept {
    entry.Link<OrderLinks>::unlink();
    entry.Link<BucketLinks>::unlink();
    entry.job = {};
    entry.next_free = free_;
    free_ = &entry;
    --count_;
}

}  // namespace gyre::pool
